// SPDX-License-Identifier: Apache-2.0
//
// Log lines for the host's callback. The library itself never prints.

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

  /// Writes a line at once, on the calling thread, if lines of its level are made.
  package func write(_ level: LogLevel, _ line: String) {
    guard let most = self.level, level.rawValue <= most.rawValue else { return }
    receive(level, line)
  }
}
