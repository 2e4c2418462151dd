// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of a refresh: lock the files, send, advance the path, store, publish, tell.
// Everything here runs in jobs of the worker; the order of the steps is that of docs/storage.md.

extension Source {
  /// Begins a run: takes the files, looks at what others did, and sends the first request.
  func begin(_ run: Run) {
    guard !lock.withLock({ run.isOver }) else { return }
    do throws(RemoraError) {
      guard try takeFiles(for: run) else { return }
      // What the opening could not do while another had the files: what it announces comes with this refresh's event.
      if let filesLock = run.filesLock { settlePromotion(filesLock) }
      if endByAdopting(run) { return }
      if endIfNotDue(run) { return }
      verifyPackaged(run.filesLock)
      run.figures = Attempt.Figures()
      run.server = client.serverLedger(of: self)
      let now = client.nowMs(notBefore: run.server)
      if !run.isForced, run.server.backoffUntilMs > run.announced.backoffUntilMs {
        try run.server.requireNoBackoff(nowMs: now)
      }
      noteAttempt(run, nowMs: now)
      try beginPath(of: run)
    } catch {
      fail(run, error)
    }
  }

  /// Begins the path over the newest data, and sends its first request.
  func beginPath(of run: Run) throws(RemoraError) {
    (run.etag, run.maxAge) = (nil, nil)
    run.path = path(of: run, over: newest, first: try planRequest(since: newest, run))
    try send(run)
  }

  func path(of run: Run, over base: Image?, first: Gather) -> RefreshPath {
    RefreshPath(
      dialect, first: first, expected: run.announced.version, base: base,
      limits: FreshnessLimits(floor: ledger.floor, rule: dialect.versions), epoch: ledger.epoch,
      generation: ledger.generation &+ 1, hashSeed: client.hashSeed)
  }

  /// The first request of a refresh; always the same while the same image is the newest and nobody announced another.
  private func planRequest(since base: Image?, _ run: Run) throws(RemoraError) -> Gather {
    let expected = run.announced.version
    guard expected == 0 else { return try dialect.request(since: base, expected: expected) }
    if let firstRequest { return firstRequest }
    let gather = try dialect.request(since: base, expected: 0)
    firstRequest = gather
    return gather
  }

  /// Sends the request that the path wants.
  private func send(_ run: Run) throws(RemoraError) {
    guard let gather = run.path?.request else { throw RemoraError(.internal, "a run has no path") }
    var request = gather.httpRequest(client.options.transportOptions)
    // Only over an image that a server may confirm without showing it.
    if case .document = gather.purpose, gather.method == .get, !ledger.etag.isEmpty, let newest,
      newest.isAccepted(by: dialect), ledger.etagImage == newest.checksum, ledger.etagURL == gather.urlText.hash64()
    {
      request.ifNoneMatch = ledger.etag
    }
    let worker = runtime.worker
    try lock.withLock { () throws(RemoraError) in
      guard !run.isOver else { return }
      run.transfer = try client.transport.start(request) { [self] answer in
        lock.withLock { worker.enqueue { [self] in arrive(answer, for: run) } }
      }
    }
  }

  /// Advances the path with an answer.
  private func arrive(_ answer: Result<HTTPResponse, RemoraError>, for run: Run) {
    guard !lock.withLock({ run.isOver }), let asked = run.path?.request else { return }
    let now = client.nowMs(notBefore: run.server)
    run.figures.note(answer)
    if case .success(let response) = answer { noteAnswer(response, to: asked, run, nowMs: now) }
    do throws(RemoraError) {
      if case .success(let response) = answer, try !followNewest(run, asked, response) { return }
      let step = try run.path?.advance(answer, chains: runtime.worker.chains, nowMs: now)
      let isOver = lock.withLock {
        if case .gather? = step {} else { run.isAnswered = true }
        // Its last ticket may have gone while the worker was at it.
        return run.isOver
      }
      guard !isOver else { return }
      for warning in run.path?.warnings ?? [] { note(.warning, warning) }
      switch step {
      case .gather?: try send(run)
      case .unchanged?: finish(run, .unchanged, nowMs: now)
      case .notNewer?: finish(run, .notNewer, nowMs: now)
      case .compiled(let image)?: accept(image, run, nowMs: now)
      case nil: throw RemoraError(.internal, "a run lost its path")
      }
    } catch {
      fail(run, error)
    }
  }

