// SPDX-License-Identifier: Apache-2.0
//
// One registered callback, which is never called after its end.

/// The callback of a subscription, called on the client's delivery thread, one call at a time. Its captured objects are
/// released exactly once, with no lock held.
package typealias EventSink = @Sendable (Event, [Change]) -> Void

/// A subscription to a source or to one of its keys.
package final class Subscription: Sendable {
  private struct State {
    /// The callback; nil after the end, so that no further call begins.
    var sink: EventSink?
    /// The undelivered update into which the next one merges.
    var unread: QueuedEvent?
  }

  /// The watched key; nil for the whole source.
  let key: [UInt8]?
  private let state: Guarded<State>

  init(key: [UInt8]?, sink: @escaping EventSink) {
    self.key = key
    state = Guarded(State(sink: sink))
  }

  func sink(_ locked: Locked) -> EventSink? { state[locked].sink }

  func unread(_ locked: Locked) -> QueuedEvent? { state[locked].unread }

  func setUnread(_ event: QueuedEvent?, _ locked: Locked) {
    state[locked].unread = event
  }

  /// Ends the subscription. Returns its callback, to be released after unlocking.
  func end(_ locked: Locked) -> EventSink? { exchange(&state[locked].sink, nil) }

  /// Whether an event concerns the subscription: for a single key, only an event that may have changed it.
  func wants(_ event: Event) -> Bool { key == nil || event.isUpdate || event.cause == .opened }

  /// Calls the callback, unless the event did not change the watched key.
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
