// SPDX-License-Identifier: Apache-2.0
//
// How long what was fetched counts as fresh: who waits for a fresh snapshot meanwhile has it already. What is no longer
// fresh is as live as before.

/// How long a success counts as fresh.
package enum Lifetime: Equatable, Sendable {
  /// Not at all: who waits asks the server.
  case none
  /// As long as the server said, or else an hour.
  case said
  case ms(Int64)

  /// What holds when the server says nothing.
  package static let silentMs: Int64 = 3_600_000
}

extension SourceLedger {
  /// Whether the last success is fresh. A time that lies ahead was noted under a clock that was wrong.
  func isFresh(for lifetime: Lifetime, nowMs: Int64) -> Bool {
    guard lastSuccessMs > 0, lastSuccessMs <= nowMs else { return false }
    return nowMs < lastSuccessMs.addingClamped(durationMs(of: lifetime))
  }

  /// How long the last success counts as fresh; 0 is not at all.
  func durationMs(of lifetime: Lifetime) -> Int64 {
    switch lifetime {
    case .none: 0
    case .said: freshUntilMs > 0 ? max(0, freshUntilMs.addingClamped(-lastSuccessMs)) : Lifetime.silentMs
    case .ms(let duration): duration
    }
  }
}
