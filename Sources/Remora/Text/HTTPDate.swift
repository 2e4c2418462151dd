// SPDX-License-Identifier: Apache-2.0
//
// Parses the three date forms of RFC 9110 section 5.6.7 to milliseconds since 1970.
// Invariant: any text results in a time or nil; every number is bounded by its digits before it is used.

/// Parses "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" or "Sun Nov  6 08:49:37 1994".
///
/// A two-digit year means the one that is at most 50 years after `nowMs`, as the RFC requires. The name of the day is
/// not compared with the date.
package func parseHTTPDate(_ text: String, nowMs: Int64) -> Int64? {
  let words = text.split(separator: " ", omittingEmptySubsequences: true)
  switch words.count {
  case 6:  // IMF-fixdate
    guard isDay(words[0].dropLast(), short: true), words[0].last == ",", words[5] == "GMT" else { return nil }
    return milliseconds(
      day: number(words[1], digits: 2), month: month(words[2]), year: number(words[3], digits: 4), time: words[4])
  case 4:  // RFC 850
    guard isDay(words[0].dropLast(), short: false), words[0].last == ",", words[3] == "GMT" else { return nil }
    let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, let short = number(date[2], digits: 2) else { return nil }
    let latest = min(9999, civilYear(ofMs: nowMs) + 50)
    let year = latest - (latest - short) % 100
    return milliseconds(day: number(date[0], digits: 2), month: month(date[1]), year: year, time: words[2])
  case 5:  // asctime
    guard isDay(words[0], short: true) else { return nil }
    let day = number(words[2], digits: words[2].utf8.count == 1 ? 1 : 2)
    return milliseconds(day: day, month: month(words[1]), year: number(words[4], digits: 4), time: words[3])
  default:
    return nil
  }
}

private let months: [Substring] = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]
private let days: [Substring] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

private func isDay(_ text: Substring, short: Bool) -> Bool {
  days.contains { (short ? $0.prefix(3) : $0) == text }
}

private func month(_ text: Substring) -> Int? {
  months.firstIndex(of: text).map { $0 + 1 }
}

/// Parses a number of exactly `digits` digits, at most four.
private func number(_ text: Substring, digits: Int) -> Int? {
  guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
  return Int(text)
}

private func milliseconds(day: Int?, month: Int?, year: Int?, time: Substring) -> Int64? {
  let clock = time.split(separator: ":", omittingEmptySubsequences: false)
  guard let day, let month, let year, clock.count == 3,
    let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
    let second = number(clock[2], digits: 2),
    hour < 24, minute < 60, second <= 60,  // 60 is a leap second
    year >= 1601, let date = CivilDate(year: year, month: month, day: day)
  else { return nil }
  return (Int64(date.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1000
}

/// Returns the calendar year of a wall time, clamped to 1970 to 9999.
private func civilYear(ofMs ms: Int64) -> Int {
  let days = Int(max(0, ms) / 86_400_000)
  var year = min(9999, 1970 + days / 365)
  while year > 1970, let first = CivilDate(year: year, month: 1, day: 1), first.daysSince1970 > days { year -= 1 }
  return year
}
