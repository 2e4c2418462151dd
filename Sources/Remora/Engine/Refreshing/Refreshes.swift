// SPDX-License-Identifier: Apache-2.0
//
// Handles the callers of a refresh: they join a run, wait for it or for a fresh snapshot, or cancel.

/// The refreshes of a source. `Refreshes+Steps.swift` has the steps of one.
final class Refreshes: SourcePart, Sendable {
  /// The first request of a refresh, and the newest image at that time.
  struct FirstRequest {
    let base: ImageFacts?
    let gather: Gather
    /// The body of the last response without changes; see `RefreshPath.confirmation`.
    var confirmation: [UInt8] = []
  }

  let core: SourceCore
  let publisher: SourcePublisher
  let adoption: Adoption
  let runs: RefreshRuns
  let packaged: PackagedVerifier
  /// The first request of the last refresh without an expected version.
  let firstRequest = Confined<FirstRequest?>(nil)

  init(_ publisher: SourcePublisher, _ runs: RefreshRuns, _ adoption: Adoption, _ packaged: PackagedVerifier) {
    core = publisher.core
    self.publisher = publisher
    self.adoption = adoption
    self.runs = runs
    self.packaged = packaged
  }

  /// Refreshes and waits for the result, or for the caller's time limit: 0 sends no request, -1 means no limit.
  func refresh(_ how: RefreshManner = RefreshManner(), timeoutMs: Int64) -> RefreshResult {
    do throws(RemoraError) {
      try how.requireAccepted(by: dialect)
      return try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        return waitForRun(how, timeoutMs: timeoutMs, locked)
      }
    } catch {
      return RefreshResult(error)
    }
  }

  /// Joins or begins a run and waits for its result, unless the present data satisfies the caller. The engine lock
  /// is released while the caller waits.
  private func waitForRun(_ how: RefreshManner, timeoutMs: Int64, _ locked: Locked) -> RefreshResult {
    do throws(RemoraError) {
      _ = try dialect.requireServer()
      guard !isSatisfied(how, locked) else { return RefreshResult(.none) }
      guard timeoutMs != 0 else { throw .timeout(afterMs: 0) }
      try runtime.worker.requireOtherThread(locked)
      let waiter = try joinOrBegin(RefreshWaiter(.blocked(lock)), how, locked)
      return waiter.wait(forMs: timeoutMs, services.limits, locked) {
        waiter.end(RefreshResult(.timeout(afterMs: timeoutMs)), locked)
      }
    } catch {
      return RefreshResult(error)
    }
  }

  /// Refreshes without waiting. `completion` is called once on the delivery thread, unless the client or the handle is
  /// closed before.
  func refreshAsync(
    _ how: RefreshManner = RefreshManner(), timeoutMs: Int64 = -1, on handle: ObjectIdentifier? = nil,
    completion: @escaping @Sendable (RefreshResult) -> Void
  ) throws(RemoraError) -> RefreshWaiter {
    try how.requireAccepted(by: dialect)
    return try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      try services.delivery.startIfNeeded(locked)
      let waiter = RefreshWaiter(.listening(Listener(completion: completion), services.delivery), handle: handle)
      try joinOrBegin(waiter, how, timeoutMs: timeoutMs, locked)
      return waiter
    }
  }

  /// Adds an asynchronous caller with its own time limit: 0 sends no request, -1 means no limit.
  private func joinOrBegin(
    _ waiter: RefreshWaiter, _ how: RefreshManner, timeoutMs: Int64, _ locked: Locked
  ) throws(RemoraError) {
    _ = try dialect.requireServer()
    guard !isSatisfied(how, locked) else { return waiter.end(RefreshResult(.none), locked) }
    let late = RefreshResult(.timeout(afterMs: timeoutMs))
    guard timeoutMs != 0 else { return waiter.end(late, locked) }
    try joinOrBegin(waiter, how, locked)
    waiter.end(late, afterMs: timeoutMs, services.limits, locked)
  }

  /// Cancels an asynchronous refresh that has not completed.
  func cancel(_ waiter: RefreshWaiter) {
    lock.withLock { waiter.end(RefreshResult(RemoraError(.cancelled, "the refresh was cancelled")), $0) }
  }

  /// Starts a refresh in the background. If it cannot start, the error is its outcome.
  func fetchUnasked(_ locked: Locked) {
    do throws(RemoraError) {
      try joinOrBegin(RefreshWaiter(.background), RefreshManner(), locked)
    } catch {
      _ = core.apply(.failed(error, .failed, isAttempt: false), locked)
    }
  }

  /// Adds a caller to a run in progress, or starts a run. A forced refresh neither joins a run nor is joined, and does
  /// not wait for the response to another.
  @discardableResult
  func joinOrBegin(
    _ waiter: RefreshWaiter, _ how: RefreshManner, _ locked: Locked
  ) throws(RemoraError) -> RefreshWaiter {
    if let joined = runs.runToJoin(how, locked) {
      try runtime.requireThreadsAllowed(locked)
      joined.waiters.add(waiter, locked)
      return waiter
    }
    _ = try dialect.requireServer()
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    let attemptBeforeMs = core.state[locked].data.ledger.lastAttemptMs
    let run = RefreshRun(isForced: how.isForced, announced: how.announced, attemptBeforeMs: attemptBeforeMs)
    run.waiters.onAbandoned(locked) { [weak self, weak run] locked in
      if let self, let run { stop(run, locked) }
    }
    run.waiters.add(waiter, locked)
    runs.add(run, locked)
    beginRuns(locked)
    return waiter
  }

  /// Ends the asynchronous calls of a handle without calling their completions. Returns objects to be released after
  /// unlocking.
  func mute(of handle: ObjectIdentifier, _ locked: Locked) -> [Any] {
    runs.all(locked).flatMap { $0.waiters.mute(of: handle, locked) }
      + services.delivery.endCalls(for: handle, locked)
  }

  /// Ends a run without an outcome, after its last caller has left.
  private func stop(_ run: RefreshRun, _ locked: Locked) {
    run.state[locked].isOver = true
    // A run without work leaves the list at once, so that the list stays short even if thousands are cancelled.
    guard run.state[locked].hasWork else { return remove(run, locked) }
    if let transfer = run.state[locked].transfer { services.transport.cancel(transfer) }
    runtime.worker.enqueue(locked) { [self] exclusive in
      run.work[exclusive].path = nil
      publisher.files.release(run.publishing, exclusive)
      lock.withLock { remove(run, $0) }
    }
  }

  /// Removes a run that has ended, and begins the runs that waited for it.
  func remove(_ run: RefreshRun, _ locked: Locked) {
    runs.remove(run, locked)
    beginRuns(locked)
  }

  /// Ends all runs. Their callers receive the error, unless the result is certain already. Returns objects to be
  /// released after unlocking.
  func end(_ error: RemoraError, _ locked: Locked) -> [Any] {
    let runs = runs.all(locked)
    let ended = runs.flatMap { run in run.waiters.end(locked) { _ in RefreshResult(error) } }
    return (runs as [Any]) + ended
  }

  /// Queues the runs that may begin as jobs of the engine thread, each once.
  private func beginRuns(_ locked: Locked) {
    guard !core.state[locked].isEnded else { return }
    for run in runs.mayBegin(locked) {
      let hasBegun = exchange(&run.state[locked].hasBegun, true)
      if !hasBegun, !run.state[locked].isOver { runtime.worker.enqueue(locked) { [self] in begin(run, $0) } }
    }
  }
}

