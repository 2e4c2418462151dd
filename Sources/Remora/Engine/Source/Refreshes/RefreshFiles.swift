// SPDX-License-Identifier: Apache-2.0
//
// A refresh and the files of its source: who may change them, and what others have stored meanwhile.

extension Refreshes {
  /// Takes the right to change the files. While another client or process has it, looks again soon: what that one stores
  /// may be what is wanted. A forced run does not wait: it sends its request, and tries again when the answer arrives.
  ///
  /// - Throws: `.storage` when the other one keeps the files longer than a request may take.
  func takeFiles(for run: RefreshRun, _ right: borrowing Exclusive) throws(RemoraError) -> Bool {
    guard takeFilesIfFree(for: run, right) == false, !run.isForced else { return true }
    let now = lock.monotonicMs
    let since = run.work.read(right, \.waitsSinceMs) ?? now
    run.work.set(right, \.waitsSinceMs, to: since)
    let limitMs = services.options.transportOptions.totalTimeoutMs
    guard limitMs < 0 || now - since <= limitMs else {
      throw RemoraError(.storage, "another client or process has been refreshing this source for \(now - since) ms")
    }
    if !endByAdopting(run, right) {
      lock.withLock { runtime.worker.enqueue(atMonotonicMs: lock.monotonicMs + 25, $0) { [self] in begin(run, $0) } }
    }
    return false
  }

  /// The same without waiting; false while another client or process has the right. A failure is noted, and the run goes
  /// on without files.
  private func takeFilesIfFree(for run: RefreshRun, _ right: borrowing Exclusive) -> Bool {
    guard core.usesStorage, run.work.read(right, \.filesLock) == nil else { return true }
    do throws(RemoraError) {
      let held = shell.files.held(right)
      let filesLock = if let held { held } else { try requireStorage()?.tryLock(name) }
      run.work.set(right, \.filesLock, to: filesLock)
      return filesLock != nil
    } catch {
      noteStorage(error)
      run.work.set(right, \.filesProblem, to: error)
      return true
    }
  }

  /// Makes the path of a run go on over the newest data, if another refresh or process has stored it meanwhile: with the
  /// answer that is here, or with another request where the answer has only the changes since older data.
  func rebaseOntoNewest(
    _ run: RefreshRun, _ asked: Gather, _ response: HTTPResponse, _ right: borrowing Exclusive
  ) throws(RemoraError) -> Bool {
    if run.isForced, run.work.read(right, \.filesLock) == nil, takeFilesIfFree(for: run, right),
      run.work.read(right, \.filesLock) != nil
    {
      adoption.adopt(right)
    }
    let newest = newest(right)
    let ledger = ledger
    guard run.work.with(right, { $0.path?.isBased(on: newest, ledger) }) == false else { return true }
    guard case .document(since: nil) = asked.purpose, response.status != 304 else {
      try beginPath(of: run, right)
      return false
    }
    run.work.set(right, \.path, to: path(of: run, over: newest, first: asked, right))
    return true
  }

  /// Adopts what another client or process stored. A run that waited for it ends with it, and true is returned.
  func endByAdopting(_ run: RefreshRun, _ right: borrowing Exclusive) -> Bool {
    let hasWaited = run.work.read(right, \.hasWaited)
    guard let outcome = adoption.adopt(for: hasWaited ? run : nil, right), hasWaited else { return false }
    end(run, RefreshResult(outcome), right)
    return true
  }

  /// Ends a run that nobody but a schedule asked for when another process was faster. Called with the files' lock.
  func endIfNotDue(_ run: RefreshRun, _ right: borrowing Exclusive) -> Bool {
    guard lock.withLock({ run.waiters.acceptNoRequest($0) }) else { return false }
    adoption.noteAttemptOfOthers(right)
    guard ledger.lastAttemptMs > run.attemptBeforeMs else { return false }
    let isAlone = lock.withLock { locked in
      // Another caller may have joined in between, who wants the server's answer.
      let isAlone = run.waiters.acceptNoRequest(locked)
      if isAlone { run.state.set(locked, \.isOver, to: true) }
      return isAlone
    }
    if isAlone { end(run, RefreshResult(.unchanged), right) }
    return isAlone
  }

  /// Releases the files of a run, with its attempt in the ledger.
  func releaseFiles(of run: RefreshRun, _ right: borrowing Exclusive) {
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
    // The last reference unlocks.
    run.work.set(right, \.filesLock, to: nil)
  }
}
