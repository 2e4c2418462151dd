// SPDX-License-Identifier: Apache-2.0
//
// A handle of a source. Subscriptions and asynchronous calls that were made through a handle end with it.

/// Creates the sink of the first subscriber, for the handle of the opening. Called before the first event is queued;
/// must not call the host.
package typealias FirstSubscriber = (OpenSource) -> EventSink

/// A handle of a source, for one opening.
package final class OpenSource: Sendable {
  package let source: Source
  private let client: Client

  /// Creates a handle, which `Source.addHandle` has already counted.
  init(_ source: Source, of client: Client) {
    self.source = source
    self.client = client
  }

  /// Identifies the handle in its calls, which end with it.
  package var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// Releases the handle and ends its subscriptions. The last handle ends the source too.
  package func close() {
    let dropped = source.lock.withLock { client.close(self, $0) }
    withExtendedLifetime(dropped) {}
  }

  func fetching(_ isWanted: Bool, _ locked: Locked) -> OpenSource {
    if isWanted { source.refreshes.fetchUnasked(locked) }
    return self
  }

  /// Subscribes to the source, or to one key.
  package func subscribe(key: [UInt8]?, replay: Bool, _ sink: @escaping EventSink) throws(RemoraError) -> Subscription {
    let subscription = Subscription(key: key, sink: sink)
    source.startPollingIfNeeded()
    try source.lock.withLock { locked throws(RemoraError) in
      try source.requireOpen(locked)
      try source.services.startDelivering(locked)
      source.core.add(subscription, owner: id, replay: replay, locked)
    }
    return subscription
  }

  /// Ends a subscription. When this returns, its callback is not running, unless the caller is inside a callback.
  package func unsubscribe(_ subscription: Subscription) {
    let dropped = source.lock.withLock { source.core.subscribers.remove(subscription, $0) }
    withExtendedLifetime(dropped) {}
  }

  // MARK: Tags

  /// Opens the dictionary of a tag of these settings. Its source stays open until these settings are closed.
  ///
  /// - Parameter lifetime: How long data of the tag is fresh; nil means as in these settings. No effect on an open tag.
  /// - Throws: `.invalidArgument` for the tag, or if the source is not settings without a tag; `.closed`.
  package func openTag(_ tag: String, _ lifetime: Lifetime? = nil) throws(RemoraError) -> OpenSource {
    let name = Array(tag.utf8)
    let kept = try source.lock.withLock { locked throws(RemoraError) in
      try source.requireOpen(locked)
      return lifetime == nil ? source.tags[locked][name].map { client.handle(of: $0, locked) } : nil
    }
    if let kept { return kept }
    guard let dialect = try source.dialect.tagged(tag) else {
      throw .invalidArgument("settings", "has no tags: it is a tag itself, or not a settings source")
    }
    let opened = try client.open(dialect, source.options.ofTag(lifetime))
    guard source.lock.withLock({ source.keep(opened.source, named: name, $0) }) else {
      opened.close()
      throw .closedSource
    }
    return opened
  }

  // MARK: Attachments

  /// Opens an attachment of the source and waits for the result; see `Attachments.open`.
  package func openAttachment(
    _ request: AttachmentRequest, timeoutMs: Int64, progress: ((AttachmentProgress) -> Void)? = nil
  ) throws(RemoraError) -> Attachment {
    try client.attachments.open(request, of: source, timeoutMs: timeoutMs, progress: progress)
  }

  /// Opens an attachment of the source without waiting. The listener is called where callbacks run, unless the client
  /// or the handle is closed before.
  package func openAttachmentAsync(
    _ request: AttachmentRequest, timeoutMs: Int64 = -1, _ listener: AttachmentListener
  ) throws(RemoraError) -> AttachmentWaiter {
    try client.attachments.openAsync(request, of: source, on: id, timeoutMs: timeoutMs, listener)
  }

  /// Cancels an asynchronous opening that has not completed.
  package func cancel(_ waiter: AttachmentWaiter) { client.attachments.cancel(waiter) }
}
