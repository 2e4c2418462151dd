// SPDX-License-Identifier: Apache-2.0
//
// Log lines for the host's callback. The library itself never prints.

/// How much a line matters; raw values are those of the header.
package enum LogLevel: Int32, Sendable {
  case error = 1
  case warning, info, debug
}

/// Where lines go.
package struct Log: Sendable {
  /// Lines above it are not made; nil makes none.
  package let level: LogLevel?
  /// Called on the client's delivery thread.
  package let receive: @Sendable (LogLevel, String) -> Void

  package init(level: LogLevel?, receive: @escaping @Sendable (LogLevel, String) -> Void) {
    self.level = level
    self.receive = receive
  }
}

/// The line with every control character as an escape, so that nothing from outside can forge another line.
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
