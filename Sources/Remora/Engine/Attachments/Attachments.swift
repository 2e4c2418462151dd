// SPDX-License-Identifier: Apache-2.0
//
// The attachment openings of a client. Callers join a run, wait for it, or cancel. Few runs download at the same time.

package final class Attachments: Sendable {
  struct State {
    var runs: [AttachmentRun] = []
    /// The runs that may send requests, and the runs that are queued for that.
    var downloads: [AttachmentRun] = []
    var waiting: [AttachmentRun] = []
  }

  let services: ClientServices
  let local: LocalAttachments
  let bases: AttachmentBases
  let state = Guarded(State())

  init(_ services: ClientServices) {
    self.services = services
    local = LocalAttachments(services)
    bases = AttachmentBases(services)
  }

  private var runtime: Runtime { services.runtime }
  private var lock: ProcessLock { services.lock }

  /// Opens an attachment and waits for the result, or for the caller's time limit: 0 allows no request, -1 means no
  /// limit.
  ///
  /// - Parameter progress: Called on this thread, with no lock held.
  package func open(
    _ request: AttachmentRequest, of source: Source, timeoutMs: Int64, progress: ((AttachmentProgress) -> Void)? = nil
  ) throws(RemoraError) -> Attachment {
    let wanted = try request.resolve(in: source)
    let absence = wanted.absence(for: request, timeoutMs: timeoutMs)
    switch local.peek(wanted) {
    case .checked(let attachment): return attachment
    case .absent: if let absence { throw absence }
    case .unchecked: break
    }
    let waiter = AttachmentWaiter(
      .blocked(lock, wantsProgress: progress != nil), scope: ObjectIdentifier(source),
      withoutRequest: absence.map { .failure($0) })
    let (deadline, born) = try lock.withLock { locked throws(RemoraError) in
      try runtime.worker.requireOtherThread(locked)
      try joinOrBegin(waiter, wanted, of: source, locked)
      let deadline = waiter.startLimit(timeoutMs == 0 ? -1 : timeoutMs, services.limits, locked)
      return (deadline, runtime.forkGeneration(locked))
    }
    while true {
      switch lock.withLock({ waiter.step(untilMonotonicMs: deadline, $0) }) {
      case .end(let result): return try result.get()
      case .outOfTime: lock.withLock { waiter.end(.failure(.timeout(afterMs: timeoutMs)), $0) }
      case .report(let received):
        progress?(received)
        guard lock.withLock({ runtime.forkGeneration($0) == born }) else {
          throw RemoraError(.cancelled, "this process was forked while its parent opened the attachment")
        }
      }
    }
  }

  /// Opens an attachment without waiting. The listener is called where callbacks run, unless the client or the handle
  /// is closed before.
  package func openAsync(
    _ request: AttachmentRequest, of source: Source, on handle: ObjectIdentifier, timeoutMs: Int64 = -1,
    _ listener: AttachmentListener
  ) throws(RemoraError) -> AttachmentWaiter {
    let wanted = try request.resolve(in: source)
    let waiter = AttachmentWaiter(
      .listening(listener, services.delivery), handle: handle, scope: ObjectIdentifier(source),
      withoutRequest: wanted.absence(for: request, timeoutMs: timeoutMs).map { .failure($0) })
    try lock.withLock { locked throws(RemoraError) in
      try source.requireOpen(locked)
      try services.delivery.startIfNeeded(locked)
      try joinOrBegin(waiter, wanted, of: source, locked)
      if timeoutMs > 0 {
        waiter.end(.failure(.timeout(afterMs: timeoutMs)), afterMs: timeoutMs, services.limits, locked)
      }
    }
    return waiter
  }

  /// Cancels an asynchronous opening that has not completed.
  package func cancel(_ waiter: AttachmentWaiter) {
    lock.withLock { waiter.end(.failure(RemoraError(.cancelled, "the opening of the attachment was cancelled")), $0) }
  }

  /// Adds a caller to a run that can provide the attachment, or begins a run.
  private func joinOrBegin(
    _ waiter: AttachmentWaiter, _ wanted: WantedAttachment, of source: Source, _ locked: Locked
  ) throws(RemoraError) {
    try source.requireOpen(locked)
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    let isLocal = waiter.withoutRequest != nil
    for run in state[locked].runs where run.wanted == wanted {
      if isLocal, run.state[locked].isSearchOver { continue }
      return run.waiters.add(waiter, locked)
    }
    let run = AttachmentRun(wanted, of: source, in: self, locked)
    run.waiters.add(waiter, locked)
    state[locked].runs.append(run)
    run.enqueue(locked) { $0.search($1) }
  }

  // MARK: The client

  /// Ends the asynchronous openings of a handle without calling their listeners. Returns objects to be released after
  /// unlocking.
  func mute(of handle: ObjectIdentifier, _ locked: Locked) -> [Any] {
    state[locked].runs.flatMap { $0.waiters.mute(of: handle, locked) }
  }

  /// Ends the openings of a source, or all, with an error. Returns objects to be released after unlocking.
  func end(of source: Source? = nil, _ error: RemoraError, _ locked: Locked) -> [Any] {
    let (runs, scope) = (state[locked].runs, source.map { ObjectIdentifier($0) })
    let ended = runs.flatMap { run in
      run.waiters.end(locked) { scope == nil || $0.scope == scope ? .failure(error) : nil }
    }
    return (runs as [Any]) + ended
  }

  /// Returns whether a run may send requests now. If not, it is queued until a download ends.
  func beginDownload(of run: AttachmentRun, _ locked: Locked) -> Bool {
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

  /// Removes a run from all lists; the next queued run may send requests.
  func forget(_ run: AttachmentRun, _ locked: Locked) {
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

  /// Called after a fork, in the child: the openings belong to the parent.
  func resumeChild(_ locked: Locked) {
    bases.resumeChild(locked)
    state.with(locked) { state in
      leak((state.runs, state.downloads, state.waiting))
      (state.runs, state.downloads, state.waiting) = ([], [], [])
    }
  }
}

extension WantedAttachment {
  /// Returns the error for a caller that allows no request, if one would be needed; nil for other callers.
  fileprivate func absence(for request: AttachmentRequest, timeoutMs: Int64) -> RemoraError? {
    guard !request.isLocal else {
      return RemoraError(.notFound, "the attachment \(location) is not stored or packaged, and no request is allowed")
    }
    return timeoutMs == 0 ? .timeout(afterMs: 0) : nil
  }
}
