// SPDX-License-Identifier: Apache-2.0
//
// When a refresh is due: intervals with jitter, retries, and clocks that jump.

import Testing

@testable import Remora

@Suite("When the next automatic refresh of a source starts")
struct RefreshScheduleTests {
  private static let hour: Int64 = 3_600_000
  private static let now: Int64 = 1_700_000_000_000
  private let half = UInt32(1) << 31

  private func ledger(attempt: Int64, jitter: UInt32 = 0, failures: UInt32 = 0) -> SourceLedger {
    var ledger = SourceLedger()
    ledger.lastAttemptMs = attempt
    ledger.jitter = jitter
    ledger.failures = failures
    return ledger
  }

  /// When it becomes due, by halving.
  private func due(_ schedule: RefreshSchedule, _ ledger: SourceLedger) -> Int64 {
    var (low, high) = (Self.now, Self.now + 100 * Self.hour)
    while low < high {
      let middle = (low + high) / 2
      if schedule.isDue(ledger, nowMs: middle) { high = middle } else { low = middle + 1 }
    }
    return low - Self.now
  }

  @Test(
    "the first automatic refresh starts after a random part of the interval", arguments: [(0, 0), (1 << 31, 1_800_000)])
  func first(random: UInt32, expected: Int64) {
    let schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: random)
    #expect(due(schedule, SourceLedger()) == expected)
  }

  @Test("for every random number, the first automatic refresh starts before the interval has passed")
  func firstAtMost() {
    let schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: .max)
    #expect((3_599_998..<Self.hour).contains(due(schedule, SourceLedger())))
  }

  @Test("the next refresh starts between half an interval and one interval after the last attempt")
  func next() {
    let schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: 0)
    #expect(due(schedule, ledger(attempt: Self.now)) == Self.hour / 2)
    #expect(due(schedule, ledger(attempt: Self.now, jitter: half)) == Self.hour * 3 / 4)
    #expect(due(schedule, ledger(attempt: Self.now, jitter: .max)) <= Self.hour)
  }

  @Test("after a restart, the first refresh starts at a random time, but not earlier than planned before the restart")
  func start() {
    let schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: half)
    #expect(due(schedule, ledger(attempt: Self.now - 60_000)) == Self.hour / 2)
    #expect(due(schedule, ledger(attempt: Self.now - 60_000, jitter: half)) == Self.hour * 3 / 4 - 60_000)
  }

  @Test(
    "the delay before the next refresh increases with each failure, but never exceeds the interval",
    arguments: [(1, 60_000), (2, 120_000), (3, 240_000), (6, 1_920_000), (7, 3_600_000), (8, 3_600_000)]
      as [(UInt32, Int64)])
  func retries(failures: UInt32, longest: Int64) {
    let schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: 0)
    #expect(schedule.waitMs(Self.hour, failures, 0) == 5000)
    #expect(schedule.waitMs(Self.hour, failures, half) == longest / 2)
    #expect((longest - 2...longest).contains(schedule.waitMs(Self.hour, failures, .max)))
    #expect(schedule.waitMs(Self.hour, .max, .max) <= Self.hour)
  }

  @Test("the delay before a retry is never longer than the interval")
  func short() {
    let schedule = RefreshSchedule(.interval(RefreshSchedule.shortestMs), nowMs: Self.now, random: 0)
    #expect(schedule.waitMs(RefreshSchedule.shortestMs, 1, 0) == 500)
    #expect(schedule.waitMs(RefreshSchedule.shortestMs, 5, .max) <= 1000)
  }

  @Test("if the server requests a backoff, the next refresh starts a random delay after the backoff has ended")
  func postponed() {
    var schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: 0)
    schedule.postpone(byMs: 60_000, nowMs: Self.now, random: 0)
    #expect(due(schedule, SourceLedger()) == 60_000)
    schedule.postpone(byMs: 60_000, nowMs: Self.now, random: half)
    #expect(due(schedule, SourceLedger()) == 210_000)
  }

  @Test("the random delay after a backoff is at most the interval")
  func postponedBriefly() {
    var schedule = RefreshSchedule(.interval(20_000), nowMs: Self.now, random: 0)
    schedule.postpone(byMs: 60_000, nowMs: Self.now, random: half)
    #expect(due(schedule, SourceLedger()) == 70_000)
  }

  @Test("after the system clock was set back by days, the interval starts again from the new time")
  func clockSetBack() {
    var schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now + 400 * Self.hour, random: 0)
    let half = half
    schedule.noteClock(nowMs: Self.now, random: { half })
    #expect(due(schedule, ledger(attempt: Self.now + 400 * Self.hour)) == Self.hour / 2)
    schedule.noteAttempt(nowMs: Self.now + Self.hour / 2)
    #expect(due(schedule, ledger(attempt: Self.now + 400 * Self.hour)) == Self.hour)
  }

  @Test("setting the system clock back by less than a minute does not change the time of the next refresh")
  func clockStepsBack() {
    var schedule = RefreshSchedule(.interval(Self.hour), nowMs: Self.now, random: 0)
    schedule.noteClock(nowMs: Self.now - 59_000, random: { .max })
    #expect(due(schedule, SourceLedger()) == 0)
  }

  @Test("the longest possible interval causes no overflow")
  func longest() {
    var schedule = RefreshSchedule(.interval(.max), nowMs: Self.now, random: .max)
    #expect(!schedule.isDue(ledger(attempt: Self.now, jitter: .max), nowMs: Self.now))
    schedule.postpone(byMs: .max, nowMs: Self.now, random: .max)
    #expect(!schedule.isDue(SourceLedger(), nowMs: Self.now + Self.hour))
  }

  @Test(
    "the random delay before expired settings are refreshed is at most 30 s and at most a tenth of their lifetime",
    arguments: [
      (0, 1_000_000, 1_000_000), (1 << 31, 100_000, 105_000), (1 << 31, 1_000_000, 1_015_000), (0, 1, 1000),
    ] as [(UInt32, Int64, Int64)])
  func expiry(jitter: UInt32, lifetime: Int64, expected: Int64) {
    let schedule = RefreshSchedule(.expiry(.ms(lifetime)), nowMs: Self.now, random: .max)
    var ledger = ledger(attempt: Self.now, jitter: jitter)
    ledger.lastSuccessMs = Self.now
    #expect(due(schedule, ledger) == expected)
  }

  @Test("after a failed refresh, expired settings are requested after a delay, and unexpired ones when they expire")
  func failedExpiry() {
    let schedule = RefreshSchedule(.expiry(.ms(Self.hour)), nowMs: Self.now, random: 0)
    var failed = ledger(attempt: Self.now, jitter: half, failures: 2)
    failed.lastSuccessMs = Self.now - 2 * Self.hour
    #expect(due(schedule, failed) == 60_000)
    failed.failures = .max
    #expect(due(schedule, failed) == Self.hour / 2)
    failed.jitter = 0
    failed.lastSuccessMs = Self.now - 1000
    #expect(due(schedule, failed) == Self.hour - 1000)
  }

  @Test("after an attempt whose version was refused as rejected, expired settings are requested after a delay")
  func rejectedExpiry() {
    let schedule = RefreshSchedule(.expiry(.ms(4000)), nowMs: Self.now, random: 0)
    var ledger = ledger(attempt: Self.now, jitter: half)
    ledger.lastSuccessMs = Self.now - Self.hour
    #expect(due(schedule, ledger) == 30_000)
    ledger.jitter = 0
    #expect(due(schedule, ledger) == 5000)
  }

  @Test("settings that never expire or were never fetched are not refreshed automatically")
  func neverExpires() {
    var ledger = ledger(attempt: Self.now)
    #expect(!isDueEver(.said, ledger))
    ledger.lastSuccessMs = Self.now
    #expect(isDueEver(.said, ledger))
    #expect(!isDueEver(.none, ledger))
    #expect(!isDueEver(.ms(.max), ledger))
    ledger.freshUntilMs = Self.now
    #expect(!isDueEver(.said, ledger))
  }

  private func isDueEver(_ lifetime: Lifetime, _ ledger: SourceLedger) -> Bool {
    RefreshSchedule(.expiry(lifetime), nowMs: Self.now, random: 0).isDue(ledger, nowMs: Self.now + 1000 * dayMs)
  }
}
