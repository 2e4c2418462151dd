// SPDX-License-Identifier: Apache-2.0
//
// The levels of log lines.

/// The severity of a log line; raw values are those of the C header.
package enum LogLevel: Int32, Sendable {
  case error = 1
  case warning, info, debug
}
