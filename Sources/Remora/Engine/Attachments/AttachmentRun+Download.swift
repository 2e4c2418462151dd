// SPDX-License-Identifier: Apache-2.0
//
// Downloads an attachment: lock the files, find the base URL, download or resume, verify, store. Each step is a job;
// the bytes are written from the driving thread to the part file directly.

internal import Glibc

extension AttachmentRun {
  /// The time between attempts to lock files that another holder has locked.
  private static let lockRetryMs: Int64 = 100

  /// Locks the part file. If another holder has locked it, searches again soon, because that holder may store the
  /// attachment.
  func takePart(_ exclusive: Exclusive) {
    do throws(RemoraError) {
      guard let part = try openPart(exclusive) else { return }
      if part.count == wanted.bytes { return verify(exclusive) }
      // Checked once per run: a backoff that the root document requests takes effect after this download.
      if !work[exclusive].isAllowed { try source.core.requireNoBackoff() }
      work[exclusive].isAllowed = true
      guard let base = attachments.bases.known(wanted.server) else {
        return attachments.bases.ask(for: self, exclusive)
      }
      try download(under: base, exclusive)
    } catch {
      fail(error, exclusive)
    }
  }

  /// Begins or resumes the download.
  func download(under base: ParsedURL, _ exclusive: Exclusive) throws(RemoraError) {
    try send(try source.dialect.requireAttachments().gather(wanted.location, under: base), exclusive)
  }

  /// Opens the file for the bytes; nil if the run continues in another job.
  private func openPart(_ exclusive: Exclusive) throws(RemoraError) -> PartFile? {
    if let part = work[exclusive].part { return part }
    guard let storage = try? services.requireStorage(), storage.writeProblem == nil else {
      return try keepInMemory(exclusive)
    }
    do throws(RemoraError) {
      guard let filesLock = try storage.tryLock(wanted.name.storageName) else {
        lock.withLock {
          runtime.worker.enqueue(atMonotonicMs: lock.monotonicMs + Self.lockRetryMs, $0) { [self] _ in
            lock.withLock { locked in enqueue(locked) { $0.searchStored($1) } }
          }
        }
        return nil
      }
      let (isDamaged, problem) = work.with(exclusive) { ($0.isStoredDamaged, $0.storedProblem) }
      if isDamaged { try filesLock.removeAttachment(wanted.name) }
      if problem == nil, try storage.openAttachment(wanted.name, bytes: wanted.bytes) != nil {
        // Another holder has stored the attachment in the meantime.
        search(exclusive)
        return nil
      }
      let part = try filesLock.openPart(wanted.name)
      if part.count > wanted.bytes { try part.truncate(to: 0) }
      work.with(exclusive) { ($0.isPatched, $0.part, $0.filesLock) = (part.count > 0, part, filesLock) }
      return part
    } catch {
      guard error.code == .permission else { throw error }
      source.note(.warning, "\(error.message); the attachment is kept in memory only")
      return try keepInMemory(exclusive)
    }
  }

  private func keepInMemory(_ exclusive: Exclusive) throws(RemoraError) -> PartFile {
    let part = try PartFile.inMemory(wanted.name)
    work[exclusive].part = part
    return part
  }

  // MARK: The transfer

  private func send(_ gather: Gather, _ exclusive: Exclusive) throws(RemoraError) {
    guard let part = work[exclusive].part else { throw .bug("no download file") }
    let (total, before) = (wanted.bytes, part.count)
    work[exclusive].bytesBefore = before
    var request = HTTPRequest(gather.url, text: gather.urlText, options: services.transportOptions)
    // A slow connection is legitimate; a stalled one is not.
    request.options.totalTimeoutMs = -1
    // Only the source's own server may receive the host's headers and certificate.
    if !gather.isOwnOrigin { request.options.removeCredentials() }
    request.destination = BodyDestination(
      offset: before, limit: total, write: { part.write($0, at: $1) }, progress: { [self] in noteProgress($0) })
    source.core.note(.debug, "sends \(gather.logText)")
    try lock.withLock { locked throws(RemoraError) in
      guard !state[locked].isOver else { return }
      let transfer = try runtime.worker.send(request, by: services.transport, locked) { [self] answer, exclusive in
        arrive(answer, to: gather, exclusive)
      }
      state[locked].transfer = transfer
    }
  }

  /// Reports progress to the callers about a hundred times per download. Called on the driving thread.
  private func noteProgress(_ count: Int) {
    lock.withLock { locked in
      let isReported = state.with(locked) { state in
        let step = max(1, wanted.bytes / 100)
        guard count == wanted.bytes || abs(count - state.reportedBytes) >= step else { return false }
        (state.reportedBytes, state.hasReceived) = (count, true)
        return true
      }
      if isReported { waiters.report(AttachmentProgress(received: count, total: wanted.bytes), locked) }
    }
  }

  private func arrive(_ answer: Result<HTTPResponse, RemoraError>, to gather: Gather, _ exclusive: Exclusive) {
    guard !lock.withLock({ state[$0].isOver }) else { return }
    do throws(RemoraError) {
      switch answer {
      case .success(let response): try receive(response, to: gather, exclusive)
      case .failure(let error): try recover(from: error, gather, exclusive)
      }
    } catch {
      fail(error.answered(by: answer), exclusive)
    }
  }

