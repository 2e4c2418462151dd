// SPDX-License-Identifier: Apache-2.0
//
// The opening of one attachment that is under way. It ends with its last caller.
// `AttachmentSearch.swift` looks where no request is needed, `AttachmentDownload.swift` asks the server.

/// One opening, from its call to its end.
final class AttachmentRun: Sendable {
  struct State {
    /// The transfer under way.
    var transfer: TransferID?
    /// Set once: no place is left that needs no request.
    var isSearchOver = false
    /// Set once: a late answer then changes nothing.
    var isOver = false
    /// Whether bytes came.
    var hasReceived = false
    /// How many bytes were there at the last report.
    var reportedBytes = 0
  }

  struct Work {
    /// Places that were not looked at yet.
    var places: [AttachmentPlace] = []
    /// Why the stored file cannot be used.
    var storedProblem: RemoraError?
    /// Whether that is its hash. One of another size may be right for another record.
    var isStoredDamaged = false
    /// The right to change the files.
    var filesLock: SourceLock?
    /// Where the bytes come into.
    var part: PartFile?
    /// Bytes that were there before the transfer under way.
    var bytesBefore = 0
    /// Whether the part has bytes of several answers.
    var isPatched = false
    /// Of the last answer.
    var httpStatus: Int32 = 0
    var resumesLeft = AttachmentRun.mostResumes
    /// Whether everything may be asked for once more.
    var mayRestart = true
    /// Whether the server did not want to be left alone when this run had something to ask for.
    var isAllowed = false
    /// Whether the base was asked for in this run.
    var isBaseFresh = false
  }

  /// The most downloads of a client at a time; others wait for their turn.
  static let mostDownloads = 8
  /// How often a download that broke off after some bytes is continued at once.
  static let mostResumes = 3

  let wanted: WantedAttachment
  /// The source whose caller was first.
  let source: Source
  let attachments: Attachments
  let waiters = Waiters<AttachmentProgress, AttachmentResult>()
  let state = Guarded(State())
  let work = Confined(Work())

  init(
    _ wanted: WantedAttachment, of source: Source, in attachments: Attachments, _ locked: borrowing Locked
  ) {
    self.wanted = wanted
    self.source = source
    self.attachments = attachments
    waiters.onAbandoned(locked) { [weak self] in self?.stop($0) }
  }

  var services: ClientServices { attachments.services }
  var runtime: Runtime { services.runtime }
  var lock: ProcessLock { services.lock }

  /// Queues a step of this run.
  func enqueue(_ locked: borrowing Locked, _ step: @escaping @Sendable (AttachmentRun, borrowing Exclusive) -> Void) {
    runtime.worker.enqueue(locked) { [self] right in
      if !lock.withLock({ state.read($0, \.isOver) }) { step(self, right) }
    }
  }

  /// Ends without an outcome. What came of the bytes stays for the next opening.
  func stop(_ locked: borrowing Locked) {
    state.set(locked, \.isOver, to: true)
    if let transfer = state.read(locked, \.transfer) { services.transport.cancel(transfer) }
    attachments.forget(self, locked)
    runtime.worker.enqueue(locked) { [self] in letGo($0) }
  }

  /// Ends with an outcome, and notifies everybody who waits.
  func end(_ result: AttachmentResult, _ right: borrowing Exclusive) {
    letGo(right)
    let ended = lock.withLock { locked -> [AttachmentWaiter] in
      guard !state.set(locked, \.isOver, to: true) else { return [] }
      attachments.forget(self, locked)
      var last: AttachmentProgress?
      if case .success = result, state.read(locked, \.hasReceived) {
        last = AttachmentProgress(received: wanted.bytes, total: wanted.bytes)
      }
      return waiters.finish(result, after: last, locked)
    }
    withExtendedLifetime(ended) {}
  }

  /// Ends with an error.
  func fail(_ error: RemoraError, _ right: borrowing Exclusive) {
    source.note(.warning, "the attachment \(wanted.location) cannot be opened: \(error.message)")
    end(.failure(error), right)
  }

  /// Lets the files go. The driving thread may hold the part for another moment.
  private func letGo(_ right: borrowing Exclusive) {
    work.with(right) { ($0.part, $0.filesLock) = (nil, nil) }
  }
}
