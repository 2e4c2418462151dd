// SPDX-License-Identifier: Apache-2.0
//
// Callers' side of attachments: tickets that join a run, wait for it, or give it up.

/// What a client knows and does of attachments.
struct AttachmentState {
  /// Openings under way.
  var runs: [AttachmentRun] = []
  /// Those of them that may ask the server, and those whose turn has not come.
  var downloads: [AttachmentRun] = []
  var waiting: [AttachmentRun] = []
  /// Stored and packaged files whose digest was checked.
  var checked: Set<CheckedAttachment> = []
  /// What is in memory only, as long as somebody has it open.
  var inMemory: [AttachmentName: WeakAttachment] = [:]
  /// Where the servers have attachments, and who waits to know.
  var bases: [String: ParsedURL] = [:]
  var questions: [AttachmentBaseQuestion] = []
}

/// An attachment that nobody is kept from letting go.
struct WeakAttachment {
  weak var attachment: Attachment?
}

extension Source {
  /// Opens an attachment and waits for the end, or for the caller's own limit: 0 sends no request, -1 is none.
  ///
  /// - Parameter progress: Told on this thread, with no lock held, how far a download is.
  package func openAttachment(
    _ request: AttachmentRequest, timeoutMs: Int64, progress: ((Int, Int) -> Void)? = nil
  ) throws(RemoraError) -> Attachment {
    let wanted = try resolve(request)
    var absence: RemoraError?
    if request.isLocal { absence = wanted.absence } else if timeoutMs == 0 { absence = .timeout(afterMs: 0) }
    switch client.peek(wanted) {
    case .checked(let attachment): return attachment
    case .absent: if let absence { throw absence }
    case .unchecked: break
    }
    let deadline = timeoutMs <= 0 ? nil : monotonicMs().addingClamped(timeoutMs)
    let ticket = AttachmentTicket(self, owner: nil, absence: absence, listener: nil)
    let result = lock.withLock { () -> AttachmentResult in
      do throws(RemoraError) {
        try join(ticket, wanted)
      } catch {
        return .failure(error)
      }
      return wait(for: ticket, wanted, timeoutMs: timeoutMs, until: deadline, progress)
    }
    return try result.get()
  }

  /// Opens an attachment; the listener is told where callbacks run, unless the client or the handle is closed before.
  package func openAttachmentAsync(
    _ request: AttachmentRequest, on owner: OpenSource? = nil, _ listener: AttachmentListener
  ) throws(RemoraError) -> AttachmentTicket {
    let wanted = try resolve(request)
    let ticket = AttachmentTicket(
      self, owner: owner.map { ObjectIdentifier($0) }, absence: request.isLocal ? wanted.absence : nil,
      listener: listener)
    try lock.withLock { () throws(RemoraError) in
      try requireOpen()
      try client.delivery.startIfNeeded()
      try join(ticket, wanted)
    }
    return ticket
  }

  /// Gives up an asynchronous opening that has not ended.
  package func cancel(_ ticket: AttachmentTicket) {
    lock.withLock {
      guard client.withdraw(ticket) else { return }
      ticket.finish(.failure(RemoraError(.cancelled, "the opening was cancelled")))
    }
  }

  // MARK: Inside the lock

  /// Waits for the end of a ticket, and lets the lock go while the caller is told of progress.
  private func wait(
    for ticket: AttachmentTicket, _ wanted: WantedAttachment, timeoutMs: Int64, until deadline: Int64?,
    _ progress: ((Int, Int) -> Void)?
  ) -> AttachmentResult {
    let born = runtime.forkGeneration
    var told: Int?
    while true {
      // A failure ends the progress: the callback itself may have closed the client.
      if case .failure(let error)? = ticket.result { return .failure(error) }
      if let progress, let received = ticket.received, received != told {
        told = received
        lock.withoutLock { progress(received, wanted.bytes) }
        guard runtime.forkGeneration == born else {
          return .failure(RemoraError(.cancelled, "the opening stays with the parent of this process"))
        }
        continue
      }
      if let result = ticket.result { return result }
      let isInTime = lock.wait(untilMonotonicMs: deadline)
      if !isInTime, ticket.result == nil {
        client.withdraw(ticket)
        return .failure(.timeout(afterMs: timeoutMs))
      }
    }
  }

  /// Adds a ticket to a run that can still bring what it wants, or begins one.
  private func join(_ ticket: AttachmentTicket, _ wanted: WantedAttachment) throws(RemoraError) {
    try requireOpen()
    try runtime.loadLibraries()
    try runtime.startWorker()
    let isLocal = ticket.absence != nil
    if let run = client.attachments.runs.first(where: { $0.wanted == wanted && !(isLocal && $0.isSearchOver) }) {
      run.tickets.append(ticket)
      return
    }
    let run = AttachmentRun(wanted, of: self)
    run.tickets.append(ticket)
    client.attachments.runs.append(run)
    run.enqueue { $0.search() }
  }
}

extension WantedAttachment {
  /// What a caller is told who wants no request.
  fileprivate var absence: RemoraError {
    RemoraError(.notFound, "the attachment \(location) is neither stored nor packaged")
  }
}

// MARK: Inside the lock

extension Client {
  /// Takes a ticket out of its run; the run ends with its last one. Returns whether it was still waiting.
  @discardableResult
  func withdraw(_ ticket: AttachmentTicket) -> Bool {
    guard let run = attachments.runs.first(where: { $0.tickets.contains { $0 === ticket } }) else { return false }
    run.tickets.removeAll { $0 === ticket }
    if run.tickets.isEmpty { run.stop() }
    return true
  }

  /// Gives up the asynchronous openings of a handle: nobody is told their end. What they held is in the result.
  func withdrawAttachments(of owner: ObjectIdentifier) -> [Any] {
    let tickets = attachments.runs.flatMap(\.tickets).filter { $0.owner == owner }
    let dropped = tickets.map { $0.listener as Any }
    for ticket in tickets {
      ticket.listener = nil
      withdraw(ticket)
    }
    return dropped
  }

  /// Ends the openings of a source, or all. What they held is in the result, to be let go outside of the lock.
  func endAttachments(of source: Source? = nil, _ error: RemoraError) -> [Any] {
    let dropped = attachments.runs
    let tickets = dropped.flatMap(\.tickets).filter { source == nil || $0.source === source }
    for ticket in tickets {
      withdraw(ticket)
      ticket.finish(.failure(error))
    }
    return (dropped as [Any]) + tickets
  }

  /// Takes a run out of everything; the next one may ask the server.
  func forget(_ run: AttachmentRun) {
    attachments.runs.removeAll { $0 === run }
    attachments.waiting.removeAll { $0 === run }
    leaveQuestion(run)
    guard let index = attachments.downloads.firstIndex(where: { $0 === run }) else { return }
    attachments.downloads.remove(at: index)
    guard !attachments.waiting.isEmpty else { return }
    let next = attachments.waiting.removeFirst()
    attachments.downloads.append(next)
    next.enqueue { $0.takePart() }
  }

  /// After a fork, in the child: openings stay with the parent.
  func resumeAttachmentsInChild() {
    leak(attachments.runs)
    leak(attachments.downloads)
    leak(attachments.waiting)
    leak(attachments.questions)
    attachments.runs = []
    attachments.downloads = []
    attachments.waiting = []
    attachments.questions = []
  }
}
