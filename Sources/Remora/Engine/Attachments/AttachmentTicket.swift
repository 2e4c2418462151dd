// SPDX-License-Identifier: Apache-2.0
//
// One caller's interest in an attachment: the end, and how far the download is.

/// The end of an opening.
package typealias AttachmentResult = Result<Attachment, RemoraError>

/// Who is told of an asynchronous opening, where callbacks run. What it holds is released with no lock held.
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

/// What a caller who waits for an attachment receives.
enum AttachmentNews {
  case received(Int)
  case end(AttachmentResult)
}

/// One caller's interest in an attachment.
package final class AttachmentTicket: Sendable {
  struct State {
    /// Receives progress and the end of an asynchronous opening; nil for a caller who waits, and after the end.
    var listener: AttachmentListener?
    /// The end, for a caller who waits.
    var result: AttachmentResult?
    /// How far the download was when this caller was last to be told.
    var received: Int?
    /// Whether a call that reports progress waits to be run.
    var isProgressQueued = false
  }

  /// The source that it was asked of; with it the opening ends.
  let source: Source
  /// The handle that it was asked on; nil for a caller who waits.
  let owner: ObjectIdentifier?
  /// What a caller who wants no request is told when one would be needed; nil for the others.
  let absence: RemoraError?
  let state: Guarded<State>

  init(_ source: Source, owner: ObjectIdentifier?, absence: RemoraError?, listener: AttachmentListener?) {
    self.source = source
    self.owner = owner
    self.absence = absence
    state = Guarded(State(listener: listener))
  }

  /// What a caller who waits does next; nil to wait.
  func news(after told: Int?, isProgressWanted: Bool, _ locked: borrowing Locked) -> AttachmentNews? {
    let state = state.with(locked) { $0 }
    // A failure ends the progress: the callback itself may have closed the client.
    if case .failure? = state.result { return state.result.map { .end($0) } }
    if isProgressWanted, let received = state.received, received != told { return .received(received) }
    return state.result.map { .end($0) }
  }

  /// Reports how far the download is. A report that was not delivered yet is replaced by the newest.
  func tell(_ received: Int, of total: Int, _ locked: borrowing Locked) {
    state.set(locked, \.received, to: received)
    guard let listener = state.read(locked, \.listener) else { return source.lock.broadcast() }
    guard let progress = listener.progress, !state.set(locked, \.isProgressQueued, to: true) else { return }
    source.client.delivery.enqueue(for: owner, locked) { [self] in
      let received = source.lock.withLock { locked in
        state.with(locked) { state in
          state.isProgressQueued = false
          return state.received
        }
      }
      if let received { progress(received, total) }
    }
  }

  /// Reports the end.
  func finish(_ result: AttachmentResult, _ locked: borrowing Locked) {
    if let listener = state.set(locked, \.listener, to: nil) {
      source.client.delivery.enqueue(for: owner, locked) { listener.completion(result) }
    } else {
      state.set(locked, \.result, to: result)
      source.lock.broadcast()
    }
  }
}
