// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line; raw values are those of the C header.
package enum LogLevel: Int32, Sendable {
  case error = 1
  case warning, info, debug

  /// Creates the level from a number of the C header; 0 means warnings and errors.
  ///
  /// - Throws: `.invalidArgument`.
  package init(option number: Int32) throws(RemoraError) {
    try self.init(number == 0 ? Self.warning.rawValue : number, of: "log_level", "a log level")
  }
}
