// SPDX-License-Identifier: Apache-2.0
//
// A wall clock that a test sets, and that can tell when the library looks at it.

@testable import Remora

/// Stands still until it is moved.
final class ManualClock: Clock {
  private struct State {
    var nowMs: Int64
    var onLook: (@Sendable () -> Void)?
  }

  private let state: Box<State>

  /// Starts in the middle of the life of the usual `TestChain`.
  init(_ nowMs: Int64 = Int64(TestChain.now) * 1000) { state = Box(State(nowMs: nowMs)) }

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
