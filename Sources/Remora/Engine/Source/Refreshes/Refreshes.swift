// SPDX-License-Identifier: Apache-2.0
//
// The callers of a refresh: they join a run, wait for it, or cancel.

/// The refreshes of a source. `RefreshSteps.swift` has the steps of one.
final class Refreshes: SourcePart, Sendable {
  /// A first request, and what it asks for changes of.
  struct FirstRequest {
    let base: ImageFacts?
    let gather: Gather
    /// As in `RefreshPath`.
    var confirmation: [UInt8] = []
  }

  let core: SourceCore
  let shell: SourceShell
  let adoption: Adoption
  let packaged: PackagedVerifier
  /// The request that the last refresh began with.
  let firstRequest = Confined<FirstRequest?>(nil)

  init(_ shell: SourceShell, _ adoption: Adoption, _ packaged: PackagedVerifier) {
    core = shell.core
    self.shell = shell
    self.adoption = adoption
    self.packaged = packaged
  }

  /// Refreshes and waits for the end, or for the caller's own limit: 0 asks nothing, -1 is none.
  func refresh(_ how: RefreshManner = RefreshManner(), timeoutMs: Int64) -> RefreshResult {
    do throws(RemoraError) {
      return try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        guard timeoutMs != 0 else { throw .timeout(afterMs: 0) }
        let waiter = try joinOrBegin(RefreshWaiter(.blocked(lock)), how, locked)
        return waiter.wait(forMs: timeoutMs, locked) { waiter.end(RefreshResult(.timeout(afterMs: timeoutMs)), locked) }
      }
    } catch {
      return RefreshResult(error)
    }
  }

  /// The same without waiting; `completion` is called once on the delivery thread, unless the client or the handle is
  /// closed before.
  func refreshAsync(
    _ how: RefreshManner = RefreshManner(), timeoutMs: Int64 = -1, on handle: ObjectIdentifier? = nil,
    completion: @escaping @Sendable (RefreshResult) -> Void
  ) throws(RemoraError) -> RefreshWaiter {
    try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      try services.delivery.startIfNeeded(locked)
      let waiter = RefreshWaiter(.listening(Listener(completion: completion), services.delivery), handle: handle)
      try joinOrBegin(waiter, how, timeoutMs: timeoutMs, locked)
      return waiter
    }
  }

  /// Adds an asynchronous caller with a limit of its own: 0 asks nothing, -1 is none.
  func joinOrBegin(
    _ waiter: RefreshWaiter, _ how: RefreshManner, timeoutMs: Int64, _ locked: borrowing Locked
  ) throws(RemoraError) {
    let late = RefreshResult(.timeout(afterMs: timeoutMs))
    guard timeoutMs != 0 else { return waiter.end(late, locked) }
    try joinOrBegin(waiter, how, locked)
    waiter.end(late, afterMs: timeoutMs, runtime, locked)
  }

  /// Cancels an asynchronous refresh that has not ended.
  func cancel(_ waiter: RefreshWaiter) {
    lock.withLock { waiter.end(RefreshResult(RemoraError(.cancelled, "the refresh was cancelled")), $0) }
  }

  /// Begins a refresh that nobody waits for; one that cannot begin has its outcome all the same.
  func fetchUnasked(_ locked: borrowing Locked) {
    do throws(RemoraError) {
      try joinOrBegin(RefreshWaiter(.unattended), RefreshManner(), locked)
    } catch {
      _ = core.apply(.failed(error, .failed, isAttempt: false), locked)
    }
  }

  /// Adds a caller to a run that has not ended, or begins one. A forced refresh neither joins nor is joined, and does
  /// not wait for the answer to another.
  @discardableResult
  func joinOrBegin(
    _ waiter: RefreshWaiter, _ how: RefreshManner, _ locked: borrowing Locked
  ) throws(RemoraError) -> RefreshWaiter {
    if let joined = runToJoin(how, locked) {
      try runtime.requireThreadsAllowed(locked)
      joined.waiters.add(waiter, locked)
      return waiter
    }
    _ = try dialect.requireServer()
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    let attemptBeforeMs = core.state.read(locked, \.data.ledger.lastAttemptMs)
    let run = RefreshRun(isForced: how.isForced, announced: how.announced, attemptBeforeMs: attemptBeforeMs)
    run.waiters.onAbandoned(locked) { [weak self, weak run] locked in
      if let self, let run { stop(run, locked) }
    }
    run.waiters.add(waiter, locked)
    core.runs.with(locked) { $0.append(run) }
    beginRuns(locked)
    return waiter
  }

  /// A run that has not ended. One that is over stays in the list until the worker has let its files go: its end reaches
  /// nobody any more.
  private func runToJoin(_ how: RefreshManner, _ locked: borrowing Locked) -> RefreshRun? {
    guard !how.isForced else { return nil }
    return core.runs.with(locked) { runs in
      runs.first { run in
        guard !run.isForced, !how.isPushed || run.announced.version >= how.announced.version else { return false }
        return run.state.with(locked) { !$0.isOver && (how.acceptsAnswered || !$0.isAnswered) }
      }
    }
  }

  /// Ends the asynchronous calls of a handle without calling them. Returns what they held, to be released after
  /// unlocking.
  func mute(of handle: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    core.runs.read(locked, \.self).flatMap { $0.waiters.mute(of: handle, locked) }
      + services.delivery.endCalls(for: handle, locked)
  }

  /// Ends a run without an outcome.
  private func stop(_ run: RefreshRun, _ locked: borrowing Locked) {
    run.state.set(locked, \.isOver, to: true)
    if let transfer = run.state.read(locked, \.transfer) { services.transport.cancel(transfer) }
    runtime.worker.enqueue(locked) { [self] right in
      run.work.set(right, \.path, to: nil)
      releaseFiles(of: run, right)
      lock.withLock { locked in
        core.runs.with(locked) { $0.removeAll { $0 === run } }
        beginRuns(locked)
      }
    }
  }

  /// Ends all runs, with an error for those who wait unless the outcome is there. Returns what they
  /// held, to be released after unlocking.
  func end(_ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    let runs = core.runs.read(locked, \.self)
    let ended = runs.flatMap { run in run.waiters.end(locked) { _ in RefreshResult(error) } }
    return (runs as [Any]) + ended
  }

  /// Hands the first run and every forced one to the worker, once.
  func beginRuns(_ locked: borrowing Locked) {
    guard !core.state.read(locked, \.isEnded) else { return }
    for (index, run) in core.runs.read(locked, \.self).enumerated() where index == 0 || run.isForced {
      let begins = run.state.with(locked) { state in
        defer { state.hasBegun = true }
        return !state.isOver && !state.hasBegun
      }
      if begins { runtime.worker.enqueue(locked) { [self] in begin(run, $0) } }
    }
  }
}
