// SPDX-License-Identifier: Apache-2.0
//
// Writes the log lines of a client, and its reports of attempts.

extension ClientServices {
  /// Queues a log line, if the host receives lines of this level. Takes the engine lock.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) { note(level, of: nil, message()) }

  /// Queues a log line about a source, which begins with the source's name.
  func note(_ level: LogLevel, of dialect: any Dialect, _ message: @autoclosure () -> String) {
    note(level, of: dialect.label, message())
  }

  /// Queues a warning, unless the client has queued the same one before. Takes the engine lock.
  func warnOnce(_ message: String) {
    let isNew = lock.withLock { locked in
      state.with(locked) { state in
        // A server could send any number of texts.
        if state.warned.count >= 100 { state.warned = [] }
        return state.warned.insert(message).inserted
      }
    }
    if isNew { note(.warning, message) }
  }

  private func note(
    _ level: LogLevel, of source: @autoclosure () -> SourceLabel?, _ message: @autoclosure () -> String
  ) {
    // Reads only the level: releasing the last reference to the log would call the host, which only the close may do.
    guard let wanted = lock.withLock({ state[$0].log?.level }), level.rawValue <= wanted.rawValue else {
      return
    }
    let line = LogLine(level, of: source(), message())
    lock.withLock { locked in
      guard let log = state[locked].log, delivery.hasRoom(locked) else { return }
      delivery.enqueueLine(locked) { log.receive(line) }
    }
  }

  func hasLog(_ locked: Locked) -> Bool { state[locked].log?.level != nil }

  /// Queues the figures of an attempt, if the host receives them. Takes the engine lock.
  func report(_ source: @autoclosure () -> SourceLabel, _ result: RefreshResult, _ figures: Attempt.Figures) {
    lock.withLock { locked in
      guard let onAttempt = state[locked].onAttempt, delivery.hasRoom(locked) else { return }
      let attempt = Attempt(source: source(), result: result, figures: figures.ended())
      delivery.enqueue(locked) { onAttempt(attempt) }
    }
  }
}
