// SPDX-License-Identifier: Apache-2.0
//
// One opening of an attachment in progress. It ends when its last caller does. `AttachmentRun+Search.swift` searches
// without requests, `AttachmentRun+Download.swift` downloads from the server.

final class AttachmentRun: Sendable {
  struct State {
    var transfer: TransferID?
    /// Whether all places that need no request were searched. Set once.
    var isSearchOver = false
    /// Whether the run has ended; later responses are ignored. Set once.
    var isOver = false
    var hasReceived = false
    /// The number of bytes at the last progress report.
    var reportedBytes = 0
  }

  struct Work {
    /// The places that were not searched yet.
    var places: [AttachmentPlace] = []
    /// The reason the stored file cannot be used.
    var storedProblem: RemoraError?
    /// The last reason that was logged.
    var loggedProblem: RemoraError?
    /// Whether the reason is a wrong hash. A file of another size is kept, because it may be right for another record.
    var isStoredDamaged = false
    var filesLock: SourceLock?
    /// The file that receives the bytes; nil until a download begins.
    var part: PartFile?
    /// The number of bytes before the current transfer.
    var bytesBefore = 0
    /// Whether the part has bytes from several responses.
    var isPatched = false
    var httpStatus: Int32 = 0
    var resumesLeft = AttachmentRun.mostResumes
    /// Whether the whole attachment may be requested once more.
    var mayRestart = true
    /// Whether the server's backoff was checked and permits requests in this run.
    var isAllowed = false
    /// Whether the base URL was requested in this run.
    var isBaseFresh = false
  }

  /// The maximum number of simultaneous downloads of a client; others are queued.
  static let mostDownloads = 8
  /// The maximum number of immediate resumptions of an interrupted download.
  static let mostResumes = 3

  let wanted: WantedAttachment
  /// The source of the first caller.
  let source: Source
  let attachments: Attachments
  let waiters = Waiters<AttachmentProgress, AttachmentResult>()
  let state = Guarded(State())
  let work = Confined(Work())

  init(
    _ wanted: WantedAttachment, of source: Source, in attachments: Attachments, _ locked: Locked
  ) {
    self.wanted = wanted
    self.source = source
    self.attachments = attachments
    waiters.onAbandoned(locked) { [weak self] in self?.stop($0) }
  }

  var services: ClientServices { attachments.services }
  var runtime: Runtime { services.runtime }
  var lock: ProcessLock { services.lock }

  func enqueue(_ locked: Locked, _ step: @escaping @Sendable (AttachmentRun, Exclusive) -> Void) {
    runtime.worker.enqueue(locked) { [self] exclusive in
      if !lock.withLock({ state[$0].isOver }) { step(self, exclusive) }
    }
  }

  /// Ends the run without a result. The received bytes stay for the next opening.
  func stop(_ locked: Locked) {
    state[locked].isOver = true
    if let transfer = state[locked].transfer { services.transport.cancel(transfer) }
    attachments.forget(self, locked)
    runtime.worker.enqueue(locked) { [self] in releaseFiles($0) }
  }

  /// Ends the run with a result, and notifies all callers.
  func end(_ result: AttachmentResult, _ exclusive: Exclusive) {
    releaseFiles(exclusive)
    let ended = lock.withLock { locked -> [AttachmentWaiter] in
      guard !exchange(&state[locked].isOver, true) else { return [] }
      attachments.forget(self, locked)
      var last: AttachmentProgress?
      if case .success = result, state[locked].hasReceived {
        last = AttachmentProgress(received: wanted.bytes, total: wanted.bytes)
      }
      return waiters.finish(result, after: last, locked)
    }
    withExtendedLifetime(ended) {}
  }

  func fail(_ error: RemoraError, _ exclusive: Exclusive) {
    source.note(.warning, "the attachment \(wanted.location) cannot be opened: \(error.message)")
    end(.failure(error), exclusive)
  }

  /// Releases the files. The driving thread may hold the part a little longer.
  private func releaseFiles(_ exclusive: Exclusive) {
    work.with(exclusive) { ($0.part, $0.filesLock) = (nil, nil) }
  }
}
