// SPDX-License-Identifier: Apache-2.0
//
// Locks the files of a source for a refresh, and picks up data that other clients or processes have stored in the
// meantime.

extension Refreshes {
  /// Locks the files for a run. Returns whether the run can continue now. While another client or process holds the
  /// lock, the run is retried soon, because the other holder may store the wanted data. A forced run does not wait: it
  /// sends its request, and tries to lock the files again when the response arrives.
  ///
  /// - Throws: `.storage` if another holder keeps the lock for longer than the time limit of a request.
  func takeFiles(for run: RefreshRun, _ exclusive: Exclusive) throws(RemoraError) -> Bool {
    guard !publisher.files.take(for: run.publishing, exclusive), !run.isForced else { return true }
    let now = lock.monotonicMs
    let since = run.work[exclusive].waitsSinceMs ?? now
    run.work[exclusive].waitsSinceMs = since
    let limitMs = services.options.transportOptions.totalTimeoutMs
    guard limitMs < 0 || now - since <= limitMs else {
      throw RemoraError.busy(
        "the refresh waited \(now - since) ms for another client or process that is refreshing this source")
    }
    if !endByAdopting(run, exclusive) {
      lock.withLock { runtime.worker.enqueue(atMonotonicMs: lock.monotonicMs + 25, $0) { [self] in begin(run, $0) } }
    }
    return false
  }

  /// Rebases the path of a run onto the newest data, if another refresh or process has stored newer data in the
  /// meantime. Returns true if the response is still usable, or is an error, which ends the run. Otherwise, for example
  /// if the response has only the changes since older data, or a part of its body was discarded after decoding, sends
  /// another request and returns false.
  func rebaseOntoNewest(
    _ run: RefreshRun, _ asked: Gather, _ response: HTTPResponse, _ exclusive: Exclusive
  ) throws(RemoraError) -> Bool {
    let (files, publishing) = (publisher.files, run.publishing)
    if run.isForced, files.filesLock(of: publishing, exclusive) == nil, files.take(for: publishing, exclusive),
      files.filesLock(of: publishing, exclusive) != nil
    {
      adoption.adopt(exclusive)
    }
    let newest = newest(exclusive)
    let ledger = ledger
    let rejected = core.snapshots[exclusive].rejected
    let isBased = run.work[exclusive].path?.isBased(on: newest, without: rejected, ledger)
    guard isBased == false, response.status < 400 else { return true }
    let isArriving = lock.withLock { run.state[$0].arriving != nil }
    guard case .document(since: nil) = asked.purpose, response.status != 304,
      isArriving || response.content.isComplete
    else {
      try requireNoNewPause(run, exclusive)
      try beginPath(of: run, exclusive)
      return false
    }
    run.work[exclusive].path = path(of: run, over: newest, first: asked, exclusive)
    return true
  }

  /// Picks up data that another client or process stored. A run that waited for this data ends with it, and true is
  /// returned, unless the run was requested for a newer version.
  func endByAdopting(_ run: RefreshRun, _ exclusive: Exclusive) -> Bool {
    let hasWaited = run.work[exclusive].hasWaited
    guard let outcome = adoption.adopt(for: hasWaited ? run : nil, exclusive), hasWaited else { return false }
    end(run, RefreshResult(outcome), exclusive)
    return true
  }

  /// Ends a run that only a schedule requested, if another process has made an attempt since. Returns whether the run
  /// ended. Called with the files' lock.
  func endIfNotDue(_ run: RefreshRun, _ exclusive: Exclusive) -> Bool {
    guard lock.withLock({ run.waiters.acceptNoRequest($0) }) else { return false }
    adoption.noteAttemptOfOthers(exclusive)
    guard ledger.lastAttemptMs > run.attemptBeforeMs else { return false }
    let isAlone = lock.withLock { locked in
      // A caller that requires the server's response may have joined in between.
      let isAlone = run.waiters.acceptNoRequest(locked)
      if isAlone { run.state[locked].isOver = true }
      return isAlone
    }
    if isAlone { end(run, RefreshResult(.unchanged), exclusive) }
    return isAlone
  }
}
