// SPDX-License-Identifier: Apache-2.0
//
// The steps of a refresh: lock the files, send, advance the path, store, publish, notify. docs/storage.md defines their
// order.

extension Refreshes {
  /// Starts a run: locks the files, picks up the results of other processes, and sends the first request.
  func begin(_ run: RefreshRun, _ right: Exclusive) {
    let isOver = lock.withLock { locked in
      run.state.with(locked) { state in
        state.hasWork = !state.isOver
        return state.isOver
      }
    }
    guard !isOver else { return }
    do throws(RemoraError) {
      guard try takeFiles(for: run, right) else { return }
      let filesLock = run.work[right].filesLock
      // The work that the opening could not do, because files were unreadable or locked by another holder. Its
      // notifications are part of this refresh's event.
      if filesLock != nil {
        shell.carryOut(.lookDue, for: run, right)
        shell.carryOut(.promotionDue, for: run, right)
      }
      if endByAdopting(run, right) { return }
      if endIfNotDue(run, right) { return }
      packaged.verify(filesLock, right)
      run.work[right].figures = Attempt.Figures()
      let server = core.server
      run.work[right].server = server
      let now = services.options.clock.nowMs
      if !run.isForced, server.backoff != run.announced.backoff { try server.requireNoBackoff(nowMs: now) }
      lock.withLock { _ = core.apply(.attempted(nowMs: now, jitter: services.options.random()), $0) }
      run.work[right].attempt = .noted
      try beginPath(of: run, right)
    } catch {
      fail(run, error, right)
    }
  }

  /// Starts the path over the newest data, and sends its first request.
  func beginPath(of run: RefreshRun, _ right: Exclusive) throws(RemoraError) {
    let newest = newest(right)
    let first = try planRequest(since: newest, run, right)
    let path = path(of: run, over: newest, first: first.gather, confirmation: first.confirmation, right)
    run.work.with(right) { ($0.tag, $0.maxAge, $0.age, $0.path) = (nil, nil, 0, path) }
    try send(path.request, of: run, right)
  }

  func path(
    of run: RefreshRun, over base: Image?, first: Gather, confirmation: [UInt8] = [], _ right: Exclusive
  ) -> RefreshPath {
    let ledger = ledger
    return RefreshPath(
      dialect, first: first, confirmation: confirmation, expected: expectedVersion(of: run, over: base), base: base,
      signature: ledger.etagImage == base?.checksum ? ledger.signature : nil,
      limits: VersionLimits(floor: ledger.floor, rule: dialect.versions, mayRemoveAll: run.isForced),
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: services.hashSeed)
  }

  /// Returns the first request of a refresh: for the changes since the newest image, unless the server is known to ignore
  /// `_since`; then one URL and its entity tag serve all requests. The request stays the same while the newest image is
  /// the same and no version is expected.
  private func planRequest(
    since base: Image?, _ run: RefreshRun, _ right: Exclusive
  ) throws(RemoraError) -> FirstRequest {
    let (expected, facts) = (expectedVersion(of: run, over: base), base.map(ImageFacts.init))
    let since = ledger.ignoresSince ? nil : base
    if expected == 0, let first = firstRequest[right], first.base == facts,
      !first.gather.isDiff || since != nil
    {
      return first
    }
    let first = FirstRequest(base: facts, gather: try dialect.request(since: since, expected: expected))
    if expected == 0 { firstRequest[right] = first }
    return first
  }

  /// Returns the expected version of a run if it is above the newest image, else 0: Mozilla's server refuses an expected
  /// version below `_since` with status 400.
  private func expectedVersion(of run: RefreshRun, over base: Image?) -> Int64 {
    let announced = run.announced.version
    return announced > base?.metadata.version ?? 0 ? announced : 0
  }