// MARK: Waits for a fresh snapshot

extension Refreshes {
  /// Refreshes the source if its data is not fresh, and returns the live snapshot then.
  func awaitFresh(_ how: RefreshManner, timeoutMs: Int64) throws(RemoraError) -> Snapshot {
    if let error = refresh(how.acceptingFresh, timeoutMs: timeoutMs).error { throw error }
    return core.cell.acquire()
  }

  /// Waits for a fresh snapshot in the background. `completion` is called once on the delivery thread, unless the
  /// client or the handle is closed before.
  func awaitFreshAsync(
    _ how: RefreshManner, timeoutMs: Int64, on handle: ObjectIdentifier?,
    completion: @escaping @Sendable (Result<Snapshot, RemoraError>) -> Void
  ) throws(RemoraError) -> RefreshWaiter {
    try refreshAsync(how.acceptingFresh, timeoutMs: timeoutMs, on: handle) { [core] result in
      completion(result.error.map(Result.failure) ?? .success(core.cell.acquire()))
    }
  }

  /// Whether the present data satisfies the caller without a refresh.
  private func isSatisfied(_ how: RefreshManner, _ locked: Locked) -> Bool {
    how.isOnlyIfEmpty && newest(locked) != nil || how.acceptsFresh && !how.isForced && isFresh(locked)
  }
}

extension RefreshManner {
  /// The options of a caller that waits for fresh data.
  fileprivate var acceptingFresh: RefreshManner {
    var how = self
    how.acceptsFresh = true
    return how
  }
}

extension Refreshes {
  /// Whether the source has fetched data that is fresh.
  func isFresh(_ locked: Locked) -> Bool {
    let nowMs = services.options.clock.nowMs
    guard core.state[locked].data.ledger.isFresh(for: options.lifetime, nowMs: nowMs) else { return false }
    return newest(locked).map { !$0.metadata.isPackaged } ?? false
  }
}
