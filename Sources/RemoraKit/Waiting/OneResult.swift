// SPDX-License-Identifier: Apache-2.0
//
// One result for one task that waits for it.

internal import Synchronization

/// A result that is set once, and that one task waits for.
final class OneResult<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case awaited(CheckedContinuation<Value, Never>)
    case set(Value)
    case taken
  }

  private let state = Mutex(State.empty)

  /// Sets the result, and resumes the task that waits for it. Has no effect if a result was set before.
  func set(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .empty: state = .set(value)
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .set, .taken: break
      }
      return nil
    }
    waiting?.resume(returning: value)
  }

  /// Waits for the result. Called once.
  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let present = state.withLock { state -> Value? in
        guard case .set(let value) = state else {
          state = .awaited(continuation)
          return nil
        }
        state = .taken
        return value
      }
      if let present { continuation.resume(returning: present) }
    }
  }
}
