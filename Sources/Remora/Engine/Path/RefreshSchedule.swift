// SPDX-License-Identifier: Apache-2.0
//
// When a source is refreshed without being asked: by wall time, so that a machine that slept is late and not lost; and
// by the ledger, so that all processes over one directory make one request together.

/// What makes a source due.
enum Pace: Equatable, Sendable {
  /// About so many milliseconds since the last attempt.
  case interval(Int64)
  /// The expiry of what was fetched.
  case expiry(Lifetime)
}

/// The schedule of one source in this process.
package struct RefreshSchedule {
  /// The shortest interval that a host may ask for; no lifetime counts as shorter.
  package static let shortestMs: Int64 = 1000
  /// The longest wait after a first failure; doubled by each further one, up to the interval.
  private static let firstRetryMs: Int64 = 30_000
  /// No wait after a failure is shorter, unless the interval is.
  private static let shortestRetryMs: Int64 = 5000

  let pace: Pace
  /// Nothing is due before: hosts that start together, or were told to wait together, come one by one.
  private var notBeforeMs: Int64
  /// The last attempt of this schedule, for when the ledger's was noted under a clock that was ahead.
  private var lastMs: Int64 = 0
  /// The latest time that was seen.
  private var seenMs: Int64

  /// Begins: the first refresh by an interval comes after a random part of it.
  init(_ pace: Pace, nowMs: Int64, random: UInt32) {
    self.pace = pace
    seenMs = nowMs
    notBeforeMs = nowMs
    if case .interval(let ms) = pace { notBeforeMs = nowMs.addingClamped(part(random, of: ms)) }
  }

  /// Whether a refresh is due, of what was fetched at a time; 0 is never.
  func isDue(_ ledger: SourceLedger, fetchedAtMs: Int64 = 0, nowMs: Int64) -> Bool {
    guard nowMs >= notBeforeMs, let due = dueMs(ledger, fetchedAtMs, nowMs: nowMs) else { return false }
    return nowMs >= due
  }

  /// When it is due by what is known; nil is never.
  private func dueMs(_ ledger: SourceLedger, _ fetchedAtMs: Int64, nowMs: Int64) -> Int64? {
    let last = ledger.lastAttemptMs <= nowMs ? ledger.lastAttemptMs : lastMs
    switch pace {
    case .interval(let ms): return last.addingClamped(waitMs(ms, ledger.failures, ledger.jitter))
    case .expiry(let lifetime):
      let duration = ledger.durationMs(of: lifetime)
      // A seed was fetched by another program.
      let success = ledger.lastSuccessMs > 0 ? ledger.lastSuccessMs : fetchedAtMs
      // What is never fresh does not expire, and neither does what never came and was never asked for.
      guard duration > 0, success > 0 || ledger.failures > 0 else { return nil }
      let expiry = expiryMs(of: success, after: max(duration, Self.shortestMs), ledger.jitter, nowMs: nowMs)
      let isFailing = ledger.failures > 0
      let pause = isFailing ? retryMs(ledger.failures, ledger.jitter, upTo: Lifetime.silentMs) : Self.shortestMs
      return max(expiry, last.addingClamped(pause))
    }
  }

  /// The time from an attempt to the next: the second half of the interval has its place in it; after failures sooner.
  func waitMs(_ intervalMs: Int64, _ failures: UInt32, _ jitter: UInt32) -> Int64 {
    let half = intervalMs / 2
    guard failures > 0 else { return half + part(jitter, of: intervalMs - half) }
    return retryMs(failures, jitter, upTo: intervalMs)
  }

  /// The time from a failure to the next attempt.
  private func retryMs(_ failures: UInt32, _ jitter: UInt32, upTo mostMs: Int64) -> Int64 {
    let longest = min(mostMs, Self.firstRetryMs << Int64(min(failures - 1, 20)))
    return max(min(mostMs / 2, Self.shortestRetryMs), part(jitter, of: longest))
  }

  /// Notes an attempt.
  mutating func noteAttempt(nowMs: Int64) { lastMs = nowMs }

  /// Puts off what is due: for a time that is given, and a random part of the first retry's.
  mutating func postpone(byMs pause: Int64, nowMs: Int64, random: UInt32) {
    var longest = Self.firstRetryMs
    if case .interval(let ms) = pace { longest = min(longest, ms) }
    notBeforeMs = nowMs.addingClamped(pause).addingClamped(part(random, of: longest))
  }

  /// Puts off what could not begin.
  mutating func postpone(nowMs: Int64, random: UInt32) {
    var pause = Self.shortestRetryMs
    if case .interval(let ms) = pace { pause = ms / 2 }
    postpone(byMs: pause, nowMs: nowMs, random: random)
  }

  /// Begins anew when the clock was set back, so that nothing waits for the old time to come again.
  mutating func noteClock(nowMs: Int64, random: @Sendable () -> UInt32) {
    seenMs = max(seenMs, nowMs)
    // Less than a minute is waited for.
    guard nowMs < seenMs - 60_000 else { return }
    self = RefreshSchedule(pace, nowMs: nowMs, random: random())
  }
}

/// When a success has expired: behind the tenth of its time, at most 30 s, that hosts are spread over which fetched
/// together. A time that lies ahead was noted under a clock that was wrong.
private func expiryMs(of success: Int64, after durationMs: Int64, _ jitter: UInt32, nowMs: Int64) -> Int64 {
  guard success > 0, success <= nowMs else { return 0 }
  return success.addingClamped(durationMs).addingClamped(part(jitter, of: min(durationMs / 10, 30_000)))
}

/// A random part of a time, from nothing up to all of it.
private func part(_ random: UInt32, of span: Int64) -> Int64 { Int64(Double(span) * (Double(random) / 4_294_967_296)) }
