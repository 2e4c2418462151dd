// SPDX-License-Identifier: Apache-2.0
//
// The calls to come of one client, in order: events, log lines, completions.

/// An event on its way to one subscription. A class, so that a later update can merge into it.
final class QueuedEvent {
  let subscription: Subscription
  var event: Event

  init(_ subscription: Subscription, _ event: Event) {
    self.subscription = subscription
    self.event = event
  }
}

/// The calls that wait. What a function here removes it returns: to release it may call the host.
struct CallQueue {
  /// One call to come.
  enum Item {
    case event(QueuedEvent)
    case line(@Sendable () -> Void)
    case call(owner: ObjectIdentifier?, @Sendable () -> Void)

    var isLine: Bool { if case .line = self { true } else { false } }
  }

  private typealias Numbered = (number: Int, item: Item)

  /// The calls that come first, the next one last: to take it moves no other.
  private var next: [Numbered] = []
  /// The calls after these, in order.
  private var later: [Numbered] = []
  /// The number of the call that was queued last.
  private(set) var lastNumber = 0

  var isEmpty: Bool { next.isEmpty && later.isEmpty }
  var count: Int { next.count + later.count }

  mutating func append(_ item: Item) {
    lastNumber += 1
    later.append((lastNumber, item))
  }

  /// Removes the next call, if its number is at most `last`.
  mutating func removeFirst(upTo last: Int) -> Item? {
    if next.isEmpty {
      next = later.reversed()
      later.removeAll(keepingCapacity: true)
    }
    guard let first = next.last, first.number <= last else { return nil }
    next.removeLast()
    return first.item
  }

  /// Removes the completions of a handle.
  mutating func removeCalls(of handle: ObjectIdentifier) -> [Any] {
    remove { if case .call(handle, _) = $0 { true } else { false } }
  }

  /// Removes the events of a subscription.
  mutating func removeEvents(of subscription: Subscription) -> [Any] {
    remove { if case .event(let queued) = $0 { queued.subscription === subscription } else { false } }
  }

  /// Removes all calls, perhaps without the log lines.
  mutating func removeAll(keepingLines keepsLines: Bool) -> [Any] {
    remove { !keepsLines || !$0.isLine }
  }

  /// Removes all that belongs to another process, the parent of this one: all but what is new of the live snapshot.
  ///
  /// - Parameter first: Such an event that is to come first.
  mutating func removeParentsCalls(keeping first: QueuedEvent?) -> [Any] {
    let dropped = remove { if case .event(let queued) = $0 { !queued.event.tellsState } else { true } }
    if let first { next.append((0, .event(first))) }
    return dropped
  }

  private mutating func remove(_ isDropped: (Item) -> Bool) -> [Any] {
    let dropped = (next.reversed() + later).filter { isDropped($0.item) }
    next.removeAll { isDropped($0.item) }
    later.removeAll { isDropped($0.item) }
    return dropped
  }
}
