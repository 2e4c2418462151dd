// SPDX-License-Identifier: Apache-2.0
//
// One registered callback: what it is told, and that it is never told after its end.

/// What a subscription calls, on the client's delivery thread, one call at a time. What it holds is released
/// exactly once, with no lock held.
package typealias EventSink = @Sendable (Event, [Change]) -> Void

/// A subscriber of a source or of one of its keys.
package final class Subscription: Sendable {
  private struct State {
    /// What to call; nil after the end, so that no call begins.
    var sink: EventSink?
    /// The update that waits in the queue, into which the next one merges.
    var unread: QueuedEvent?
  }

  /// The key to watch; nil for the whole source.
  let key: [UInt8]?
  private let state: Guarded<State>

  init(key: [UInt8]?, sink: @escaping EventSink) {
    self.key = key
    state = Guarded(State(sink: sink))
  }

  func sink(_ locked: borrowing Locked) -> EventSink? { state.read(locked, \.sink) }

  func unread(_ locked: borrowing Locked) -> QueuedEvent? { state.read(locked, \.unread) }

  func setUnread(_ event: QueuedEvent?, _ locked: borrowing Locked) {
    state.set(locked, \.unread, to: event)
  }

  /// Ends the subscription. Returns what it called, to be released after unlocking.
  func end(_ locked: borrowing Locked) -> EventSink? { state.set(locked, \.sink, to: nil) }

  /// Whether an event is of interest: to a subscriber of a key only what may have changed it.
  func wants(_ event: Event) -> Bool { key == nil || event.isUpdate || event.cause == .opened }

  /// Calls the callback, unless the event turns out to leave the key as it was.
  func deliver(_ event: Event, to sink: EventSink) {
    let changes = changes(of: event)
    if key != nil, event.cause != .opened, changes.isEmpty { return }
    withExtendedLifetime(event) { sink(event, changes) }
  }

  private func changes(of event: Event) -> [Change] {
    guard event.isUpdate else { return [] }
    if let key {
      return key.withBytes { [change(of: $0, in: event)].compactMap { $0 } }
    }
    var changes: [Change] = []
    diff(event.old.reader.pointee, event.new.reader.pointee) { change in
      changes.append(change)
      return true
    }
    return changes
  }

  private func change(of key: UnsafeRawBufferPointer, in event: Event) -> Change? {
    let old = event.old.reader.pointee.entry(key)
    let new = event.new.reader.pointee.entry(key)
    switch (old, new) {
    case (nil, nil): return nil
    case (let old?, nil): return Change(kind: .deleted, key: old.key, old: old.value, new: nil)
    case (nil, let new?): return Change(kind: .created, key: new.key, old: nil, new: new.value)
    case (let old?, let new?):
      if old.value.isEqual(to: new.value) { return nil }
      return Change(kind: .updated, key: new.key, old: old.value, new: new.value)
    }
  }
}
