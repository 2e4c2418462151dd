// SPDX-License-Identifier: Apache-2.0
//
// The opening of one attachment that is under way, and the callers who wait for it. It ends with its last ticket.
// `AttachmentSearch.swift` looks where no request is needed, `AttachmentDownload.swift` asks the server.

/// One opening, from its call to its end.
///
/// Concurrency: "State" is guarded by the process's lock; "Worker" is touched by jobs only, "I/O" on that thread only.
/// `@unchecked Sendable` for that reason.
final class AttachmentRun: @unchecked Sendable {
  /// The most downloads of a client at a time; others wait for their turn.
  static let mostDownloads = 8
  /// How often a download that broke off after some bytes is continued at once.
  static let mostResumes = 3

  let wanted: WantedAttachment
  /// The source whose caller was first.
  let source: Source

  // State
  /// Those who wait.
  var tickets: [AttachmentTicket] = []
  /// The transfer under way.
  var transfer: TransferID?
  /// Set once: no place is left that needs no request.
  var isSearchOver = false
  /// Set once: a late answer then changes nothing.
  var isOver = false
  /// Whether bytes came.
  var hasReceived = false

  // Worker
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
  var resumesLeft = AttachmentRun.mostResumes
  /// Whether everything may be asked for once more.
  var mayRestart = true
  /// Whether the server did not want to be left alone when this run had something to ask for.
  var isAllowed = false
  /// Whether the base was asked for in this run.
  var isBaseFresh = false

  // I/O
  /// How many bytes were there when callers were last told.
  var toldBytes = 0

  init(_ wanted: WantedAttachment, of source: Source) {
    self.wanted = wanted
    self.source = source
  }

  var client: Client { source.client }
  var runtime: Runtime { source.client.runtime }
  var lock: Lock { source.client.runtime.lock }

  // MARK: Inside the lock

  /// Queues a step of this run.
  func enqueue(_ step: @escaping @Sendable (AttachmentRun) -> Void) {
    runtime.worker.enqueue { [self] in
      if !lock.withLock({ isOver }) { step(self) }
    }
  }

  /// Ends without an outcome. What came of the bytes stays for the next opening.
  func stop() {
    isOver = true
    if let transfer { client.transport.cancel(transfer) }
    client.forget(self)
    runtime.worker.enqueue { [self] in letGo() }
  }

  // MARK: In jobs

  /// Ends with an outcome, and tells everybody who waits.
  func end(_ result: AttachmentResult) {
    letGo()
    let tickets = lock.withLock {
      guard !isOver else { return [AttachmentTicket]() }
      isOver = true
      let tickets = self.tickets
      self.tickets = []
      client.forget(self)
      for ticket in tickets {
        if case .success = result, hasReceived, ticket.received != wanted.bytes {
          ticket.tell(wanted.bytes, of: wanted.bytes)
        }
        ticket.finish(result)
      }
      return tickets
    }
    withExtendedLifetime(tickets) {}
  }

  /// Ends with an error.
  func fail(_ error: RemoraError) {
    source.note(.warning, "the attachment \(wanted.location) cannot be opened: \(error.message)")
    end(.failure(error))
  }

  /// Lets the files go. The I/O thread may hold the part for another moment.
  private func letGo() {
    part = nil
    filesLock = nil
  }
}
