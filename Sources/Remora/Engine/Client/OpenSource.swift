// SPDX-License-Identifier: Apache-2.0
//
// A handle of a source: what was asked for through it ends with it.

/// Makes the sink of the subscriber that an opening brings, for its handle. Called before the first event
/// is queued; must not call the host.
package typealias FirstSubscriber = (OpenSource) -> EventSink

/// One opener's handle of a source.
package final class OpenSource: Sendable {
  package let source: Source
  private let client: Client

  /// Makes the handle that `Source.addHandle` has counted.
  init(_ source: Source, of client: Client) {
    self.source = source
    self.client = client
  }

  /// What its calls end with.
  package var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// Releases the handle: its subscriptions end, and with the last handle the source.
  package func close() {
    let dropped = source.lock.withLock { client.close(self, $0) }
    withExtendedLifetime(dropped) {}
  }

  /// Begins a refresh if that is wanted.
  func fetching(_ isWanted: Bool, _ locked: borrowing Locked) -> OpenSource {
    if isWanted { source.refreshes.fetchUnasked(locked) }
    return self
  }

  /// Subscribes to the source, or to one key.
  package func subscribe(key: [UInt8]?, replay: Bool, _ sink: @escaping EventSink) throws(RemoraError) -> Subscription {
    let subscription = Subscription(key: key, sink: sink)
    source.attendIfUnattended()
    try source.lock.withLock { locked throws(RemoraError) in
      try source.requireOpen(locked)
      try source.services.startDelivering(locked)
      source.core.add(subscription, owner: id, replay: replay, locked)
    }
    return subscription
  }

  /// Ends a subscription; its callback is not running afterwards, unless the caller is inside a callback.
  package func unsubscribe(_ subscription: Subscription) {
    let dropped = source.lock.withLock { source.core.subscribers.remove(subscription, $0) }
    withExtendedLifetime(dropped) {}
  }

  // MARK: Attachments

  /// Opens an attachment of the source and waits for the end, as `Attachments.open`.
  package func openAttachment(
    _ request: AttachmentRequest, timeoutMs: Int64, progress: ((AttachmentProgress) -> Void)? = nil
  ) throws(RemoraError) -> Attachment {
    try client.attachments.open(request, of: source, timeoutMs: timeoutMs, progress: progress)
  }

  /// Opens an attachment of the source; the listener is called where callbacks run, unless the client or the handle is
  /// closed before.
  package func openAttachmentAsync(
    _ request: AttachmentRequest, timeoutMs: Int64 = -1, _ listener: AttachmentListener
  ) throws(RemoraError) -> AttachmentWaiter {
    try client.attachments.openAsync(request, of: source, on: id, timeoutMs: timeoutMs, listener)
  }

  /// Cancels an asynchronous opening that has not ended.
  package func cancel(_ waiter: AttachmentWaiter) { client.attachments.cancel(waiter) }
}
