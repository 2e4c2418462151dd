// SPDX-License-Identifier: Apache-2.0
//
// The two clocks of the core: wall time decides validity and freshness; monotonic time ends waits. Both can be
// replaced.

internal import Glibc

/// The source of wall time. Tests provide their own.
package protocol Clock: Sendable {
  /// The time in milliseconds since 1970.
  var nowMs: Int64 { get }
}

/// The machine's wall clock.
package struct SystemClock: Clock {
  package init() {}
  package var nowMs: Int64 { milliseconds(of: CLOCK_REALTIME) }
}

/// Returns the milliseconds of a clock that never goes back; for time limits only.
package func monotonicMs() -> Int64 { milliseconds(of: CLOCK_MONOTONIC) }

/// The monotonic time of a process, and how its threads wait. A simulation provides its own.
package struct ProcessTime: Sendable {
  package var monotonicMs: @Sendable () -> Int64 = { Remora.monotonicMs() }
  /// Replaces waiting for a condition variable: returns when something may have changed, or at the monotonic time.
  /// Returns whether time is left. If nil, threads wait for the condition variable.
  package var wait: (@Sendable (_ untilMonotonicMs: Int64?) -> Bool)?

  package init() {}
}

private func milliseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
}

/// A day in milliseconds.
package let dayMs: Int64 = 24 * 3600 * 1000

extension Int64 {
  /// Returns the sum, clamped to the range of the type, so that an unlimited time stays unlimited.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