  /// Sends a request of the path.
  private func send(_ gather: Gather, of run: RefreshRun, _ right: Exclusive) throws(RemoraError) {
    var request = gather.httpRequest(services.options.transportOptions)
    let ledger = ledger
    let nowMs = services.nowMs(notBefore: run.work[right].server)
    // Sent only if the server may confirm the newest image without sending it again.
    if case .document = gather.purpose, gather.method == .get, !ledger.etag.isEmpty,
      ledger.etagImage == newest(right)?.checksum, ledger.etagURL == gather.urlText.hash64(),
      run.work[right].path?.mayBeConfirmed(atMs: nowMs) == true
    {
      request.ifNoneMatch = ledger.etag
    }
    if case .document = gather.purpose {
      request.arrival = { [self] arrived in lock.withLock { decode(arrived, of: run, $0) } }
    }
    note(.debug, "sends \(gather.logText)")
    try lock.withLock { locked throws(RemoraError) in
      guard !run.state[locked].isOver else { return }
      run.state[locked].arriving = nil
      let transfer = try runtime.worker.send(request, by: services.transport, locked) { [self] answer, right in
        receive(answer, to: gather, for: run, right)
      }
      run.state[locked].transfer = transfer
    }
  }

  /// Processes a response: records its backoff, and advances the path.
  private func receive(
    _ answer: Result<HTTPResponse, RemoraError>, to gather: Gather, for run: RefreshRun, _ right: Exclusive
  ) {
    // The backoff is recorded even if no caller waits for the response any more.
    if case .success(let response) = answer { noteRequests(of: response.headers, to: gather, run, right) }
    guard !lock.withLock({ run.state[$0].isOver }), let asked = run.work[right].path?.request else {
      return
    }
    let now = services.nowMs(notBefore: run.work[right].server)
    run.work[right].figures.note(answer)
    if case .success(let response) = answer { noteAnswer(response, to: asked, run, right) }
    do throws(RemoraError) {
      if case .success(let response) = answer, try !rebaseOntoNewest(run, asked, response, right) { return }
      try advance(run, answer, nowMs: now, right)
    } catch {
      fail(run, error, right)
    }
  }

  /// Performs the next step of an advanced path.
  func follow(_ advanced: AdvancedPath, _ run: RefreshRun, _ right: Exclusive) throws(RemoraError) {
    let (path, nowMs) = (advanced.path, advanced.nowMs)
    run.work[right].path = path
    let step = try advanced.step.get()
    let isOver = lock.withLock { locked in
      run.state.with(locked) { state in
        if case .gather = step {} else { state.isAnswered = true }
        // The last caller may have left in the meantime.
        return state.isOver
      }
    }
    guard !isOver else { return }
    for warning in path.warnings { note(.warning, warning) }
    switch step {
    case .gather:
      try requireNoNewPause(run, right)
      try send(path.request, of: run, right)
    case .unchanged:
      firstRequest.with(right) { first in
        if first?.gather === advanced.asked { first?.confirmation = path.confirmation }
      }
      confirm(run, right)
    case .notNewer: endNotNewer(run, right)
    case .compiled(let image): accept(image, run, nowMs: nowMs, right)
    }
  }

  private func noteRequests(
    of headers: ResponseHeaders, to gather: Gather, _ run: RefreshRun, _ right: Exclusive
  ) {
    let backoff = core.noteRequests(of: headers, to: gather)
    if backoff != Backoff(), core.server.backoff == backoff { run.work[right].ownBackoff = backoff }
  }

  /// Checks, before a further request, that no other refresh has received a backoff since this run started. A backoff
  /// that the run's own responses request begins after the run.
  ///
  /// - Throws: `.backoff`.
  private func requireNoNewPause(_ run: RefreshRun, _ right: Exclusive) throws(RemoraError) {
    guard !run.isForced else { return }
    let known = run.work.with(right) { [$0.server.backoff, $0.ownBackoff, run.announced.backoff] }
    guard !known.contains(core.server.backoff) else { return }
    try core.requireNoBackoff()
  }

  /// Records the entity tag and the freshness lifetime that the headers state for the document.
  private func noteAnswer(
    _ response: HTTPResponse, to asked: Gather, _ run: RefreshRun, _ right: Exclusive
  ) {
    guard case .document = asked.purpose else { return }
    run.work.with(right) { ($0.maxAge, $0.age) = (response.headers.cacheControlMaxAge, response.headers.age ?? 0) }
    guard response.status == 200 else { return }
    let tag = response.headers.etag.flatMap { $0.utf8.count <= SourceLedger.maximumEtag ? $0 : nil }
    run.work[right].tag = tag.map { EntityTag($0, url: asked.urlText.hash64()) }
  }

