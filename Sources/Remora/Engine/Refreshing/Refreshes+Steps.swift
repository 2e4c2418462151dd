// SPDX-License-Identifier: Apache-2.0
//
// The steps of a refresh: lock the files, send, advance the path, store, publish, notify. docs/storage.md defines their
// order.

extension Refreshes {
  /// Starts a run: locks the files, picks up the results of other processes, and sends the first request.
  func begin(_ run: RefreshRun, _ exclusive: Exclusive) {
    let isOver = lock.withLock { locked in
      run.state.with(locked) { state in
        state.hasWork = !state.isOver
        return state.isOver
      }
    }
    guard !isOver else { return }
    do throws(RemoraError) {
      guard try takeFiles(for: run, exclusive) else { return }
      let filesLock = publisher.files.filesLock(of: run.publishing, exclusive)
      // The work that the opening could not do, because files were unreadable or locked by another holder. Its
      // notifications are part of this refresh's event.
      if filesLock != nil {
        publisher.carryOut(.lookDue, for: run.publishing, exclusive)
        publisher.carryOut(.promotionDue, for: run.publishing, exclusive)
        publisher.carryOut(.rejectionDue, for: run.publishing, exclusive)
      }
      if endByAdopting(run, exclusive) { return }
      if endIfNotDue(run, exclusive) { return }
      packaged.verify(filesLock, exclusive)
      run.work[exclusive].figures = Attempt.Figures()
      let server = core.server
      run.work[exclusive].server = server
      let now = services.options.clock.nowMs
      if !run.isForced, !run.announced.allows(server.backoff) { try server.requireNoBackoff(nowMs: now) }
      try services.hostTransport?.requireOwn()
      lock.withLock { _ = core.apply(.attempted(nowMs: now, jitter: services.options.random()), $0) }
      run.publishing.files[exclusive].attempt = .noted
      try beginPath(of: run, exclusive)
    } catch {
      fail(run, error, exclusive)
    }
  }

  /// Starts the path over the newest data, and sends its first request.
  func beginPath(of run: RefreshRun, _ exclusive: Exclusive) throws(RemoraError) {
    let newest = newest(exclusive)
    let first = try planRequest(since: newest, run, exclusive)
    let path = path(of: run, over: newest, first: first.gather, confirmation: first.confirmation, exclusive)
    run.work.with(exclusive) { ($0.tag, $0.maxAge, $0.age, $0.path) = (nil, nil, 0, path) }
    try send(path.request, of: run, exclusive)
  }

  func path(
    of run: RefreshRun, over base: Image?, first: Gather, confirmation: [UInt8] = [], _ exclusive: Exclusive
  ) -> RefreshPath {
    let ledger = ledger
    return RefreshPath(
      dialect, first: first, confirmation: confirmation, expected: expectedVersion(of: run, over: base), base: base,
      signature: ledger.etagImage == base?.checksum ? ledger.signature : nil,
      limits: VersionLimits(
        floor: ledger.floor, rule: dialect.versions, mayRemoveAll: run.isForced,
        rejected: core.snapshots[exclusive].rejected),
      shape: run.isForced ? options.shape.whenForced : options.shape,
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: services.hashSeed)
  }

  /// Returns the first request of a refresh: for the changes since the newest image, unless the server is known to
  /// ignore `_since`; then one URL and its entity tag serve all requests. The request stays the same while the newest
  /// image is the same and no version is expected.
  private func planRequest(
    since base: Image?, _ run: RefreshRun, _ exclusive: Exclusive
  ) throws(RemoraError) -> FirstRequest {
    let (expected, facts) = (expectedVersion(of: run, over: base), base.map(ImageFacts.init))
    let since = ledger.ignoresSince ? nil : base
    if expected == 0, let first = firstRequest[exclusive], first.base == facts,
      !first.gather.isDiff || since != nil
    {
      return first
    }
    let first = FirstRequest(base: facts, gather: try dialect.request(since: since, expected: expected))
    if expected == 0 { firstRequest[exclusive] = first }
    return first
  }

  /// Returns the expected version of a run if it is above the newest image, else 0: Mozilla's server refuses an
  /// expected version below `_since` with status 400.
  private func expectedVersion(of run: RefreshRun, over base: Image?) -> Int64 {
    let announced = run.announced.version
    return announced > base?.metadata.version ?? 0 ? announced : 0
  }

