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
func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (lowercased(byte) >= 0x61 && lowercased(byte) <= 0x66) }

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
