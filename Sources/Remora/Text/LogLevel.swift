// SPDX-License-Identifier: Apache-2.0
//
// The levels of log lines.

/// How much a line matters; raw values are those of the header.
package enum LogLevel: Int32, Sendable {
  case error = 1
  case warning, info, debug
}
