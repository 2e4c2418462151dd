// SPDX-License-Identifier: Apache-2.0
//
// The log lines of a source. Each begins with the source's name.

extension Source {
  /// Queues a log line, if the host wants lines of this level. Takes the lock.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    services.note(level, of: dialect, message())
  }

  /// What happens to a fetched image, for a log line.
  func fate(of outcome: Outcome) -> String {
    guard outcome == .staged else { return "is live" }
    return switch known.activation {
    case .manual: "is staged: it becomes live by remora_activate"
    case .immediate, .nextSetup: "is staged: it becomes live at the next setup"
    }
  }
}
