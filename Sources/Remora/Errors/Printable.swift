// SPDX-License-Identifier: Apache-2.0
//
// Makes external text safe for messages and log lines.

/// Returns the line with all control and invisible characters escaped, so that external text can neither forge another
/// line nor change the order in which a line is displayed.
package func printable(_ line: String) -> String {
  var result = ""
  for scalar in line.unicodeScalars {
    if isHidden(scalar.value) {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Whether a code point controls a terminal, ends a line, sets the direction of text, or is invisible.
private func isHidden(_ scalar: UInt32) -> Bool {
  switch scalar {
  case 0..<0x20, 0x7F..<0xA0: true  // C0 and C1.
  case 0xAD, 0x34F, 0x61C, 0x180E: true  // Soft hyphen, grapheme joiner, Arabic mark, Mongolian separator.
  case 0x200B...0x200F, 0x2028...0x202E: true  // Zero width, marks of direction, line and paragraph separators.
  case 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true  // Isolates, byte order mark, annotations.
  case 0xE0000...0xE007F: true  // Tags.
  default: false
  }
}

/// Returns the first bytes of an external name, such as a key or a JSON Pointer, for a message.
func shown(_ name: some Collection<UInt8>) -> String { printable(String(decoding: name.prefix(200), as: UTF8.self)) }
