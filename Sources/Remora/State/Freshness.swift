// SPDX-License-Identifier: Apache-2.0
//
// Whether the last successful refresh is recent enough for the host.

/// The freshness of a source; raw values are those of the C header.
package enum Freshness: Int32, Sendable {
  /// The host has set no limit, or the source has no server.
  case none = 0
  /// No refresh has succeeded.
  case never
  case fresh
  case stale
}

extension Freshness {
  /// A success may be so far in the future, as when the clock was corrected since. Older errors of the clock make data
  /// stale, so that a clock that was ahead for a moment does not keep data fresh until that time.
  private static let mostAheadMs: Int64 = 60_000

  /// Judges the last success of any process.
  ///
  /// - Parameter limitMs: The greatest age of fresh data; nil means no limit.
  package init(of ledger: SourceLedger, limitMs: Int64?, nowMs: Int64) {
    guard let limitMs else {
      self = .none
      return
    }
    guard ledger.lastSuccessMs > 0 else {
      self = .never
      return
    }
    let (age, isOverflow) = nowMs.subtractingReportingOverflow(ledger.lastSuccessMs)
    self = !isOverflow && age <= limitMs && age >= -Self.mostAheadMs ? .fresh : .stale
  }
}

/// The freshness before and at an event; the same unless the event reports a transition.
package struct FreshnessChange: Equatable, Sendable {
  package let old: Freshness
  package let new: Freshness

  package init(_ old: Freshness, _ new: Freshness) { (self.old, self.new) = (old, new) }
}