  /// Remembers what the headers say: the server's wish to be left alone, and the entity tag.
  private func noteAnswer(_ response: HTTPResponse, to asked: Gather, _ run: Run, nowMs: Int64) {
    if asked.isOwnOrigin { client.noteBackoff(response.headers, from: self, nowMs: nowMs) }
    if asked.isOwnOrigin, let alert = response.headers.alert {
      note(.warning, "\(asked.url.originText) sent an Alert: \(String(alert.unicodeScalars.prefix(500)))")
    }
    guard case .document = asked.purpose else { return }
    run.maxAge = response.headers.cacheControlMaxAge
    guard response.status == 200 else { return }
    run.etag = response.headers.etag.flatMap { tag in
      tag.utf8.count <= SourceLedger.maximumEtag ? (tag, asked.urlText.hash64()) : nil
    }
  }

  /// Stores a new image, and publishes or stages it. A failure to store stops neither.
  private func accept(_ compiled: Image, _ run: Run, nowMs: Int64) {
    if compiled.metadata.isVerified {
      client.updateServerLedger(of: self) {
        $0.clockFloorMs = max($0.clockFloorMs, nowMs.addingClamped(-dayMs))
      }
    }
    let isImmediate = activation == .immediate
    let experiments = isImmediate ? dialect.newExperiments(in: compiled, since: toldImage) : []
    if isImmediate { endStoredOverrides(dialect.updates.removedKeys(in: compiled, after: live.base)) }
    let image = store(compiled, run, as: isImmediate ? .live : .staged)
    isLiveUntold = false
    var next = ledger
    next.floor = max(next.floor, image.metadata.version)
    next.failures = 0
    if image !== compiled { next.generation = image.metadata.generation }
    let snapshot = composeNext(image)
    note(success: &next, of: image, run, nowMs: nowMs)
    let outcome = take(snapshot, next, .refreshed, bringing: experiments) { [self] outcome in
      lastError = nil
      run.result = RefreshResult(outcome)
    }
    note(.info, "version \(image.metadata.version) was fetched, and \(fate(of: outcome))")
    conclude(run, RefreshResult(outcome))
  }

  /// Ends a run that changes nothing.
  private func finish(_ run: Run, _ outcome: Outcome, nowMs: Int64) {
    note(.debug, "the refresh found nothing newer (\(outcome))")
    var next = ledger
    next.failures = 0
    if outcome == .unchanged, let image = newest {
      // What a full disk kept in memory is stored at the first chance.
      if image.metadata.generation > next.generation {
        let isLive = staged == nil
        let experiments = isLive ? dialect.newExperiments(in: image, since: toldImage) : []
        if store(image, run, as: isLive ? .live : .staged) !== image {
          next.generation = image.metadata.generation
          if isLive { isLiveUntold = false }
          lock.withLock { untoldExperiments.add(experiments) }
        }
      }
      note(success: &next, of: image, run, nowMs: nowMs)
    }
    let event = { [self] (old: Snapshot, new: Snapshot) in
      lastError = nil
      run.result = RefreshResult(outcome)
      return Event(.refreshed, outcome, old: old, new: new, storageError: storageError)
    }
    if outcome == .unchanged, let confirmed = confirmNewest() {
      publish(confirmed, next, event)
    } else {
      lock.withLock {
        ledger = next
        notify(event(live, live))
      }
    }
    conclude(run, RefreshResult(outcome))
  }

  /// Ends a run with an error: what was live stays live and stored.
  private func fail(_ run: Run, _ error: RemoraError) {
    let result = RefreshResult(error)
    note(.warning, "the refresh \(result.outcome == .refused ? "was refused" : "failed"): \(error.message)")
    let isTooLate = lock.withLock {
      guard !run.isOver else { return true }
      run.isAnswered = true
      if run.owesAttempt { ledger.failures = min(ledger.failures, .max - 1) + 1 }
      lastError = error
      run.result = result
      notify(Event(.refreshed, result.outcome, old: live, new: live, error: error, storageError: storageError))
      return false
    }
    if isTooLate { end(run, result) } else { conclude(run, result) }
  }

  /// Ends a run that was an attempt: its figures are told between its events and its callers' ends.
  private func conclude(_ run: Run, _ result: RefreshResult) {
    client.tell(dialect.label, result, run.figures)
    end(run, result)
  }

  /// Releases the files and ends the tickets of a run. A success also ends the runs that were asked for before it.
  func end(_ run: Run, _ result: RefreshResult) {
    letGoOfFiles(run)
    run.path = nil
    let tickets = lock.withLock {
      let tickets = (result.error == nil ? endRuns(before: run) : []) + run.tickets
      run.tickets = []
      run.isOver = true
      runs.removeAll { $0 === run }
      for ticket in tickets { finish(ticket, result) }
      beginRuns()
      return tickets
    }
    withExtendedLifetime(tickets) {}
  }
}
