// SPDX-License-Identifier: Apache-2.0
//
// Classes of ASCII bytes in URLs and headers, and case conversion. Plain comparisons, because URLs are parsed at every
// start of a host, and the first use of the standard library's text functions in a process is expensive.

/// Whether a byte is a letter, digit, hyphen, dot, underscore or tilde (`unreserved` of RFC 3986).
func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
  default: isLetter(byte) || isDigit(byte)
  }
}

/// Whether a byte is one of `sub-delims` of RFC 3986.
func isSubDelimiter(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
    UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
    true
  default: false
  }
}

/// Whether a byte is A to Z in either case.
func isLetter(_ byte: UInt8) -> Bool { lowercased(byte) >= 0x61 && lowercased(byte) <= 0x7A }

/// Whether a byte is 0 to 9.
func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

/// Whether a byte is 0 to 9, or A to F in either case.
func isHexDigit(_ byte: UInt8) -> Bool { hexValue(byte) != nil }

/// Returns the value of a hexadecimal digit of either case.
func hexValue(_ byte: UInt8) -> UInt8? {
  if isDigit(byte) { return byte - 0x30 }
  let letter = lowercased(byte)
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
}

/// Returns the lower-case letter of an upper-case one; any other byte unchanged.
func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

/// Whether the bytes equal an ASCII text.
@inline(__always)
func isEqual(_ bytes: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
  guard bytes.count == text.utf8CodeUnitCount else { return false }
  return bytes.withUnsafeBufferPointer { bytes in
    for index in 0..<bytes.count where bytes[index] != text.utf8Start[index] { return false }
    return true
  }
}

/// Returns bytes as lower-case hexadecimal digits.
package func hexText(_ bytes: [UInt8]) -> String {
  bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
}
