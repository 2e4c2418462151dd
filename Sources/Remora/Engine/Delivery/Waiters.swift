// SPDX-License-Identifier: Apache-2.0
//
// The callers of one piece of work: they join it, leave it, and receive its progress and its result.

/// The callers of one piece of work. The work ends early when the last of them leaves.
package final class Waiters<Progress: Equatable & Sendable, Result: Sendable>: Sendable {
  typealias Caller = Waiter<Progress, Result>

  private struct State {
    /// The callers by the order in which they joined, so that each can leave without a search.
    var numbered: [Int: Caller] = [:]
    var lastNumber = 0
    var decided: Result?
    var abandon: ((Locked) -> Void)?

    /// The callers in the order in which they joined.
    var callers: [Caller] { numbered.sorted { $0.key < $1.key }.map(\.value) }
  }

  private let state = Guarded(State())

  /// Sets the function that is called when the last caller leaves before the result is certain.
  func onAbandoned(_ locked: Locked, _ abandon: @escaping (Locked) -> Void) {
    state[locked].abandon = abandon
  }

  func add(_ caller: Caller, _ locked: Locked) {
    let number = state.with(locked) { state in
      state.lastNumber += 1
      state.numbered[state.lastNumber] = caller
      return state.lastNumber
    }
    caller.join(self, as: number, locked)
  }

  /// Whether every caller accepts an end without a request.
  func acceptNoRequest(_ locked: Locked) -> Bool {
    state[locked].numbered.values.allSatisfy { $0.withoutRequest != nil }
  }

  /// Makes the result certain, because it is visible to others already. Waits that end early return it too.
  func decide(_ result: Result, _ locked: Locked) { state[locked].decided = result }

  /// Returns the result if it is certain, else nil.
  func decided(_ locked: Locked) -> Result? { state[locked].decided }

  func report(_ progress: Progress, _ locked: Locked) {
    for caller in state[locked].callers { caller.report(progress, locked) }
  }

  /// Ends the work with a result, after a last progress report. Returns the callers, to be released after unlocking.
  func finish(_ result: Result, after last: Progress? = nil, _ locked: Locked) -> [Caller] {
    let callers = takeAll(locked)
    for caller in callers { caller.finish(result, after: last, locked) }
    return callers
  }

  /// Ends the waits of the callers for which `result` returns a value. If the result of the work is certain, they
  /// receive that result instead. Returns these callers, to be released after unlocking.
  @discardableResult
  func end(_ locked: Locked, _ result: (Caller) -> Result?) -> [Caller] {
    let ends = state[locked].callers.compactMap { caller in result(caller).map { (caller, $0) } }
    let decided = decided(locked)
    for (caller, _) in ends { caller.leave(locked) }
    for (caller, result) in ends { caller.finish(decided ?? result, locked) }
    return ends.map(\.0)
  }

  /// Ends the asynchronous calls of a handle without calling their callbacks. Returns objects to be released after
  /// unlocking.
  func mute(of handle: ObjectIdentifier, _ locked: Locked) -> [Any] {
    state[locked].callers.filter { $0.handle == handle }.map { $0.mute(locked) as Any }
  }

  /// Called after a fork, in the child: the callers belong to the parent.
  func resumeChild(_ locked: Locked) { leak(takeAll(locked)) }

  private func takeAll(_ locked: Locked) -> [Caller] {
    let callers = state[locked].callers
    state[locked].numbered = [:]
    return callers
  }

  /// Removes the caller with a number. Ends the work if it was the last one.
  func remove(_ number: Int, _ locked: Locked) {
    let abandon = state.with(locked) { state -> ((Locked) -> Void)? in
      let isAbandoned = state.numbered.removeValue(forKey: number) != nil && state.numbered.isEmpty
      return isAbandoned && state.decided == nil ? state.abandon : nil
    }
    abandon?(locked)
  }
}
