// SPDX-License-Identifier: Apache-2.0
//
// The calendar, and the dates of HTTP headers. The ISO 8601 dates of filters are in `FilterTransformTests`.

import Testing

@testable import Remora

/// 2026-11-20T12:00:00Z, a Friday.
private let noon: Int64 = 1_795_176_000_000

@Suite("Dates")
struct CivilDateTests {
  @Test("the days of the years 0 to 9999 are numbered consecutively, and no other day is accepted")
  func consecutive() {
    var numbers: [Int] = []
    for year in -1...10_000 {
      for month in -1...14 {
        for day in -1...33 {
          if let date = CivilDate(year: year, month: month, day: day) { numbers.append(date.daysSince1970) }
        }
      }
    }
    #expect(numbers.elementsEqual(-719_528...2_932_896))
    #expect(CivilDate(year: 1970, month: 1, day: 1)?.daysSince1970 == 0)
  }
}

@Suite("Dates in HTTP headers")
struct HTTPDateTests {
  @Test(
    "the three date formats of RFC 9110 are parsed",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777_000),
      ("Sun Nov  6 08:49:37 1994", 784_111_777_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1000), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000_000),
      ("Fri, 20 Nov 2026 12:00:00 GMT", noon), ("Fri Nov 20 12:00:00 2026", noon),
      ("Friday, 20-Nov-26 12:00:00 GMT", noon), ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_800_000),
      ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800_000), ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400_000),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400_000), ("Tue, 01 Mar 1904 00:00:00 GMT", -2_077_660_800_000),
    ])
  func reads(text: String, ms: Int64) {
    #expect(parseHTTPDate(text, nowMs: noon) == ms)
  }

  @Test(
    "a text in none of the three date formats of RFC 9110, or with an impossible date or time, is not an HTTP date",
    arguments: [
      "", " ", "0", "now", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT",
      "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06/Nov/94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
      "Sun Nov 6 08:49:37 94", "Sun Nov 100 08:49:37 1994", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
  func refuses(text: String) {
    #expect(parseHTTPDate(text, nowMs: noon) == nil)
  }

  @Test(
    "an HTTP date with a two-digit year is parsed without a crash, whatever the current time",
    arguments: [Int64.min, -1, 0, Int64.max])
  func anyNow(nowMs: Int64) {
    #expect(parseHTTPDate("Sunday, 06-Nov-94 08:49:37 GMT", nowMs: nowMs) != nil)
  }
}