  private func receive(
    _ response: HTTPResponse, to gather: Gather, _ exclusive: Exclusive
  ) throws(RemoraError) {
    source.core.noteRequests(of: response, to: gather)
    work[exclusive].httpStatus = response.status
    if let elsewhere = try gather.redirect(by: response, source.dialect) { return try send(elsewhere, exclusive) }
    let (bytesBefore, mayRestart, isBaseFresh) = work.with(exclusive) {
      ($0.bytesBefore, $0.mayRestart, $0.isBaseFresh)
    }
    switch response.status {
    case 206:
      work[exclusive].isPatched = bytesBefore > 0
      verify(exclusive)
    case 200:
      work[exclusive].isPatched = false
      verify(exclusive)
    case 416 where bytesBefore > 0 && mayRestart:
      restart(exclusive)
    default:
      // The server may have moved its attachments. A base URL that was requested in this run is still valid.
      if !isBaseFresh { attachments.bases.forget(wanted.server) }
      throw gather.failure(response, of: gather.url.originText)
    }
  }

  /// Resumes a download that was interrupted after some bytes; rethrows all other errors.
  private func recover(
    from error: RemoraError, _ gather: Gather, _ exclusive: Exclusive
  ) throws(RemoraError) {
    let (bytesBefore, mayRestart, resumesLeft) = work.with(exclusive) {
      ($0.bytesBefore, $0.mayRestart, $0.resumesLeft)
    }
    let count = work[exclusive].part?.count ?? 0
    switch error.code {
    case .network where resumesLeft > 0 && count > bytesBefore:
      work.with(exclusive) { ($0.resumesLeft, $0.isPatched) = (resumesLeft - 1, true) }
      if count == wanted.bytes { verify(exclusive) } else { try send(gather, exclusive) }
    // If the server cannot resume the download, the whole attachment is requested.
    case .format where bytesBefore > 0 && mayRestart:
      restart(exclusive)
    case .tooLarge:
      try refuse("has more than the \(wanted.bytes) bytes that its record states", exclusive)
    case .storage:
      // A partial attachment would keep the disk full.
      discard(exclusive)
      throw error
    default: throw error
    }
  }

  /// Requests the whole attachment, once. Runs in another job, so that no code still reads the removed bytes.
  private func restart(_ exclusive: Exclusive) {
    work[exclusive].mayRestart = false
    lock.withLock { locked in enqueue(locked) { $0.beginAnew($1) } }
  }

  private func beginAnew(_ exclusive: Exclusive) {
    do throws(RemoraError) {
      try work[exclusive].part?.truncate(to: 0)
      work[exclusive].isPatched = false
      takePart(exclusive)
    } catch {
      fail(error, exclusive)
    }
  }

  // MARK: The end

  /// Checks the received bytes. A repeated request uses the same base URL.
  private func verify(_ exclusive: Exclusive) {
    do throws(RemoraError) {
      guard let part = work[exclusive].part else {
        throw .bug("no download file")
      }
      guard part.count == wanted.bytes else {
        return try refuse("has \(part.count) bytes instead of the \(wanted.bytes) that its record states", exclusive)
      }
      let content = try part.load()
      check(content, exclusive) { run, isRight, exclusive in run.conclude(content, isRight: isRight, exclusive) }
    } catch {
      fail(error, exclusive)
    }
  }

  private func conclude(_ content: ImageBuffer, isRight: Bool, _ exclusive: Exclusive) {
    do throws(RemoraError) {
      guard isRight else { return try refuse("does not have the SHA-256 that its record states", exclusive) }
      guard let part = work[exclusive].part, let filesLock = work[exclusive].filesLock else {
        let attachment = Attachment(verified: content, path: nil)
        attachments.local.share(attachment, as: wanted.name)
        return end(.success(attachment), exclusive)
      }
      try filesLock.install(part)
      // The directory may have been replaced during the download.
      let isThere = filesLock.directory === services.followedStorage().directory
      if isThere { attachments.local.noteChecked(wanted, at: .stored, content) }
      source.note(.info, "the attachment \(wanted.location) was fetched: \(wanted.bytes) bytes")
      let path = isThere ? attachments.local.path(wanted, at: .stored) : nil
      end(.success(Attachment(verified: content, path: path)), exclusive)
    } catch {
      fail(error, exclusive)
    }
  }

  /// Refuses the bytes. If they result from several responses, these may not match; the whole attachment is requested
  /// again.
  private func refuse(_ problem: String, _ exclusive: Exclusive) throws(RemoraError) {
    guard work.with(exclusive, { $0.isPatched && $0.mayRestart }) else {
      discard(exclusive)
      throw RemoraError(
        .attachmentMismatch, "the attachment \(wanted.location) \(problem)", httpStatus: work[exclusive].httpStatus)
    }
    source.note(
      .info,
      "the attachment \(wanted.location) \(problem); its download was resumed, so the whole file is requested again")
    restart(exclusive)
  }

  private func discard(_ exclusive: Exclusive) {
    let (part, filesLock) = work.with(exclusive) { ($0.part, $0.filesLock) }
    if let part { filesLock?.discard(part) }
  }
}
