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
  func takeFiles(for run: RefreshRun, _ right: Exclusive) throws(RemoraError) -> Bool {
    guard takeFilesIfFree(for: run, right) == false, !run.isForced else { return true }
    let now = lock.monotonicMs
    let since = run.work[right].waitsSinceMs ?? now
    run.work[right].waitsSinceMs = since
    let limitMs = services.options.transportOptions.totalTimeoutMs
    guard limitMs < 0 || now - since <= limitMs else {
      throw RemoraError(
        .storage, "the refresh waited \(now - since) ms for another client or process that is refreshing this source")
    }
    if !endByAdopting(run, right) {
      lock.withLock { runtime.worker.enqueue(atMonotonicMs: lock.monotonicMs + 25, $0) { [self] in begin(run, $0) } }
    }
    return false
  }

  /// Locks the files for a run without waiting. Returns false while another client or process holds the lock. An error
  /// is recorded, and the run continues without files.
  private func takeFilesIfFree(for run: RefreshRun, _ right: Exclusive) -> Bool {
    guard core.usesStorage, run.work[right].filesLock == nil else { return true }
    do throws(RemoraError) {
      let held = shell.files.held(right)
      let filesLock = if let held { held } else { try requireStorage()?.tryLock(name) }
      run.work[right].filesLock = filesLock
      return filesLock != nil
    } catch {
      noteStorage(error)
      run.work[right].filesProblem = error
      return true
    }
  }

  /// Rebases the path of a run onto the newest data, if another refresh or process has stored newer data in the
  /// meantime. Returns true if the response is still usable. Otherwise, for example if the response has only the
  /// changes since older data, or a part of its body was discarded after decoding, sends another request and returns
  /// false.
  func rebaseOntoNewest(
    _ run: RefreshRun, _ asked: Gather, _ response: HTTPResponse, _ right: Exclusive
  ) throws(RemoraError) -> Bool {
    if run.isForced, run.work[right].filesLock == nil, takeFilesIfFree(for: run, right),
      run.work[right].filesLock != nil
    {
      adoption.adopt(right)
    }
    let newest = newest(right)
    let ledger = ledger
    guard run.work[right].path?.isBased(on: newest, ledger) == false else { return true }
    let isArriving = lock.withLock { run.state[$0].arriving != nil }
    guard case .document(since: nil) = asked.purpose, response.status != 304,
      isArriving || response.content.isComplete
    else {
      try beginPath(of: run, right)
      return false
    }
    run.work[right].path = path(of: run, over: newest, first: asked, right)
    return true
  }

  /// Picks up data that another client or process stored. A run that waited for this data ends with it, and true is
  /// returned, unless the run was requested for a newer version.
  func endByAdopting(_ run: RefreshRun, _ right: Exclusive) -> Bool {
    let hasWaited = run.work[right].hasWaited
    guard let outcome = adoption.adopt(for: hasWaited ? run : nil, right), hasWaited else { return false }
    end(run, RefreshResult(outcome), right)
    return true
  }

  /// Ends a run that only a schedule requested, if another process has made an attempt since. Returns whether the run
  /// ended. Called with the files' lock.
  func endIfNotDue(_ run: RefreshRun, _ right: Exclusive) -> Bool {
    guard lock.withLock({ run.waiters.acceptNoRequest($0) }) else { return false }
    adoption.noteAttemptOfOthers(right)
    guard ledger.lastAttemptMs > run.attemptBeforeMs else { return false }
    let isAlone = lock.withLock { locked in
      // A caller that requires the server's response may have joined in between.
      let isAlone = run.waiters.acceptNoRequest(locked)
      if isAlone { run.state[locked].isOver = true }
      return isAlone
    }
    if isAlone { end(run, RefreshResult(.unchanged), right) }
    return isAlone
  }

  /// Releases the files of a run, after writing its attempt to the ledger if that was not done yet.
  func releaseFiles(of run: RefreshRun, _ right: Exclusive) {
    let (filesLock, attempt) = run.work.with(right) { work in
      defer { if work.attempt == .noted { work.attempt = .written } }
      return (work.filesLock, work.attempt)
    }
    guard let filesLock else { return }
    if attempt == .noted {
      do throws(RemoraError) {
        try filesLock.writeLedger(ledger)
      } catch {
        noteStorage(error)
      }
    }
    // Releasing the last reference unlocks the files.
    run.work[right].filesLock = nil
  }
}
