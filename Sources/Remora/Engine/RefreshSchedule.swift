// SPDX-License-Identifier: Apache-2.0
//
// When a source is refreshed without being asked: by wall time, so that a machine that slept is late and not lost; and
// by the ledger, so that all processes over one directory make one request together.

/// The schedule of one source in this process. Touched by jobs of the worker only.
package struct RefreshSchedule {
  /// The shortest interval that a host may ask for.
  package static let shortestMs: Int64 = 1000
  /// The longest wait after a first failure; doubled by each further one, up to the interval.
  private static let firstRetryMs: Int64 = 30_000
  /// No wait after a failure is shorter, unless the interval is.
  private static let shortestRetryMs: Int64 = 5000

  let intervalMs: Int64
  /// Nothing is due before: hosts that start together, or were told to wait together, come one by one.
  private var notBeforeMs: Int64
  /// The last attempt of this schedule, for when the ledger's was noted under a clock that was ahead.
  private var lastMs: Int64 = 0
  /// The latest time that was seen.
  private var seenMs: Int64

  /// Begins: the first refresh comes after a random part of the interval.
  init(everyMs intervalMs: Int64, nowMs: Int64, random: UInt32) {
    self.intervalMs = intervalMs
    seenMs = nowMs
    notBeforeMs = nowMs.addingClamped(part(random, of: intervalMs))
  }

  /// Whether a refresh is due.
  func isDue(_ ledger: SourceLedger, nowMs: Int64) -> Bool {
    let last = ledger.lastAttemptMs <= nowMs ? ledger.lastAttemptMs : lastMs
    return nowMs >= notBeforeMs && nowMs >= last.addingClamped(waitMs(ledger.failures, ledger.jitter))
  }

  /// The time from an attempt to the next: the second half of the interval has its place in it; after failures sooner.
  func waitMs(_ failures: UInt32, _ jitter: UInt32) -> Int64 {
    let half = intervalMs / 2
    guard failures > 0 else { return half + part(jitter, of: intervalMs - half) }
    let longest = min(intervalMs, Self.firstRetryMs << Int64(min(failures - 1, 20)))
    return max(min(half, Self.shortestRetryMs), part(jitter, of: longest))
  }

  /// Notes an attempt.
  mutating func noteAttempt(nowMs: Int64) { lastMs = nowMs }

  /// Puts off what is due: for a time that is given, and a random part of the first retry's.
  mutating func postpone(byMs pause: Int64, nowMs: Int64, random: UInt32) {
    let spread = part(random, of: min(intervalMs, Self.firstRetryMs))
    notBeforeMs = nowMs.addingClamped(pause).addingClamped(spread)
  }

  /// Begins anew when the clock was set back, so that nothing waits for the old time to come again.
  mutating func noteClock(nowMs: Int64, random: @Sendable () -> UInt32) {
    seenMs = max(seenMs, nowMs)
    // Less than a minute is waited for.
    guard nowMs < seenMs - 60_000 else { return }
    self = RefreshSchedule(everyMs: intervalMs, nowMs: nowMs, random: random())
  }
}

/// A random part of a time, from nothing up to all of it.
private func part(_ random: UInt32, of span: Int64) -> Int64 { Int64(Double(span) * (Double(random) / 4_294_967_296)) }
