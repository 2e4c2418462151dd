// SPDX-License-Identifier: Apache-2.0
//
// The schedule of automatic refreshes. It uses wall time, so that a machine that slept refreshes when it wakes, and the
// ledger, so that all processes over one directory send one request together.

/// The condition under which a source is due.
enum Pace: Equatable, Sendable {
  /// About this many milliseconds since the last attempt.
  case interval(Int64)
  case expiry(Lifetime)
}

package struct RefreshSchedule {
  /// The minimum interval; lifetimes are extended to it.
  package static let shortestMs: Int64 = 1000
  /// The maximum wait after a first failure; doubled by each further failure, up to the interval.
  private static let firstRetryMs: Int64 = 60_000
  /// The maximum random delay after a backoff, unless the interval is shorter. It spreads hosts whose backoff ends at
  /// the same time.
  package static let longestSpreadMs: Int64 = 300_000
  /// The minimum wait after a failure, unless the interval is shorter.
  package static let shortestRetryMs: Int64 = 5000

  let pace: Pace
  /// Nothing is due before this time: it spreads hosts that start together or back off together.
  private var notBeforeMs: Int64
  /// The last attempt of this schedule; used if the ledger's was recorded by a clock that was ahead.
  private var lastMs: Int64 = 0
  /// The latest time that was observed, to notice that the clock was set back.
  private var seenMs: Int64

  /// Creates a schedule; with an interval, the first refresh is due after a random part of it.
  init(_ pace: Pace, nowMs: Int64, random: UInt32) {
    self.pace = pace
    seenMs = nowMs
    notBeforeMs = nowMs
    if case .interval(let ms) = pace { notBeforeMs = nowMs.addingClamped(part(random, of: ms)) }
  }

  /// Whether a refresh of data that was fetched at `fetchedAtMs` is due; 0 means never fetched.
  func isDue(_ ledger: SourceLedger, fetchedAtMs: Int64 = 0, nowMs: Int64) -> Bool {
    guard nowMs >= notBeforeMs, let due = dueMs(ledger, fetchedAtMs, nowMs: nowMs) else { return false }
    return nowMs >= due
  }

  /// Returns the time at which a refresh is due; nil means never.
  private func dueMs(_ ledger: SourceLedger, _ fetchedAtMs: Int64, nowMs: Int64) -> Int64? {
    let last = ledger.lastAttemptMs <= nowMs ? ledger.lastAttemptMs : lastMs
    switch pace {
    case .interval(let ms): return last.addingClamped(waitMs(ms, ledger.failures, ledger.jitter))
    case .expiry(let lifetime):
      let duration = ledger.expiryMs(of: lifetime)
      // A seed was fetched by another program, so the ledger has no success.
      let success = ledger.lastSuccessMs > 0 ? ledger.lastSuccessMs : fetchedAtMs
      // Data that is never fresh does not expire, and neither does data that was never fetched or requested.
      guard duration > 0, success > 0 || ledger.failures > 0 else { return nil }
      let expiry = expiryMs(of: success, after: max(duration, Self.shortestMs), ledger.jitter, nowMs: nowMs)
      // An attempt after the last success that did not fail, such as one whose version was rejected, delays the next
      // one like a failure.
      let failures = max(ledger.failures, ledger.lastAttemptMs > success ? 1 : 0)
      let pause = failures > 0 ? retryMs(failures, ledger.jitter, upTo: Lifetime.silentMs) : Self.shortestMs
      return max(expiry, last.addingClamped(pause))
    }
  }

  /// Returns the wait after an attempt: a random time in the second half of the interval, or less after failures.
  func waitMs(_ intervalMs: Int64, _ failures: UInt32, _ jitter: UInt32) -> Int64 {
    let half = intervalMs / 2
    guard failures > 0 else { return half + part(jitter, of: intervalMs - half) }
    return retryMs(failures, jitter, upTo: intervalMs)
  }

  /// Returns the maximum wait after at least one failure, if the interval is not shorter.
  package static func longestRetryMs(afterFailures failures: UInt32) -> Int64 {
    firstRetryMs << Int64(min(failures - 1, 20))
  }

  /// Returns the wait after a failure.
  private func retryMs(_ failures: UInt32, _ jitter: UInt32, upTo mostMs: Int64) -> Int64 {
    let longest = min(mostMs, Self.longestRetryMs(afterFailures: failures))
    return max(min(mostMs / 2, Self.shortestRetryMs), part(jitter, of: longest))
  }

  mutating func noteAttempt(nowMs: Int64) { lastMs = nowMs }

  /// Postpones what is due: by `pause`, and a random delay.
  mutating func postpone(byMs pause: Int64, nowMs: Int64, random: UInt32) {
    let longest =
      switch pace {
      case .interval(let ms): min(ms, Self.longestSpreadMs)
      case .expiry: Self.firstRetryMs
      }
    notBeforeMs = nowMs.addingClamped(pause).addingClamped(part(random, of: longest))
  }

  /// Postpones what is due for a short time, after which the condition is checked again.
  mutating func hold(nowMs: Int64) { notBeforeMs = nowMs.addingClamped(Self.shortestRetryMs) }

  /// Postpones a refresh that could not begin.
  mutating func postpone(nowMs: Int64, random: UInt32) {
    var pause = Self.shortestRetryMs
    if case .interval(let ms) = pace { pause = ms / 2 }
    postpone(byMs: pause, nowMs: nowMs, random: random)
  }

  /// Restarts the schedule if the clock was set back, so that nothing waits for the old time.
  mutating func noteClock(nowMs: Int64, random: @Sendable () -> UInt32) {
    seenMs = max(seenMs, nowMs)
    // A smaller correction only causes a wait of less than a minute.
    guard nowMs < seenMs - 60_000 else { return }
    self = RefreshSchedule(pace, nowMs: nowMs, random: random())
  }
}

/// Returns the time at which a success expires. A random delay of up to a tenth of the lifetime, at most 30 s, spreads
/// hosts that fetched together. A time in the future was recorded with a wrong clock, and counts as expired.
private func expiryMs(of success: Int64, after durationMs: Int64, _ jitter: UInt32, nowMs: Int64) -> Int64 {
  guard success > 0, success <= nowMs else { return 0 }
  return success.addingClamped(durationMs).addingClamped(part(jitter, of: min(durationMs / 10, 30_000)))
}

/// Returns a random part of a time, between 0 and all of it.
private func part(_ random: UInt32, of span: Int64) -> Int64 { Int64(Double(span) * (Double(random) / 4_294_967_296)) }

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

  /// Creates the lifetime from a duration of the C header: 0 means as the server said, a negative number means none.
  package init(option ms: Int64) { self = ms < 0 ? .none : ms == 0 ? .said : .ms(ms) }
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
