// SPDX-License-Identifier: Apache-2.0
//
// The time for which fetched data counts as fresh: callers that wait for a fresh snapshot accept it without a request.
// Data that is no longer fresh stays live.

/// The time for which a successful refresh counts as fresh.
package enum Lifetime: Equatable, Sendable {
  /// Never fresh: waiting for a fresh snapshot always sends a request.
  case none
  /// As long as the server said, else an hour.
  case said
  case ms(Int64)

  /// The lifetime if the server states none.
  package static let silentMs: Int64 = 3_600_000
}

extension SourceLedger {
  /// Whether the last success is fresh. A time in the future was recorded with a wrong clock and does not count.
  func isFresh(for lifetime: Lifetime, nowMs: Int64) -> Bool {
    guard lastSuccessMs > 0, lastSuccessMs <= nowMs else { return false }
    return nowMs < lastSuccessMs.addingClamped(durationMs(of: lifetime))
  }

  /// Returns how long the last success counts as fresh; 0 means never.
  func durationMs(of lifetime: Lifetime) -> Int64 {
    switch lifetime {
    case .none: 0
    case .said: freshUntilMs > 0 ? max(0, freshUntilMs.addingClamped(-lastSuccessMs)) : Lifetime.silentMs
    case .ms(let duration): duration
    }
  }

  /// Returns the time after a success at which its data expires, for automatic refreshes; 0 means never. Data that was
  /// too old when it arrived expires after the lifetime that the server stated, not at once: the cache that sent it may
  /// send it again to each request.
  func expiryMs(of lifetime: Lifetime) -> Int64 {
    let duration = durationMs(of: lifetime)
    return duration == 0 && lifetime == .said ? maxAgeMs : duration
  }
}