  private func send(_ gather: Gather, of run: RefreshRun, _ exclusive: Exclusive) throws(RemoraError) {
    var request = gather.httpRequest(services.transportOptions)
    let ledger = ledger
    let nowMs = services.nowMs(notBefore: run.work[exclusive].server)
    // Sent only if the server may confirm the newest image without sending it again.
    if case .document = gather.purpose, gather.method == .get, !ledger.etag.isEmpty,
      ledger.etagImage == newest(exclusive)?.checksum, ledger.etagURL == gather.urlText.hash64(),
      run.work[exclusive].path?.mayBeConfirmed(atMs: nowMs) == true
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
      let transfer = try runtime.worker.send(request, by: services.transport, locked) { [self] answer, exclusive in
        receive(answer, to: gather, for: run, exclusive)
      }
      run.state[locked].transfer = transfer
    }
  }

  /// Processes a response: records its backoff, and advances the path.
  private func receive(
    _ answer: Result<HTTPResponse, RemoraError>, to gather: Gather, for run: RefreshRun, _ exclusive: Exclusive
  ) {
    // The backoff is recorded even if no caller waits for the response any more.
    if case .success(let response) = answer { noteRequests(of: response, to: gather, run, exclusive) }
    guard !lock.withLock({ run.state[$0].isOver }), let asked = run.work[exclusive].path?.request else {
      return
    }
    let now = services.nowMs(notBefore: run.work[exclusive].server)
    run.work[exclusive].figures.note(answer)
    if case .success(let response) = answer { noteAnswer(response, to: asked, run, exclusive) }
    do throws(RemoraError) {
      if case .success(let response) = answer, try !rebaseOntoNewest(run, asked, response, exclusive) { return }
      try advance(run, answer, nowMs: now, exclusive)
    } catch {
      fail(run, error, exclusive)
    }
  }

  /// Performs the next step of an advanced path.
  func follow(_ advanced: AdvancedPath, _ run: RefreshRun, _ exclusive: Exclusive) throws(RemoraError) {
    let (path, nowMs) = (advanced.path, advanced.nowMs)
    run.work[exclusive].path = path
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
      try requireNoNewPause(run, exclusive)
      try send(path.request, of: run, exclusive)
    case .unchanged:
      firstRequest.with(exclusive) { first in
        if first?.gather === advanced.asked { first?.confirmation = path.confirmation }
      }
      confirm(run, nowMs: nowMs, exclusive)
    case .notNewer: endNotNewer(run, exclusive)
    case .compiled(let image): accept(image, run, nowMs: nowMs, exclusive)
    }
  }

  private func noteRequests(
    of response: HTTPResponse, to gather: Gather, _ run: RefreshRun, _ exclusive: Exclusive
  ) {
    let backoff = core.noteRequests(of: response, to: gather)
    if backoff != Backoff(), core.server.backoff == backoff { run.work[exclusive].ownBackoff = backoff }
  }

  /// Checks, before a further request, that no other refresh has received a backoff since this run started. A backoff
  /// that the run's own responses request begins after the run.
  ///
  /// - Throws: `.backoff`.
  func requireNoNewPause(_ run: RefreshRun, _ exclusive: Exclusive) throws(RemoraError) {
    guard !run.isForced else { return }
    let (known, now) = (run.work.with(exclusive) { [$0.server.backoff, $0.ownBackoff] }, core.server.backoff)
    guard !known.contains(now), !run.announced.allows(now) else { return }
    try core.requireNoBackoff()
  }

  /// Records the entity tag and the freshness lifetime that the headers state for the document.
  private func noteAnswer(
    _ response: HTTPResponse, to asked: Gather, _ run: RefreshRun, _ exclusive: Exclusive
  ) {
    guard case .document = asked.purpose else { return }
    run.work.with(exclusive) { ($0.maxAge, $0.age) = (response.headers.cacheControlMaxAge, response.headers.age ?? 0) }
    guard response.status == 200 else { return }
    let tag = response.headers.etag.flatMap { $0.utf8.count <= SourceLedger.maximumEtag ? $0 : nil }
    run.work[exclusive].tag = tag.map { EntityTag($0, url: asked.urlText.hash64()) }
  }

  /// Stores and publishes a new image, and ends its run.
  private func accept(_ accepted: AcceptedImage, _ run: RefreshRun, nowMs: Int64, _ exclusive: Exclusive) {
    let compiled = accepted.image
    if compiled.metadata.isVerified { core.noteVerified(atMs: nowMs) }
    let outcome = publisher.accept(accepted, lifetime(of: run, exclusive), for: run.publishing, exclusive) ?? .none
    note(.info, "version \(compiled.metadata.version) was fetched, and \(fate(of: outcome))")
    conclude(run, RefreshResult(outcome), exclusive)
  }

  /// Returns the state of a fetched image, as words for a log line.
  private func fate(of outcome: Outcome) -> String {
    guard outcome == .staged else { return "is in use" }
    return switch known.activation {
    case .manual: "is staged (not used) until the program activates it"
    case .immediate, .nextSetup: "is staged (not used) until the source is opened again"
    }
  }

  /// Ends a run whose server confirmed the newest image.
  private func confirm(_ run: RefreshRun, nowMs: Int64, _ exclusive: Exclusive) {
    note(.debug, "the server has no new data")
    // A server can confirm only an image that exists.
    if let image = newest(exclusive) {
      if image.metadata.isVerified { core.noteVerified(atMs: nowMs) }
      let arrival = publisher.files.arrivingImage(of: image, isCompared: known.isNewestInMemoryOnly, exclusive)
      publisher.carryOut(.confirmed(arrival, lifetime(of: run, exclusive)), for: run.publishing, exclusive)
    }
    conclude(run, RefreshResult(.unchanged), exclusive)
  }

  /// Ends a run whose server offered a version that is not newer.
  private func endNotNewer(_ run: RefreshRun, _ exclusive: Exclusive) {
    note(.debug, "the server offered a version that is not newer than the accepted one")
    lock.withLock { _ = core.apply(.offeredNotNewer, for: run.publishing, $0) }
    conclude(run, RefreshResult(.notNewer), exclusive)
  }

  /// Returns the lifetime of a response, which begins now by the clock that readers of the ledger use.
  private func lifetime(of run: RefreshRun, _ exclusive: Exclusive) -> ResponseLifetime {
    let now = services.options.clock.nowMs
    return run.work.with(exclusive) {
      ResponseLifetime(
        nowMs: now, maxAge: $0.maxAge, age: $0.age, tag: $0.tag, signature: $0.path?.signature,
        ignoresSince: $0.path?.ignoresSince == true)
    }
  }

  /// Ends a run with an error. The live data stays live and stored.
  func fail(_ run: RefreshRun, _ error: RemoraError, _ exclusive: Exclusive) {
    let result = RefreshResult(error)
    note(.warning, "\(result.outcome == .refused ? "the data was refused" : "the refresh failed"): \(error.message)")
    let isTooLate = lock.withLock { locked in
      let isOver = run.state.with(locked) { state in
        state.isAnswered = state.isAnswered || !state.isOver
        return state.isOver
      }
      guard !isOver else { return true }
      let isAttempt = run.publishing.files[exclusive].attempt == .noted
      _ = core.apply(.failed(error, result.outcome, isAttempt: isAttempt), for: run.publishing, locked)
      return false
    }
    if isTooLate { end(run, result, exclusive) } else { conclude(run, result, exclusive) }
  }

  /// Ends a run that was an attempt. Its figures are reported after its events, and before its callers receive the
  /// result.
  private func conclude(_ run: RefreshRun, _ result: RefreshResult, _ exclusive: Exclusive) {
    services.report(dialect.label, result, run.work[exclusive].figures)
    end(run, result, exclusive)
  }

  /// Releases the files of a run and ends the waits of its callers. A success also ends the waits of runs that were
  /// requested before it.
  func end(_ run: RefreshRun, _ result: RefreshResult, _ exclusive: Exclusive) {
    publisher.files.release(run.publishing, exclusive)
    run.work[exclusive].path = nil
    let ended = lock.withLock { locked in
      let earlier = result.error == nil ? runs.all(locked).prefix { $0 !== run } : []
      run.state[locked].isOver = true
      let ended = earlier.flatMap { $0.waiters.end(locked) { _ in result } } + run.waiters.finish(result, locked)
      remove(run, locked)
      return ended
    }
    withExtendedLifetime(ended) {}
  }
}
