// SPDX-License-Identifier: Apache-2.0
//
// The Gregorian calendar, extended to the years before its introduction.

/// A day of the calendar in a year from 0 to 9999, with months and days from 1.
package struct CivilDate {
  /// The number of days since 1970-01-01; negative for earlier dates.
  package let daysSince1970: Int

  /// Creates a date; nil if the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    // Years that begin in March, so that the leap day is the last one, and 400 years later, so that none is negative.
    let (shifted, months) = month > 2 ? (year &+ 400, month &- 3) : (year &+ 399, month &+ 9)
    let dayOfYear = (153 &* months &+ 2) / 5 &+ day &- 1
    daysSince1970 = shifted &* 365 &+ shifted / 4 &- shifted / 100 &+ shifted / 400 &+ dayOfYear &- 865_565
  }
}

private func length(ofMonth month: Int, in year: Int) -> Int {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}
