// SPDX-License-Identifier: Apache-2.0
//
// Times in words, for people.

/// Returns how long ago a time was, or how far ahead it is: "3 minutes ago", "in 2 days".
package func relativeText(_ timeMs: Int64, nowMs: Int64) -> String {
  let distance = nowMs.subtractingReportingOverflow(timeMs)
  let seconds = distance.overflow ? Int64.max : distance.partialValue / 1000
  let words = durationText(seconds: seconds.magnitude)
  return seconds < 0 ? "in \(words)" : "\(words) ago"
}

/// Returns a duration in its largest unit, rounded down: "90 seconds", "3 hours".
package func durationText(seconds: UInt64) -> String {
  let units: [(UInt64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
  // Below two of a unit, the smaller unit says more.
  let (size, unit) = units.first { seconds >= 2 * $0.0 } ?? (1, "second")
  let count = seconds / size
  return "\(count) \(unit)\(count == 1 ? "" : "s")"
}
