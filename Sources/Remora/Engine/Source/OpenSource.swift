// SPDX-License-Identifier: Apache-2.0
//
// A handle of a source: what was asked for through it ends with it.

/// Makes the sink of the subscriber that an opening brings, for its handle. Called before the first event
/// is queued; must not call the host.
package typealias FirstSubscriber = (OpenSource) -> EventSink

/// One opener's handle of a source.
package final class OpenSource: Sendable {
  package let source: Source

  init(_ source: Source) { self.source = source }

  /// Gives up the handle: its subscriptions end, and with the last handle the source.
  package func close() {
    let dropped = source.lock.withLock { source.close(self, $0) }
    withExtendedLifetime(dropped) {}
  }

  /// Begins a refresh if that is wanted.
  func fetching(_ isWanted: Bool, _ locked: borrowing Locked) -> OpenSource {
    if isWanted { source.fetchUnasked(locked) }
    return self
  }

  /// Subscribes to the source, or to one key.
  package func subscribe(key: [UInt8]?, replay: Bool, _ sink: @escaping EventSink) throws(RemoraError) -> Subscription {
    let subscription = Subscription(key: key, sink: sink)
    source.attendIfUnattended()
    try source.lock.withLock { locked throws(RemoraError) in
      try source.requireOpen(locked)
      try source.client.startDelivering(locked)
      source.add(subscription, owner: self, replay: replay, locked)
    }
    return subscription
  }

  /// Ends a subscription; its callback is not running afterwards, unless the caller is inside a callback.
  package func unsubscribe(_ subscription: Subscription) {
    let dropped = source.lock.withLock { source.remove(subscription, $0) }
    withExtendedLifetime(dropped) {}
  }
}
