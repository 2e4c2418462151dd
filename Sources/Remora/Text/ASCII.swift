// SPDX-License-Identifier: Apache-2.0
//
// The classes of bytes that URLs and headers are made of, and ASCII's two cases. URLs are read at every start of a
// host, so plain comparisons: the library's own text functions cost a process far more the first time than after.

/// Letters, digits, hyphen, dot, underscore and tilde (`unreserved` of RFC 3986).
func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
  default: isLetter(byte) || isDigit(byte)
  }
}

/// `sub-delims` of RFC 3986.
func isSubDelimiter(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
    UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
    true
  default: false
  }
}

/// A to Z in either case.
func isLetter(_ byte: UInt8) -> Bool { lowercased(byte) >= 0x61 && lowercased(byte) <= 0x7A }

/// 0 to 9.
func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

/// 0 to 9 and A to F in either case.
func isHexDigit(_ byte: UInt8) -> Bool { hexValue(byte) != nil }

/// The value of a hexadecimal digit of either case.
func hexValue(_ byte: UInt8) -> UInt8? {
  if isDigit(byte) { return byte - 0x30 }
  let letter = lowercased(byte)
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
}

/// The lower-case letter of an upper-case one; any other byte as it is.
func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

/// Whether the bytes are those of an ASCII text.
@inline(__always)
func isEqual(_ bytes: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
  guard bytes.count == text.utf8CodeUnitCount else { return false }
  return bytes.withUnsafeBufferPointer { bytes in
    for index in 0..<bytes.count where bytes[index] != text.utf8Start[index] { return false }
    return true
  }
}

/// Bytes as lower-case hexadecimal digits.
func hexText(_ bytes: [UInt8]) -> String {
  bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
}
