// SPDX-License-Identifier: Apache-2.0
//
// A handle of a source: what was asked for through it ends with it.

/// Makes the sink of the subscriber that an opening brings, for its handle. Called inside the lock, before the first
/// event is queued.
package typealias FirstSubscriber = (OpenSource) -> EventSink

/// One opener's handle of a source.
package final class OpenSource: Sendable {
  package let source: Source

  init(_ source: Source) { self.source = source }

  /// Gives up the handle: its subscriptions end, and with the last handle the source.
  package func close() {
    let dropped = source.lock.withLock { source.close(self) }
    withExtendedLifetime(dropped) {}
  }

  /// Inside the lock, begins a refresh if that is wanted.
  func fetching(_ isWanted: Bool) -> OpenSource {
    if isWanted { source.fetchUnasked() }
    return self
  }

  /// Subscribes to the source, or to one key.
  package func subscribe(key: [UInt8]?, replay: Bool, _ sink: @escaping EventSink) throws(RemoraError) -> Subscription {
    let subscription = Subscription(key: key, sink: sink)
    source.attendIfUnattended()
    try source.lock.withLock { () throws(RemoraError) in
      try source.requireOpen()
      try source.client.startDelivering()
      source.add(subscription, owner: self, replay: replay)
    }
    return subscription
  }

  /// Ends a subscription; its callback is not running afterwards, unless the caller is inside a callback.
  package func unsubscribe(_ subscription: Subscription) {
    let dropped = source.lock.withLock { source.remove(subscription) }
    withExtendedLifetime(dropped) {}
  }
}
