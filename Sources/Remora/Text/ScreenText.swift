// SPDX-License-Identifier: Apache-2.0
//
// Texts for people: times in words, and lines of a width.

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

/// Breaks a text into lines of so many columns, at spaces where possible.
package func folded(_ text: String, to columns: Int) -> [String] {
  var lines = [""]
  for word in text.split(separator: " ") {
    let last = lines.count - 1
    if lines[last].isEmpty {
      lines[last] = String(word)
    } else if lines[last].count + 1 + word.count <= columns {
      lines[last] += " \(word)"
    } else {
      lines.append(String(word))
    }
  }
  return lines
}
