// SPDX-License-Identifier: Apache-2.0
//
// The unread events of one stream. The thread for callbacks adds events and never waits; a task takes them.

internal import Remora
internal import Synchronization

/// A queue of events between the thread for callbacks and one task.
final class Mailbox: Sendable {
  private struct State {
    var unread: [Remora.Event] = []
    /// The tasks that wait for an event: one, unless a stream is read by several loops.
    var readers: [OneResult<Remora.Event?>] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Adds an event, or passes it to the waiting task. Merges unread updates with the same cause and outcome.
  func add(_ event: Remora.Event) {
    let reader = state.withLock { state -> OneResult<Remora.Event?>? in
      guard !state.isOver else { return nil }
      if !state.readers.isEmpty { return state.readers.removeFirst() }
      if let merged = state.unread.last?.merged(with: event) {
        state.unread[state.unread.count - 1] = merged
      } else {
        state.unread.append(event)
      }
      return nil
    }
    reader?.set(event)
  }

  /// Ends the stream after the unread events.
  func end() {
    let readers = state.withLock { state in
      state.isOver = true
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.set(nil) }
  }

  /// Returns the next event; nil at the end, or if the task is cancelled, which ends the stream.
  func next() async -> Remora.Event? {
    let result = OneResult<Remora.Event?>()
    return await withTaskCancellationHandler {
      take(into: result)
      return await result.value()
    } onCancel: {
      end()
      result.set(nil)
    }
  }

  /// Sets the result to the oldest unread event, or keeps the result for the next event.
  private func take(into result: OneResult<Remora.Event?>) {
    let present = state.withLock { state -> Remora.Event?? in
      guard state.unread.isEmpty else { return state.unread.removeFirst() }
      guard !state.isOver else { return .some(nil) }
      state.readers.append(result)
      return nil
    }
    if let present { result.set(present) }
  }
}
