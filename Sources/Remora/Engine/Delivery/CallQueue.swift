// SPDX-License-Identifier: Apache-2.0
//
// The pending callbacks of one client, in order: events, log lines, completions.

/// A pending event of one subscription. A class, so that a later update can merge into it.
final class QueuedEvent {
  let subscription: Subscription
  var event: Event

  init(_ subscription: Subscription, _ event: Event) {
    self.subscription = subscription
    self.event = event
  }
}

/// The pending calls. Functions return what they remove, because releasing it may call the host.
struct CallQueue {
  enum Item {
    case event(QueuedEvent)
    case line(@Sendable () -> Void)
    case call(owner: ObjectIdentifier?, @Sendable () -> Void)

    var isLine: Bool { if case .line = self { true } else { false } }
  }

  private typealias Numbered = (number: Int, item: Item)

  /// The first calls, in reverse order, so that removing the next one moves no other.
  private var next: [Numbered] = []
  /// The calls after those in `next`, in order.
  private var later: [Numbered] = []
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

  mutating func removeCalls(of handle: ObjectIdentifier) -> [Any] {
    remove { if case .call(handle, _) = $0 { true } else { false } }
  }

  mutating func removeEvents(of subscription: Subscription) -> [Any] {
    remove { if case .event(let queued) = $0 { queued.subscription === subscription } else { false } }
  }

  /// Removes all calls, with or without the log lines.
  mutating func removeAll(keepingLines keepsLines: Bool) -> [Any] {
    remove { !keepsLines || !$0.isLine }
  }

  /// Removes all calls that belong to the parent process, in a forked child: all except changes of the live snapshot.
  ///
  /// - Parameter first: An event of that kind to put first.
  mutating func removeParentsCalls(keeping first: QueuedEvent?) -> [Any] {
    let dropped = remove { if case .event(let queued) = $0 { !queued.event.carriesState } else { true } }
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
