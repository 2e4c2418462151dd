// SPDX-License-Identifier: Apache-2.0
//
// Log lines for the host's callback. The library itself never prints.

package struct LogLine: Sendable {
  package let level: LogLevel
  /// The source of the message; nil if it does not concern a single source.
  package let source: SourceLabel?
  /// The name of the source and the message, without control characters.
  package let text: String

  package init(_ level: LogLevel, of source: SourceLabel?, _ message: String) {
    self.level = level
    self.source = source
    text = printable((source.map { "\($0.text): " } ?? "") + message)
  }
}

package struct Log: Sendable {
  /// The highest level that is logged; nil logs nothing.
  package let level: LogLevel?
  /// Called on the client's delivery thread.
  package let receive: @Sendable (LogLine) -> Void

  package init(level: LogLevel?, receive: @escaping @Sendable (LogLine) -> Void) {
    self.level = level
    self.receive = receive
  }

  /// Writes a line at once, on the calling thread, if its level is logged.
  package func write(_ line: LogLine) {
    guard let most = level, line.level.rawValue <= most.rawValue else { return }
    receive(line)
  }
}
