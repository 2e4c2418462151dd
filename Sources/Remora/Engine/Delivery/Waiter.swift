// SPDX-License-Identifier: Apache-2.0
//
// One caller that waits for a piece of work: on a blocked thread, by callbacks, or by a continuation in the engine.

/// The callbacks of an asynchronous call. Objects that they capture are released with no lock held.
package struct Listener<Progress, Result>: Sendable {
  let progress: (@Sendable (Progress) -> Void)?
  /// Called once with the result.
  let completion: @Sendable (Result) -> Void

  package init(
    progress: (@Sendable (Progress) -> Void)? = nil, completion: @escaping @Sendable (Result) -> Void
  ) {
    self.progress = progress
    self.completion = completion
  }
}

/// One caller of a piece of work. Its wait ends exactly once: by a result, or muted without one.
package final class Waiter<Progress: Equatable & Sendable, Result: Sendable>: Sendable {
  /// The way in which the caller receives progress and the result.
  enum Way {
    case blocked(ProcessLock, wantsProgress: Bool = false)
    /// The callbacks run where those of the client run.
    case listening(Listener<Progress, Result>, Delivery)
    /// The continuation runs immediately, under the engine lock.
    case continuing((Result, Locked) -> Void)
    /// No caller waits for the result.
    case background

    var wantsProgress: Bool {
      switch self {
      case .blocked(_, let wantsProgress): wantsProgress
      case .listening(let listener, _): listener.progress != nil
      case .continuing, .background: false
      }
    }
  }

  /// The next step of a blocked caller.
  enum Step {
    case report(Progress)
    case end(Result)
    case outOfTime
  }

  private struct State {
    /// The way of notification; nil after the end.
    var way: Way?
    /// The work that the caller has joined; nil before joining and after the end.
    var work: (callers: Waiters<Progress, Result>, number: Int)?
    var result: Result?
    var progress: Progress?
    /// Whether the caller has not received `progress` yet.
    var isProgressNew = false
    /// The time limit that a job ends; nil without one, and after the end.
    var limit: TimeLimit?
    /// Whether the time limit of a blocked caller has expired by the host's clock.
    var isLate = false
  }

  /// The handle of the call. An asynchronous call ends with its handle.
  let handle: ObjectIdentifier?
  /// The object of the call, if callers of several objects share the work.
  let scope: ObjectIdentifier?
  /// The result for a caller that allows no request, if the work cannot continue without one; nil for other callers.
  let withoutRequest: Result?
  private let signal: Signal?
  private let state: Guarded<State>

  init(
    _ way: Way, handle: ObjectIdentifier? = nil, scope: ObjectIdentifier? = nil, withoutRequest: Result? = nil
  ) {
    if case .blocked(let lock, _) = way { signal = lock.makeSignal() } else { signal = nil }
    self.handle = handle
    self.scope = scope
    self.withoutRequest = withoutRequest
    state = Guarded(State(way: way))
  }

  // MARK: The end

  /// Ends the wait with a result, and leaves the work. Has no effect after the end.
  func end(_ result: Result, _ locked: Locked) {
    leave(locked)
    finish(result, locked)
  }

  /// Ends the wait of an asynchronous caller when its time limit is over; -1 means no limit.
  func end(_ late: Result, afterMs limit: Int64, _ limits: TimeLimits, _ locked: Locked) {
    startLimit(limit, limits, locked) { waiter, locked in waiter.end(late, locked) }
  }

  /// Calls `expire` in a job when a time limit is over, unless the wait ends before; -1 means no limit.
  func startLimit(
    _ limit: Int64, _ limits: TimeLimits, _ locked: Locked,
    expire: @escaping @Sendable (Waiter, Locked) -> Void
  ) {
    guard limit >= 0, state[locked].way != nil else { return }
    let started = limits.enqueue(afterMs: limit, locked) { [weak self, lock = limits.runtime.lock] _ in
      lock.withLock { locked in if let self { expire(self, locked) } }
    }
    state[locked].limit = started
  }

  /// Removes the time limit of a wait that has ended.
  private func cancelLimit(_ locked: Locked) { exchange(&state[locked].limit, nil)?.cancel(locked) }

  /// Ends the wait of an asynchronous call without calling its callbacks. Returns objects to be released after
  /// unlocking. A blocked caller keeps waiting.
  func mute(_ locked: Locked) -> Any? {
    if case .blocked? = state[locked].way { return nil }
    leave(locked)
    cancelLimit(locked)
    return exchange(&state[locked].way, nil)
  }

  /// Returns the result of the work if it is certain, else nil.
  func decided(_ locked: Locked) -> Result? { state[locked].work?.callers.decided(locked) }

  /// Leaves the work, which ends if this was its last caller.
  func leave(_ locked: Locked) {
    if let work = exchange(&state[locked].work, nil) { work.callers.remove(work.number, locked) }
  }

  // MARK: For Waiters

  func join(_ work: Waiters<Progress, Result>, as number: Int, _ locked: Locked) {
    state[locked].work = (work, number)
  }

  /// Reports progress. Progress that the caller has not received yet is replaced.
  func report(_ progress: Progress, _ locked: Locked) {
    guard let way = state[locked].way, way.wantsProgress else { return }
    let isQueued = state.with(locked) { state in
      defer { (state.progress, state.isProgressNew) = (progress, true) }
      return state.isProgressNew
    }
    signal?.wakeAfterUnlock()
    guard case .listening(let listener, let delivery) = way, !isQueued else { return }
    delivery.enqueue(for: handle, locked) { [self] in
      if let progress = delivery.runtime.lock.withLock({ takeProgress($0) }) { listener.progress?(progress) }
    }
  }

  /// Ends the wait of a caller that the work has removed. Reports `last` first, if it was not reported before.
  func finish(_ result: Result, after last: Progress? = nil, _ locked: Locked) {
    cancelLimit(locked)
    if let last, state[locked].progress != last { report(last, locked) }
    let ended = state.with(locked) { state in
      defer { (state.way, state.work) = (nil, nil) }
      if case .blocked? = state.way {
        state.result = result
        // After a failure, no progress is reported, because the caller's own callback may have caused the failure.
        state.isProgressNew = state.isProgressNew && last != nil
      }
      return state.way
    }
    switch ended {
    case .blocked?: signal?.wakeAfterUnlock()
    case .listening(let listener, let delivery)?:
      let completion = listener.completion
      delivery.enqueue(for: handle, locked) { completion(result) }
    case .continuing(let continuation)?: continuation(result, locked)
    case .background?, nil: break
    }
  }

  private func takeProgress(_ locked: Locked) -> Progress? {
    state.with(locked) { state in
      defer { state.isProgressNew = false }
      return state.isProgressNew ? state.progress : nil
    }
  }

  // MARK: The blocked thread

  /// Starts the time limit of a blocked caller; -1 means no limit. Returns the machine's monotonic time until which
  /// `step` waits; nil if there is no limit, or if the host's clock ends it.
  func startLimit(_ limit: Int64, _ limits: TimeLimits, _ locked: Locked) -> Int64? {
    guard limit >= 0 else { return nil }
    let lock = limits.runtime.lock
    guard limits.clock != nil else { return lock.monotonicMs.addingClamped(limit) }
    startLimit(limit, limits, locked) { waiter, locked in
      waiter.state[locked].isLate = true
      waiter.signal?.wakeAfterUnlock()
    }
    return nil
  }

  /// Waits for progress, for the result, or until the monotonic time.
  func step(untilMonotonicMs deadline: Int64?, _ locked: Locked) -> Step {
    while true {
      if let progress = takeProgress(locked) { return .report(progress) }
      if let result = state[locked].result { return .end(result) }
      if state[locked].isLate { return .outOfTime }
      let isInTime = signal?.wait(untilMonotonicMs: deadline) ?? false
      if !isInTime, state[locked].result == nil { return .outOfTime }
    }
  }

  /// Waits for the result. When the time limit is over, calls `late`, which ends the wait; -1 means no limit.
  func wait(forMs limit: Int64, _ limits: TimeLimits, _ locked: Locked, late: () -> Void) -> Result {
    let deadline = startLimit(limit, limits, locked)
    while true {
      switch step(untilMonotonicMs: deadline, locked) {
      case .end(let result): return result
      case .outOfTime: late()
      case .report: continue
      }
    }
  }
}
