// SPDX-License-Identifier: Apache-2.0
//
// Makes external text safe for a log line.

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
