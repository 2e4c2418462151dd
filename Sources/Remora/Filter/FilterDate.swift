// SPDX-License-Identifier: Apache-2.0
//
// Parses ISO 8601 dates as JavaScript does: "2016", "2016-03", "2016-03-22", with "T10:20", seconds, a fraction and a
// zone. Without a zone the date is UTC, so that every machine shows the same records.

/// Returns milliseconds since 1970; nil if the text is not such a date.
package func parseISODate(_ text: [UInt8]) -> Double? {
  var reader = DateReader(rest: text[...])
  guard let year = reader.digits(4) else { return nil }
  var (month, day) = (1, 1)
  if reader.take("-") {
    guard let given = reader.digits(2) else { return nil }
    month = given
    if reader.take("-") {
      guard let given = reader.digits(2) else { return nil }
      day = given
    }
  }
  guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
  var milliseconds = Double(date.daysSince1970) * 86_400_000
  if reader.take("T") || reader.take("t") || reader.take(" ") {
    guard let time = reader.time(), let zone = reader.zone() else { return nil }
    milliseconds += time - zone
  }
  return reader.rest.isEmpty ? milliseconds : nil
}

/// The rest of a date's text.
private struct DateReader {
  var rest: ArraySlice<UInt8>

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Parses a number of exactly `count` digits.
  mutating func digits(_ count: Int) -> Int? {
    guard rest.count >= count else { return nil }
    var number = 0
    for byte in rest.prefix(count) {
      guard byte.isDecimalDigit else { return nil }
      number = number &* 10 &+ Int(byte &- UInt8(ascii: "0"))
    }
    rest = rest.dropFirst(count)
    return number
  }

  /// Parses a time to the minute or finer; returns milliseconds since midnight. 24:00 is the end of the day.
  mutating func time() -> Double? {
    guard let hour = digits(2), take(":"), let minute = digits(2), hour <= 24, minute < 60 else { return nil }
    var milliseconds = Double((hour &* 60 &+ minute) &* 60_000)
    if take(":") {
      guard let second = digits(2), second < 60 else { return nil }
      milliseconds += Double(second &* 1000)
      if take(".") {
        var scale = 100.0
        guard let first = digits(1) else { return nil }
        milliseconds += Double(first) * scale
        while let next = digits(1) {
          scale /= 10
          if scale >= 1 { milliseconds += Double(next) * scale }
        }
      }
    }
    return milliseconds <= 86_400_000 ? milliseconds : nil
  }

  /// Parses a zone; returns its milliseconds ahead of UTC, 0 if there is none.
  mutating func zone() -> Double? {
    if rest.isEmpty || take("Z") || take("z") { return 0 }
    let isAhead = take("+")
    guard isAhead || take("-") else { return nil }
    guard let hour = digits(2), take(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
    return Double((hour &* 60 &+ minute) &* 60_000) * (isAhead ? 1 : -1)
  }
}
