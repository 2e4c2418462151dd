// SPDX-License-Identifier: Apache-2.0
//
// Writes canonical JSON, byte for byte the form that Remote Settings servers sign (canonicaljson-rs): keys sorted by
// code point, no spaces, everything outside printable ASCII escaped, doubles as shortest digits with an exponent.

extension ByteBuffer {
  /// Appends an integer.
  package mutating func appendCanonical(_ number: Int64) throws(RemoraError) {
    if number < 0 { try append(UInt8(ascii: "-")) }
    let count = digitCount(of: number.magnitude)
    storeDigits(of: number.magnitude, count, at: try extend(by: count))
  }

  /// Appends a finite double: `1E0`, `-2.5E-7`.
  package mutating func appendCanonical(_ number: Double) throws(RemoraError) {
    var decimal = Decimal(shortestFor: number)
    // Of two shortest texts that are equally close to the double, Swift takes the even one, and Rust the larger one.
    if decimal.isHalfway(below: number), decimal.digits % 10 < 9 { decimal.digits &+= 1 }
    if number.sign == .minus { try append(UInt8(ascii: "-")) }
    let count = digitCount(of: decimal.digits)
    if count == 1 {
      storeDigits(of: decimal.digits, 1, at: try extend(by: 1))
    } else {
      let place = try extend(by: count &+ 1)
      storeDigits(of: decimal.digits, count, at: place + 1)
      place.copyMemory(from: place + 1, byteCount: 1)
      place.storeBytes(of: UInt8(ascii: "."), toByteOffset: 1, as: UInt8.self)
    }
    try append(UInt8(ascii: "E"))
    try appendCanonical(Int64(decimal.unit &+ count &- 1))
  }

  /// Appends a string with its quotes. The bytes are valid UTF-8, which the parser and `String` guarantee.
  package mutating func appendCanonical(string: UnsafeRawBufferPointer) throws(RemoraError) {
    var index = plainPrefix(of: string)
    if index == string.count {
      let place = try extend(by: index &+ 2)
      place.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
      if let start = string.baseAddress { (place + 1).copyMemory(from: start, byteCount: index) }
      return place.storeBytes(of: UInt8(ascii: "\""), toByteOffset: index &+ 1, as: UInt8.self)
    }
    try append(UInt8(ascii: "\""))
    var plainFrom = 0
    while index < string.count {
      let byte = string[index]
      if isPlain(byte) {
        index &+= 1
        continue
      }
      try append(UnsafeRawBufferPointer(rebasing: string[plainFrom..<index]))
      index = try appendEscaped(string, at: index)
      plainFrom = index
    }
    try append(UnsafeRawBufferPointer(rebasing: string[plainFrom...]))
    try append(UInt8(ascii: "\""))
  }

  /// Appends the escape sequence of the character at `index` and returns the index after it.
  private mutating func appendEscaped(_ string: UnsafeRawBufferPointer, at index: Int) throws(RemoraError) -> Int {
    let byte = string[index]
    switch byte {
    case UInt8(ascii: "\""): try append("\\\"")
    case UInt8(ascii: "\\"): try append("\\\\")
    case 0x08: try append("\\b")
    case 0x09: try append("\\t")
    case 0x0A: try append("\\n")
    case 0x0C: try append("\\f")
    case 0x0D: try append("\\r")
    case 0..<0x80: try appendUnit(UInt16(byte))
    default:
      let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      guard index &+ length <= string.count else { return string.count }
      var scalar = UInt32(byte) & (0x7F >> UInt32(length))
      for offset in 1..<length { scalar = scalar << 6 | UInt32(string[index &+ offset] & 0x3F) }
      if scalar < 0x10000 {
        try appendUnit(UInt16(truncatingIfNeeded: scalar))
      } else {
        let high = (scalar &- 0x10000) >> 10
        try appendUnit(UInt16(truncatingIfNeeded: 0xD800 &+ high))
        try appendUnit(UInt16(truncatingIfNeeded: 0xDC00 &+ (scalar & 0x3FF)))
      }
      return index &+ length
    }
    return index &+ 1
  }

  /// Appends one UTF-16 unit as `\uxxxx`.
  private mutating func appendUnit(_ unit: UInt16) throws(RemoraError) {
    try append("\\u")
    for shift in [12, 8, 4, 0] as [UInt16] {
      let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
      try append(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &- 10 &+ digit)
    }
  }
}

/// The magnitude of a double in decimal: digits × 10^unit.
private struct Decimal {
  /// At most 17 digits without zeros at the end; 0 for a double of 0.
  var digits: UInt64 = 0
  /// The power of ten of the last digit.
  private(set) var unit = 0

  /// The fewest digits that read back as the same double.
  init(shortestFor number: Double) {
    // The description has them, in one of the forms 120.0, 0.0012, 1.2e+20, 1e-07.
    number.description.withBytes { text in
      var isFraction = false
      for (position, byte) in text.enumerated() {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          digits = digits &* 10 &+ UInt64(byte & 15)
          if isFraction { unit &-= 1 }
        case UInt8(ascii: "."): isFraction = true
        case UInt8(ascii: "e"):
          unit &+= Int(String(decoding: text[(position &+ 1)...], as: UTF8.self)) ?? 0
          return
        default: break
        }
      }
    }
    if digits == 0 { unit = 0 }
    while digits != 0, digits % 10 == 0 {
      digits /= 10
      unit &+= 1
    }
  }

  /// Whether the magnitude of a double is exactly half a unit of the last digit above this number.
  func isHalfway(below number: Double) -> Bool {
    // The double is odd × 2^power, and the middle is middle × 10^(unit - 1), where `middle` is odd too. So they are
    // equal if the powers of two are equal, and the odd factors are.
    let width = number.significandWidth
    let power = Int(number.exponent) &- width
    guard digits != 0, power == unit &- 1 else { return false }
    var odd = UInt64(number.significand * Double(UInt64(1) << UInt64(width)))
    var middle = digits &* 10 &+ 5
    for _ in 0..<power.magnitude {
      let (product, isTooLarge) = (power < 0 ? odd : middle).multipliedReportingOverflow(by: 5)
      if isTooLarge { return false }
      if power < 0 { odd = product } else { middle = product }
    }
    return odd == middle
  }
}

/// Returns the number of decimal digits of a number below 10^19.
private func digitCount(of number: UInt64) -> Int {
  var (count, power) = (1, UInt64(10))
  while count < 19, number >= power {
    count &+= 1
    power &*= 10
  }
  return count
}

/// Stores the last `count` digits of a number as ASCII.
private func storeDigits(of number: UInt64, _ count: Int, at place: UnsafeMutableRawPointer) {
  var rest = number
  for position in stride(from: count &- 1, through: 0, by: -1) {
    place.storeBytes(
      of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10), toByteOffset: position, as: UInt8.self)
    rest /= 10
  }
}

/// Whether a byte of a string needs no escape.
@inline(__always)
private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// Whether a string needs no escape.
func isPlain(_ string: UnsafeRawBufferPointer) -> Bool { plainPrefix(of: string) == string.count }

/// Returns the length of the prefix of a string that needs no escape; examines whole words where possible.
func plainPrefix(of string: UnsafeRawBufferPointer) -> Int {
  var index = 0
  while index &+ 8 <= string.count {
    let word = string.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    if word.hasHighByte || word.hasByte(below: 0x20) || word.hasByte(0x7F) { break }
    if word.hasByte(UInt8(ascii: "\"")) || word.hasByte(UInt8(ascii: "\\")) { break }
    index &+= 8
  }
  while index < string.count, isPlain(string[index]) { index &+= 1 }
  return index
}
