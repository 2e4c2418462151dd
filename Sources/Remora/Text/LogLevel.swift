// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line; raw values are those of the C header.
package enum LogLevel: Int32, Sendable {
  case error = 1
  case warning, info, debug

  /// Creates the level from a number of the C header; 0 means warnings and errors.
  ///
  /// - Throws: `.invalidArgument`.
  package init(option number: Int32) throws(RemoraError) {
    guard let level = number == 0 ? .warning : LogLevel(rawValue: number) else {
      throw .invalidArgument("log_level", "is \(number), which is not a log level")
    }
    self = level
  }
}
