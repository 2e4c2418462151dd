// SPDX-License-Identifier: Apache-2.0
//
// The requests of a sync: one to each server's monitor, and then the fetches of the sources that changed. The monitor's
// response is not signed. It only decides which sources are fetched; no data of a source is taken from it.

/// One monitor, and the sources that it covers.
private struct Listing {
  /// The current request: to the monitor, or to the target of a redirect.
  var gather: Gather
  /// The name of the monitor in reports.
  let label: SourceLabel
  var figures = Attempt.Figures()
  /// The covered sources: their indices in the sync, and their keys in the monitor's response.
  var members: [(index: Int, key: String)]

  init(_ monitor: Monitor, _ member: (index: Int, key: String)) {
    gather = monitor.gather
    label = monitor.label
    members = [member]
  }
}

extension Sync {
  /// Sends the requests to the monitors; a source without a monitor is fetched.
  func askMonitors(_ exclusive: Exclusive) {
    var listings: [Listing] = []
    var others: [(index: Int, announced: Announcement)] = []
    let settled = lock.withLock { state[$0].results.map { $0 != nil } }
    for (index, source) in sources.enumerated() where !settled[index] {
      source.packaged.verify(nil, exclusive)
      do throws(RemoraError) {
        guard let monitor = try source.dialect.monitor(expected: how.announced.version) else {
          others.append((index, Announcement()))
          continue
        }
        let member = (index: index, key: monitor.key)
        if let known = listings.firstIndex(where: { $0.gather.urlText == monitor.gather.urlText }) {
          listings[known].members.append(member)
        } else {
          listings.append(Listing(monitor, member))
        }
      } catch {
        lock.withLock { settle(index, RefreshResult(error), $0) }
      }
    }
    lock.withLock { fetch(others, $0) }
    for listing in listings { ask(listing) }
  }

  private func ask(_ listing: Listing) {
    let core = sources[listing.members[0].index].core
    let request = HTTPRequest(
      listing.gather.url, text: listing.gather.urlText, options: services.transportOptions)
    do throws(RemoraError) {
      if !how.isForced { try core.requireNoBackoff() }
      services.note(.debug, "the sync sends \(listing.gather.logText)")
      try lock.withLock { locked throws(RemoraError) in
        guard !state[locked].isOver else { return }
        let transfer = try runtime.worker.send(request, by: services.transport, locked) { [self] answer, exclusive in
          receive(answer, listing, exclusive)
        }
        state[locked].transfers[request.url] = transfer
      }
    } catch {
      fail(listing, error)
    }
  }

  private func receive(_ answer: Result<HTTPResponse, RemoraError>, _ sent: Listing, _ exclusive: Exclusive) {
    var listing = sent
    listing.figures.note(answer)
    let isOver = lock.withLock { locked in
      state.with(locked) { state in
        state.transfers[listing.gather.urlText] = nil
        return state.isOver
      }
    }
    guard !isOver else { return }
    let first = sources[listing.members[0].index]
    do throws(RemoraError) {
      let response = try answer.get()
      let backoff = first.core.noteRequests(of: response, to: listing.gather)
      if let elsewhere = try listing.gather.redirect(by: response, first.dialect) {
        listing.gather = elsewhere
        return ask(listing)
      }
      try listing.gather.requireOK(response, "the server")
      let list = try first.dialect.decodeMonitor(response.content.bytes)
      for warning in list.warnings { services.note(.warning, warning) }
      services.report(listing.label, RefreshResult(.updated), listing.figures)
      plan(listing, list.versions, backoff, exclusive)
    } catch {
      fail(listing, error.answered(by: answer))
    }
  }

  /// Fetches the sources that changed, and those that the monitor does not list.
  private func plan(
    _ listing: Listing, _ versions: [String: Int64], _ backoff: Backoff, _ exclusive: Exclusive
  ) {
    var moved: [(index: Int, announced: Announcement)] = []
    for (index, key) in listing.members {
      let source = sources[index]
      let adopted = source.adoption.adoptIfNewer(exclusive)
      let floor = source.ledger.floor
      if let version = versions[key], version < floor {
        source.note(
          .warning,
          "the server's list of collections has version \(version), which is below the accepted version \(floor)")
      }
      if !how.isForced, let version = versions[key], source.known.rejected?.image.version == version {
        lock.withLock { settle(index, RefreshResult(.rejected(version: version)), $0) }
        continue
      }
      guard !how.isForced, let version = versions[key], hasAccepted(version, source, exclusive) else {
        moved.append((index, Announcement(version: max(0, versions[key] ?? 0), backoff: backoff)))
        continue
      }
      let result = RefreshResult(adopted ?? .unchanged)
      services.report(source.dialect.label, result, Attempt.Figures())
      lock.withLock { settle(index, result, $0) }
    }
    lock.withLock { fetch(moved, $0) }
  }

  /// Ends the sources of a monitor with an error, because it is unknown which of them changed. The sources keep their
  /// data.
  private func fail(_ listing: Listing, _ error: RemoraError) {
    let monitor = "the list of collections on \(listing.gather.url.originText)"
    services.note(
      .warning, "\(monitor) cannot be read, so the sync refreshes no collection of this server: \(error.message)")
    services.report(listing.label, RefreshResult(error), listing.figures)
    lock.withLock { locked in
      for (index, _) in listing.members { settle(index, RefreshResult(error), locked) }
      endIfSettled(locked)
    }
  }
}

/// Whether a version is the newest of a source and was accepted when it was received. Packaged data that was not
/// verified is fetched from the server.
private func hasAccepted(_ version: Int64, _ source: Source, _ exclusive: Exclusive) -> Bool {
  guard let newest = source.newest(exclusive) else { return false }
  return newest.metadata.version == version && newest.isAccepted(by: source.dialect)
}
