// SPDX-License-Identifier: Apache-2.0
//
// One caller's interest in an attachment: the end, and how far the download is.

/// The end of an opening.
package typealias AttachmentResult = Result<Attachment, RemoraError>

/// Who is told of an asynchronous opening, where callbacks run. What it holds is let go outside of every lock.
package final class AttachmentListener: Sendable {
  /// Told bytes that are there, and all bytes.
  let progress: (@Sendable (Int, Int) -> Void)?
  /// Told the end, once.
  let completion: @Sendable (AttachmentResult) -> Void

  package init(
    progress: (@Sendable (Int, Int) -> Void)? = nil, completion: @escaping @Sendable (AttachmentResult) -> Void
  ) {
    self.progress = progress
    self.completion = completion
  }
}

/// One caller's interest in an attachment.
///
/// `@unchecked Sendable`: guarded by the process's lock.
package final class AttachmentTicket: @unchecked Sendable {
  /// The source that it was asked of; with it the opening ends.
  let source: Source
  /// The handle that it was asked on; nil for a caller who waits.
  let owner: ObjectIdentifier?
  /// What a caller who wants no request is told when one would be needed; nil for the others.
  let absence: RemoraError?
  /// Told of an asynchronous opening; nil for a caller who waits, and after the end.
  var listener: AttachmentListener?
  /// The end, for a caller who waits.
  var result: AttachmentResult?
  /// How far the download was when this caller was last to be told.
  var received: Int?
  /// Whether a call that tells it waits to be run.
  var isProgressQueued = false

  init(_ source: Source, owner: ObjectIdentifier?, absence: RemoraError?, listener: AttachmentListener?) {
    self.source = source
    self.owner = owner
    self.absence = absence
    self.listener = listener
  }

  // MARK: Inside the lock

  /// Tells how far the download is; who has not been told yet is told the newest only.
  func tell(_ received: Int, of total: Int) {
    self.received = received
    guard let listener else { return source.lock.broadcast() }
    guard let progress = listener.progress, !isProgressQueued else { return }
    isProgressQueued = true
    source.client.delivery.enqueue(for: owner) { [self] in
      let received = source.lock.withLock {
        isProgressQueued = false
        return self.received
      }
      if let received { progress(received, total) }
    }
  }

  /// Tells the end.
  func finish(_ result: AttachmentResult) {
    if let listener {
      self.listener = nil
      source.client.delivery.enqueue(for: owner) { listener.completion(result) }
    } else {
      self.result = result
      source.lock.broadcast()
    }
  }
}
