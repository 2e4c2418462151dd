// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Remora

@Suite("The freshness of the last success")
struct FreshnessRuleTests {
  private static let now: Int64 = 1_750_000_000_000

  private func freshness(lastSuccessMs: Int64, limitMs: Int64?, nowMs: Int64 = now) -> Freshness {
    var ledger = SourceLedger()
    ledger.lastSuccessMs = lastSuccessMs
    return Freshness(of: ledger, limitMs: limitMs, nowMs: nowMs)
  }

  @Test("without a limit there is no freshness, and without a success it is never")
  func none() {
    #expect(freshness(lastSuccessMs: Self.now, limitMs: nil) == .none)
    #expect(freshness(lastSuccessMs: 0, limitMs: 1) == .never)
    #expect(freshness(lastSuccessMs: .min, limitMs: .max) == .never)
  }

  @Test("data is fresh until its last success is longer ago than the limit")
  func limit() {
    #expect(freshness(lastSuccessMs: Self.now, limitMs: 1) == .fresh)
    #expect(freshness(lastSuccessMs: Self.now - 90_000, limitMs: 90_000) == .fresh)
    #expect(freshness(lastSuccessMs: Self.now - 90_001, limitMs: 90_000) == .stale)
    #expect(freshness(lastSuccessMs: 1, limitMs: .max) == .fresh)
  }

  @Test("a success in the future is stale, except after a small correction of the clock")
  func future() {
    #expect(freshness(lastSuccessMs: Self.now + 60_000, limitMs: 90_000) == .fresh)
    #expect(freshness(lastSuccessMs: Self.now + 60_001, limitMs: 90_000) == .stale)
    #expect(freshness(lastSuccessMs: Self.now + 60_000, limitMs: 1) == .fresh)
    #expect(freshness(lastSuccessMs: .max, limitMs: .max, nowMs: 1) == .stale)
    #expect(freshness(lastSuccessMs: .max, limitMs: .max, nowMs: .min) == .stale)
  }
}
