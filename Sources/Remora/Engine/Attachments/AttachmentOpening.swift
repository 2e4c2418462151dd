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
    let born = try lock.withLock { locked throws(RemoraError) in
      try join(ticket, wanted, locked)
      return runtime.forkGeneration(locked)
    }
    var told: Int?
    while true {
      let news = lock.withLock { locked -> AttachmentNews in
        while true {
          if let news = ticket.news(after: told, isProgressWanted: progress != nil, locked) { return news }
          let isInTime = lock.wait(untilMonotonicMs: deadline, locked)
          if !isInTime, ticket.state.read(locked, \.result) == nil {
            client.withdraw(ticket, locked)
            return .end(.failure(.timeout(afterMs: timeoutMs)))
          }
        }
      }
      switch news {
      case .end(let result): return try result.get()
      case .received(let received):
        told = received
        progress?(received, wanted.bytes)
        guard lock.withLock({ runtime.forkGeneration($0) == born }) else {
          throw RemoraError(.cancelled, "the opening stays with the parent of this process")
        }
      }
    }
  }

  /// Opens an attachment; the listener is told where callbacks run, unless the client or the handle is closed before.
  package func openAttachmentAsync(
    _ request: AttachmentRequest, on owner: OpenSource? = nil, _ listener: AttachmentListener
  ) throws(RemoraError) -> AttachmentTicket {
    let wanted = try resolve(request)
    let ticket = AttachmentTicket(
      self, owner: owner.map { ObjectIdentifier($0) }, absence: request.isLocal ? wanted.absence : nil,
      listener: listener)
    try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      try client.delivery.startIfNeeded(locked)
      try join(ticket, wanted, locked)
    }
    return ticket
  }

  /// Gives up an asynchronous opening that has not ended.
  package func cancel(_ ticket: AttachmentTicket) {
    lock.withLock { locked in
      guard client.withdraw(ticket, locked) else { return }
      ticket.finish(.failure(RemoraError(.cancelled, "the opening was cancelled")), locked)
    }
  }

  /// Adds a ticket to a run that can still bring what it wants, or begins one.
  private func join(
    _ ticket: AttachmentTicket, _ wanted: WantedAttachment, _ locked: borrowing Locked
  ) throws(RemoraError) {
    try requireOpen(locked)
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    let isLocal = ticket.absence != nil
    for run in client.attachments.read(locked, \.runs) where run.wanted == wanted {
      if isLocal, run.state.read(locked, \.isSearchOver) { continue }
      return run.state.with(locked) { $0.tickets.append(ticket) }
    }
    let run = AttachmentRun(wanted, of: self, for: ticket)
    client.attachments.with(locked) { $0.runs.append(run) }
    run.enqueue(locked) { $0.search($1) }
  }
}

extension WantedAttachment {
  /// What a caller is told who wants no request.
  fileprivate var absence: RemoraError {
    RemoraError(.notFound, "the attachment \(location) is neither stored nor packaged")
  }
}

extension Client {
  /// Takes a ticket out of its run; the run ends with its last one. Returns whether it was still waiting.
  @discardableResult
  func withdraw(_ ticket: AttachmentTicket, _ locked: borrowing Locked) -> Bool {
    for run in attachments.read(locked, \.runs) {
      let (isFound, isLast) = run.state.with(locked) { state in
        let count = state.tickets.count
        state.tickets.removeAll { $0 === ticket }
        return (state.tickets.count < count, state.tickets.isEmpty)
      }
      guard isFound else { continue }
      if isLast { run.stop(locked) }
      return true
    }
    return false
  }

  private func attachmentTickets(_ locked: borrowing Locked) -> [AttachmentTicket] {
    attachments.read(locked, \.runs).flatMap { $0.state.read(locked, \.tickets) }
  }

  /// Cancels the asynchronous openings of a handle without calling their listeners. Returns what they held, to be
  /// released after unlocking.
  func withdrawAttachments(of owner: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    let tickets = attachmentTickets(locked).filter { $0.owner == owner }
    let dropped = tickets.map { $0.state.set(locked, \.listener, to: nil) as Any }
    for ticket in tickets { withdraw(ticket, locked) }
    return dropped
  }

  /// Ends the openings of a source, or all. Returns what they held, to be released after unlocking.
  func endAttachments(of source: Source? = nil, _ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    let runs = attachments.read(locked, \.runs)
    let tickets = attachmentTickets(locked).filter { source == nil || $0.source === source }
    for ticket in tickets {
      withdraw(ticket, locked)
      ticket.finish(.failure(error), locked)
    }
    return (runs as [Any]) + tickets
  }

  /// Takes a run out of everything; the next one may ask the server.
  func forget(_ run: AttachmentRun, _ locked: borrowing Locked) {
    leaveQuestion(run, locked)
    let next = attachments.with(locked) { state -> AttachmentRun? in
      state.runs.removeAll { $0 === run }
      state.waiting.removeAll { $0 === run }
      guard let index = state.downloads.firstIndex(where: { $0 === run }) else { return nil }
      state.downloads.remove(at: index)
      guard !state.waiting.isEmpty else { return nil }
      let next = state.waiting.removeFirst()
      state.downloads.append(next)
      return next
    }
    next?.enqueue(locked) { $0.takePart($1) }
  }

  /// After a fork, in the child: openings stay with the parent.
  func resumeAttachmentsInChild(_ locked: borrowing Locked) {
    attachments.with(locked) { state in
      leak((state.runs, state.downloads, state.waiting, state.questions))
      (state.runs, state.downloads, state.waiting, state.questions) = ([], [], [], [])
    }
  }
}
