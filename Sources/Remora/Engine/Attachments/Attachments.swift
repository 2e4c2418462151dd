// SPDX-License-Identifier: Apache-2.0
//
// The openings of attachments of a client: callers join a run, wait for it, or cancel; a few runs download at a time.

/// The attachments of a client.
package final class Attachments: Sendable {
  struct State {
    /// Openings under way.
    var runs: [AttachmentRun] = []
    /// Those of them that may ask the server, and those whose turn has not come.
    var downloads: [AttachmentRun] = []
    var waiting: [AttachmentRun] = []
  }

  let services: ClientServices
  /// Those that need no request.
  let shelf: AttachmentShelf
  /// Where the servers have theirs.
  let bases: AttachmentBases
  let state = Guarded(State())

  init(_ services: ClientServices) {
    self.services = services
    shelf = AttachmentShelf(services)
    bases = AttachmentBases(services)
  }

  private var runtime: Runtime { services.runtime }
  private var lock: ProcessLock { services.lock }

  /// Opens an attachment and waits for the end, or for the caller's own limit: 0 sends no request, -1 is none.
  ///
  /// - Parameter progress: Called on this thread, with no lock held.
  package func open(
    _ request: AttachmentRequest, of source: Source, timeoutMs: Int64, progress: ((AttachmentProgress) -> Void)? = nil
  ) throws(RemoraError) -> Attachment {
    let wanted = try request.resolve(in: source)
    var absence: RemoraError?
    if request.isLocal { absence = wanted.absence } else if timeoutMs == 0 { absence = .timeout(afterMs: 0) }
    switch shelf.peek(wanted) {
    case .checked(let attachment): return attachment
    case .absent: if let absence { throw absence }
    case .unchecked: break
    }
    let waiter = AttachmentWaiter(
      .blocked(lock, wantsProgress: progress != nil), scope: ObjectIdentifier(source),
      withoutRequest: absence.map { .failure($0) })
    let deadline = timeoutMs <= 0 ? nil : lock.monotonicMs.addingClamped(timeoutMs)
    let born = try lock.withLock { locked throws(RemoraError) in
      try joinOrBegin(waiter, wanted, of: source, locked)
      return runtime.forkGeneration(locked)
    }
    while true {
      switch lock.withLock({ waiter.step(untilMonotonicMs: deadline, $0) }) {
      case .end(let result): return try result.get()
      case .outOfTime: lock.withLock { waiter.end(.failure(.timeout(afterMs: timeoutMs)), $0) }
      case .report(let received):
        progress?(received)
        guard lock.withLock({ runtime.forkGeneration($0) == born }) else {
          throw RemoraError(.cancelled, "the opening stays with the parent of this process")
        }
      }
    }
  }

  /// Opens an attachment; the listener is called where callbacks run, unless the client or the handle is closed before.
  package func openAsync(
    _ request: AttachmentRequest, of source: Source, on handle: ObjectIdentifier, _ listener: AttachmentListener
  ) throws(RemoraError) -> AttachmentWaiter {
    let wanted = try request.resolve(in: source)
    let waiter = AttachmentWaiter(
      .listening(listener, services.delivery), handle: handle, scope: ObjectIdentifier(source),
      withoutRequest: request.isLocal ? .failure(wanted.absence) : nil)
    try lock.withLock { locked throws(RemoraError) in
      try source.requireOpen(locked)
      try services.delivery.startIfNeeded(locked)
      try joinOrBegin(waiter, wanted, of: source, locked)
    }
    return waiter
  }

  /// Cancels an asynchronous opening that has not ended.
  package func cancel(_ waiter: AttachmentWaiter) {
    lock.withLock { waiter.end(.failure(RemoraError(.cancelled, "the opening was cancelled")), $0) }
  }

  /// Adds a caller to a run that can still bring what it wants, or begins one.
  private func joinOrBegin(
    _ waiter: AttachmentWaiter, _ wanted: WantedAttachment, of source: Source, _ locked: borrowing Locked
  ) throws(RemoraError) {
    try source.requireOpen(locked)
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    let isLocal = waiter.withoutRequest != nil
    for run in state.read(locked, \.runs) where run.wanted == wanted {
      if isLocal, run.state.read(locked, \.isSearchOver) { continue }
      return run.waiters.add(waiter, locked)
    }
    let run = AttachmentRun(wanted, of: source, in: self, locked)
    run.waiters.add(waiter, locked)
    state.with(locked) { $0.runs.append(run) }
    run.enqueue(locked) { $0.search($1) }
  }

  // MARK: The client

  /// Ends the asynchronous openings of a handle without calling them. Returns what they held, to be released after
  /// unlocking.
  func mute(of handle: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    state.read(locked, \.runs).flatMap { $0.waiters.mute(of: handle, locked) }
  }

  /// Ends the openings of a source, or all. Returns what they held, to be released after unlocking.
  func end(of source: Source? = nil, _ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    let (runs, scope) = (state.read(locked, \.runs), source.map { ObjectIdentifier($0) })
    let ended = runs.flatMap { run in
      run.waiters.end(locked) { scope == nil || $0.scope == scope ? .failure(error) : nil }
    }
    return (runs as [Any]) + ended
  }

  /// Returns whether a run may ask the server now. If not, its turn comes when a download ends.
  func beginDownload(of run: AttachmentRun, _ locked: borrowing Locked) -> Bool {
    state.with(locked) { state in
      if state.downloads.contains(where: { $0 === run }) { return true }
      guard state.downloads.count < AttachmentRun.mostDownloads else {
        state.waiting.append(run)
        return false
      }
      state.downloads.append(run)
      return true
    }
  }

  /// Takes a run out of everything; the next one may ask the server.
  func forget(_ run: AttachmentRun, _ locked: borrowing Locked) {
    bases.leave(run, locked)
    let next = state.with(locked) { state -> AttachmentRun? in
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
  func resumeChild(_ locked: borrowing Locked) {
    bases.resumeChild(locked)
    state.with(locked) { state in
      leak((state.runs, state.downloads, state.waiting))
      (state.runs, state.downloads, state.waiting) = ([], [], [])
    }
  }
}

extension WantedAttachment {
  /// What a caller is told who wants no request.
  fileprivate var absence: RemoraError {
    RemoraError(.notFound, "the attachment \(location) is neither stored nor packaged")
  }
}
