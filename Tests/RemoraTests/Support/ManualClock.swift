// SPDX-License-Identifier: Apache-2.0
//
// A wall clock that a test sets, and that can tell when the library looks at it.

@testable import Remora

/// The instant at which the engine's tests begin. The system's own: files carry its time, and the store compares them
/// with the clock.
enum TestTime {
  /// Seconds since 1970.
  static let now = Int(SystemClock().nowMs / 1000)
  static let nowMs = Int64(now) * 1000
}

/// Stands still until it is moved.
final class ManualClock: Clock {
  private struct State {
    var nowMs: Int64
    var onLook: (@Sendable () -> Void)?
  }

  private let state: Box<State>

  init(_ nowMs: Int64 = TestTime.nowMs) { state = Box(State(nowMs: nowMs)) }

  var nowMs: Int64 {
    let onLook = state.update { state in
      defer { state.onLook = nil }
      return state.onLook
    }
    onLook?()
    return state.read(\.nowMs)
  }

  func set(_ nowMs: Int64) { state.update { $0.nowMs = nowMs } }

  func advance(byMs span: Int64) { state.update { $0.nowMs += span } }

  /// Calls `body` once, at the next look, on the thread that looks.
  func atNextLook(_ body: @escaping @Sendable () -> Void) { state.update { $0.onLook = body } }
}
