// SPDX-License-Identifier: Apache-2.0
//
// Log lines for the host's callback. The library itself never prints.

/// A log line.
package struct LogLine: Sendable {
  package let level: LogLevel
  /// The source that it is about, if it is about one.
  package let source: SourceLabel?
  /// The message without control characters, behind what the source is called.
  package let text: String

  package init(_ level: LogLevel, of source: SourceLabel?, _ message: String) {
    self.level = level
    self.source = source
    text = printable((source.map { "\($0.text): " } ?? "") + message)
  }
}

/// Where lines go.
package struct Log: Sendable {
  /// Lines above it are not made; nil makes none.
  package let level: LogLevel?
  /// Called on the client's delivery thread.
  package let receive: @Sendable (LogLine) -> Void

  package init(level: LogLevel?, receive: @escaping @Sendable (LogLine) -> Void) {
    self.level = level
    self.receive = receive
  }

  /// Writes a line at once, on the calling thread, if lines of its level are made.
  package func write(_ line: LogLine) {
    guard let most = level, line.level.rawValue <= most.rawValue else { return }
    receive(line)
  }
}