  /// Stores and publishes a new image, and ends its run.
  private func accept(_ accepted: AcceptedImage, _ run: RefreshRun, nowMs: Int64, _ right: Exclusive) {
    let compiled = accepted.image
    if compiled.metadata.isVerified {
      core.updateServer {
        $0.clockFloorMs = max($0.clockFloorMs, nowMs.addingClamped(-dayMs))
      }
    }
    let outcome = shell.carryOut(accepted, lifetime(of: run, right), for: run, right) ?? .none
    note(.info, "version \(compiled.metadata.version) was fetched, and \(fate(of: outcome))")
    conclude(run, RefreshResult(outcome), right)
  }

  /// Returns the state of a fetched image, as words for a log line.
  private func fate(of outcome: Outcome) -> String {
    guard outcome == .staged else { return "is in use" }
    return switch known.activation {
    case .manual: "is staged (not used) until remora_activate is called"
    case .immediate, .nextSetup: "is staged (not used) until the source is opened again"
    }
  }

  /// Ends a run whose server confirmed the newest image.
  private func confirm(_ run: RefreshRun, _ right: Exclusive) {
    note(.debug, "the server has no new data")
    // A server can confirm only an image that exists.
    if let image = newest(right) {
      let arrival = shell.files.arrivingImage(of: image, isCompared: known.isNewestInMemoryOnly, right)
      shell.carryOut(.confirmed(arrival, lifetime(of: run, right)), for: run, right)
    }
    conclude(run, RefreshResult(.unchanged), right)
  }

  /// Ends a run whose server offered a version that is not newer.
  private func endNotNewer(_ run: RefreshRun, _ right: Exclusive) {
    note(.debug, "the server offered a version that is not newer than the accepted one")
    lock.withLock { _ = core.apply(.offeredNotNewer, for: run, $0) }
    conclude(run, RefreshResult(.notNewer), right)
  }

  /// Returns the lifetime of a response, which begins now by the clock that readers of the ledger use.
  private func lifetime(of run: RefreshRun, _ right: Exclusive) -> ResponseLifetime {
    let now = services.options.clock.nowMs
    return run.work.with(right) {
      ResponseLifetime(
        nowMs: now, maxAge: $0.maxAge, age: $0.age, tag: $0.tag, signature: $0.path?.signature,
        ignoresSince: $0.path?.ignoresSince == true)
    }
  }

  /// Ends a run with an error. The live data stays live and stored.
  func fail(_ run: RefreshRun, _ error: RemoraError, _ right: Exclusive) {
    let result = RefreshResult(error)
    note(.warning, "\(result.outcome == .refused ? "the data was refused" : "the refresh failed"): \(error.message)")
    let isTooLate = lock.withLock { locked in
      let isOver = run.state.with(locked) { state in
        state.isAnswered = state.isAnswered || !state.isOver
        return state.isOver
      }
      guard !isOver else { return true }
      let isAttempt = run.work[right].attempt == .noted
      _ = core.apply(.failed(error, result.outcome, isAttempt: isAttempt), for: run, locked)
      return false
    }
    if isTooLate { end(run, result, right) } else { conclude(run, result, right) }
  }

  /// Ends a run that was an attempt. Its figures are reported after its events, and before its callers receive the
  /// result.
  private func conclude(_ run: RefreshRun, _ result: RefreshResult, _ right: Exclusive) {
    services.report(dialect.label, result, run.work[right].figures)
    end(run, result, right)
  }

  /// Releases the files of a run and ends the waits of its callers. A success also ends the waits of runs that were
  /// requested before it.
  func end(_ run: RefreshRun, _ result: RefreshResult, _ right: Exclusive) {
    releaseFiles(of: run, right)
    run.work[right].path = nil
    let ended = lock.withLock { locked in
      let earlier = result.error == nil ? core.runs[locked].prefix { $0 !== run } : []
      run.state[locked].isOver = true
      let ended = earlier.flatMap { $0.waiters.end(locked) { _ in result } } + run.waiters.finish(result, locked)
      remove(run, locked)
      return ended
    }
    withExtendedLifetime(ended) {}
  }
}
