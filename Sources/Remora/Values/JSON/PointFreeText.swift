// SPDX-License-Identifier: Apache-2.0
//
// A JSON text whose numbers have no decimal points: 12.5 is written as 125e-1. jansson reads a point through the
// process-wide locale (localeconv, strtod), and aborts the process if another thread changes the locale meanwhile.
// Invariant: the numbers have the same values as before, and the rest of the text has the same bytes.

/// The text of one JSON value, for jansson.
struct PointFreeText: ~Copyable {
  private let original: UnsafeRawBufferPointer
  private let hasPoint: Bool
  private var rewritten = ByteBuffer()

  /// Rewrites a text, which outlives this value and need not be valid JSON. A number that jansson would refuse is not
  /// changed.
  ///
  /// - Parameter hasPoint: Whether the text contains a point outside strings. Without one, it is used as it is.
  /// - Throws: `.unavailable`, `.tooLarge`.
  init(_ text: UnsafeRawBufferPointer, hasPoint: Bool) throws(RemoraError) {
    original = text
    self.hasPoint = hasPoint
    if hasPoint { _ = try rewrite(upTo: .max) }
  }

  /// The text without points.
  var bytes: UnsafeRawBufferPointer { hasPoint ? rewritten.bytes : original }

  /// Returns the position in the original text that corresponds to a position in `bytes`, which are not valid
  /// afterwards.
  mutating func originalPosition(of position: Int) -> Int {
    guard hasPoint, position < rewritten.count else { return hasPoint ? original.count : position }
    // A part of the text is written again. It fits into the memory, so this cannot fail.
    rewritten.removeAll()
    return (try? rewrite(upTo: position)) ?? original.count
  }

  /// Rewrites the text until the result has `limit` bytes. Returns the position that was reached.
  private mutating func rewrite(upTo limit: Int) throws(RemoraError) -> Int {
    let text = original
    var index = 0
    while index < text.count, rewritten.count < limit {
      let byte = text[index]
      if let number = Decimal(text, at: index) {
        try append(number)
        index = number.end
      } else if byte == UInt8(ascii: "\"") {
        let end = min(text.count, endOfString(text, from: index &+ 1) &+ 1)
        let length = min(end &- index, limit &- rewritten.count)
        try rewritten.append(UnsafeRawBufferPointer(rebasing: text[index..<(index &+ length)]))
        index &+= length
      } else {
        try rewritten.append(byte)
        index &+= 1
      }
    }
    return index
  }

  private mutating func append(_ number: Decimal) throws(RemoraError) {
    if number.isNegative { try rewritten.append(UInt8(ascii: "-")) }
    // JSON allows no zeros before other digits.
    var isLeading = true
    for index in number.digits {
      let byte = original[index]
      guard byte != UInt8(ascii: ".") else { continue }
      if isLeading, byte == UInt8(ascii: "0"), index &+ 1 < number.digits.upperBound { continue }
      isLeading = false
      try rewritten.append(byte)
    }
    guard number.places > 0 || number.hasExponent else { return }
    try rewritten.append(UInt8(ascii: "e"))
    try rewritten.appendCanonical(Int64(number.exponent &- number.places))
  }
}

/// The parts of a number that begins at a position of a text, by the grammar of JSON.
private struct Decimal {
  let isNegative: Bool
  /// The positions of the digits before and after the point, and of the point.
  let digits: Range<Int>
  /// The number of digits after the point.
  private(set) var places = 0
  private(set) var hasExponent = false
  /// The exponent, or a larger or smaller one that is out of range for doubles as well.
  private(set) var exponent = 0
  /// The position after the number.
  private(set) var end: Int

  /// Returns nil if no number begins at the position.
  init?(_ text: UnsafeRawBufferPointer, at start: Int) {
    func digits(from start: Int) -> Int {
      var index = start
      while index < text.count, (0x30...0x39).contains(text[index]) { index &+= 1 }
      return index
    }
    func has(_ byte: UInt8, at index: Int) -> Bool { index < text.count && text[index] == byte }

    isNegative = text[start] == UInt8(ascii: "-")
    let first = isNegative ? start &+ 1 : start
    end = digits(from: first)
    guard end > first, text[first] != UInt8(ascii: "0") || end == first &+ 1 else { return nil }
    if has(UInt8(ascii: "."), at: end) {
      let fraction = end &+ 1
      end = digits(from: fraction)
      places = end &- fraction
      guard places > 0 else { return nil }
    }
    self.digits = first..<end
    guard has(UInt8(ascii: "e"), at: end) || has(UInt8(ascii: "E"), at: end) else { return }
    hasExponent = true
    end &+= 1
    let isBelow = has(UInt8(ascii: "-"), at: end)
    if isBelow || has(UInt8(ascii: "+"), at: end) { end &+= 1 }
    let power = end
    end = digits(from: power)
    guard end > power else { return nil }
    // An exponent beyond the limit is out of range for any number of places, which has at most 31 bits.
    for index in power..<end { exponent = min(exponent &* 10 &+ Int(text[index] & 15), 1 << 40) }
    if isBelow { exponent = -exponent }
  }
}
