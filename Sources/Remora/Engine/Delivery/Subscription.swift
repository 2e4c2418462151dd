// SPDX-License-Identifier: Apache-2.0
//
// One registered callback: what it is told, and that it is never told after its end.

/// What a subscription calls, on the client's delivery thread, one call at a time. What it holds is let go exactly
/// once, outside of every lock.
package typealias EventSink = @Sendable (Event, [Change]) -> Void

/// A subscriber of a source or of one of its keys.
///
/// `@unchecked Sendable`: `sink` and `unread` are guarded by the process's lock, the rest is constant.
package final class Subscription: @unchecked Sendable {
  /// The key to watch; nil for the whole source.
  let key: [UInt8]?
  /// What to call; nil after the end, so that no call begins.
  var sink: EventSink?
  /// The update that waits in the queue, into which the next one merges.
  var unread: Delivery.QueuedEvent?

  init(key: [UInt8]?, sink: @escaping EventSink) {
    self.key = key
    self.sink = sink
  }

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
