// SPDX-License-Identifier: Apache-2.0
//
// Makes external text safe for messages and log lines.

/// Returns the line with all control characters escaped, so that external text cannot forge another line.
package func printable(_ line: String) -> String {
  var result = ""
  for scalar in line.unicodeScalars {
    if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Returns the first bytes of an external name, such as a key or a JSON Pointer, for a message.
func shown(_ name: some Collection<UInt8>) -> String { printable(String(decoding: name.prefix(200), as: UTF8.self)) }
