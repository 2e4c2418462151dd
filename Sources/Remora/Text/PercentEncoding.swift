// SPDX-License-Identifier: Apache-2.0
//
// Encodes external text for use in a URL.

/// Encodes a text as one path segment or query value: all but unreserved characters become `%XX`.
///
/// The segments `.` and `..` are unchanged; the caller must refuse them.
package func percentEncode(_ segment: String) -> String {
  var out: [UInt8] = []
  for byte in segment.utf8 {
    if isUnreserved(byte) { out.append(byte) } else { out += percentEncoded(byte) }
  }
  return String(decoding: out, as: UTF8.self)
}

/// Returns the `%XX` form of one byte.
func percentEncoded(_ byte: UInt8) -> [UInt8] {
  let digits = Array("0123456789ABCDEF".utf8)
  return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
}
