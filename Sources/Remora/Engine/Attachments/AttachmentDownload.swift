// SPDX-License-Identifier: Apache-2.0
//
// Attachments from the server: take the files, learn the base, download or continue, verify, store. Jobs in this order;
// the bytes go from the driving thread to the part without passing through here.

internal import Glibc

extension AttachmentRun {
  /// How long to wait until another look at files that somebody else has.
  private static let patienceMs: Int64 = 100

  /// Takes the right to write the file. While another has it, looks again soon: that other may bring what is wanted.
  func takePart(_ right: borrowing Exclusive) {
    do throws(RemoraError) {
      guard let part = try openPart(right) else { return }
      if part.count == wanted.bytes { return verify(right) }
      // Once: a pause that the root document asks for begins behind what that leads to.
      if !work.read(right, \.isAllowed) { try source.core.requireNoBackoff() }
      work.set(right, \.isAllowed, to: true)
      guard let base = attachments.bases.known(wanted.server) else {
        return attachments.bases.ask(for: self, right)
      }
      try download(under: base, right)
    } catch {
      fail(error, right)
    }
  }

  /// Begins or continues the download.
  func download(under base: ParsedURL, _ right: borrowing Exclusive) throws(RemoraError) {
    try send(try source.dialect.requireAttachments().gather(wanted.location, under: base), right)
  }

  /// The file for the bytes; nil if the run goes on in another job.
  private func openPart(_ right: borrowing Exclusive) throws(RemoraError) -> PartFile? {
    if let part = work.read(right, \.part) { return part }
    guard let storage = try? services.requireStorage(), storage.writeProblem == nil else {
      return try keepInMemory(right)
    }
    do throws(RemoraError) {
      guard let filesLock = try storage.tryLock(wanted.name.storageName) else {
        lock.withLock {
          runtime.worker.enqueue(atMonotonicMs: lock.monotonicMs + Self.patienceMs, $0) { [self] _ in
            lock.withLock { locked in enqueue(locked) { $0.search($1) } }
          }
        }
        return nil
      }
      let (isDamaged, problem) = work.with(right) { ($0.isStoredDamaged, $0.storedProblem) }
      if isDamaged { try filesLock.removeAttachment(wanted.name) }
      if problem == nil, try storage.openAttachment(wanted.name, bytes: wanted.bytes) != nil {
        // Somebody stored it in between.
        search(right)
        return nil
      }
      let part = try filesLock.openPart(wanted.name)
      if part.count > wanted.bytes { try part.truncate(to: 0) }
      work.with(right) { ($0.isPatched, $0.part, $0.filesLock) = (part.count > 0, part, filesLock) }
      return part
    } catch {
      guard error.code == .permission else { throw error }
      source.note(.warning, "\(error.message); the attachment is kept in memory only")
      return try keepInMemory(right)
    }
  }

  private func keepInMemory(_ right: borrowing Exclusive) throws(RemoraError) -> PartFile {
    let part = try PartFile.inMemory(wanted.name)
    work.set(right, \.part, to: part)
    return part
  }

  // MARK: The transfer

  private func send(_ gather: Gather, _ right: borrowing Exclusive) throws(RemoraError) {
    guard let part = work.read(right, \.part) else { throw RemoraError(.internal, "an attachment has no place to go") }
    let (total, before) = (wanted.bytes, part.count)
    work.set(right, \.bytesBefore, to: before)
    var request = HTTPRequest(gather.url, text: gather.urlText, options: services.options.transportOptions)
    // A slow line is legitimate; a stalled one is not.
    request.options.totalTimeoutMs = -1
    // The host's headers may carry credentials, which are for its server alone.
    if !gather.isOwnOrigin { request.options.headers = [] }
    request.destination = BodyDestination(
      offset: before, limit: total, write: { part.write($0, at: $1) }, progress: { [self] in noteProgress($0) })
    try lock.withLock { locked throws(RemoraError) in
      guard !state.read(locked, \.isOver) else { return }
      let transfer = try runtime.worker.send(request, by: services.transport, locked) { [self] answer, right in
        arrive(answer, to: gather, right)
      }
      state.set(locked, \.transfer, to: transfer)
    }
  }

  /// Reports progress to the callers about a hundred times. On the driving thread.
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

  private func arrive(_ answer: Result<HTTPResponse, RemoraError>, to gather: Gather, _ right: borrowing Exclusive) {
    guard !lock.withLock({ state.read($0, \.isOver) }) else { return }
    do throws(RemoraError) {
      switch answer {
      case .success(let response): try receive(response, to: gather, right)
      case .failure(let error): try recover(from: error, gather, right)
      }
    } catch {
      fail(error.answered(by: answer), right)
    }
  }

  private func receive(
    _ response: HTTPResponse, to gather: Gather, _ right: borrowing Exclusive
  ) throws(RemoraError) {
    if gather.isOwnOrigin { source.core.noteBackoff(response.headers) }
    work.set(right, \.httpStatus, to: response.status)
    if let elsewhere = try gather.redirect(by: response, source.dialect) { return try send(elsewhere, right) }
    let (bytesBefore, mayRestart, isBaseFresh) = work.with(right) { ($0.bytesBefore, $0.mayRestart, $0.isBaseFresh) }
    switch response.status {
    case 206:
      work.set(right, \.isPatched, to: bytesBefore > 0)
      verify(right)
    case 200:
      work.set(right, \.isPatched, to: false)
      verify(right)
    case 416 where bytesBefore > 0 && mayRestart:
      restart(right)
    default:
      // The server may have moved its attachments; what was learned in this run is new.
      if !isBaseFresh { attachments.bases.forget(wanted.server) }
      throw gather.failure(response, of: gather.url.originText)
    }
  }

  /// Continues what broke off after some bytes; everything else is the end.
  private func recover(
    from error: RemoraError, _ gather: Gather, _ right: borrowing Exclusive
  ) throws(RemoraError) {
    let (bytesBefore, mayRestart, resumesLeft) = work.with(right) { ($0.bytesBefore, $0.mayRestart, $0.resumesLeft) }
    let count = work.read(right, \.part)?.count ?? 0
    switch error.code {
    case .network where resumesLeft > 0 && count > bytesBefore:
      work.with(right) { ($0.resumesLeft, $0.isPatched) = (resumesLeft - 1, true) }
      if count == wanted.bytes { verify(right) } else { try send(gather, right) }
    // A server that cannot continue must not keep anybody from the whole.
    case .format where bytesBefore > 0 && mayRestart:
      restart(right)
    case .tooLarge:
      try refuse("has more bytes than the \(wanted.bytes) that its record says", right)
    case .storage:
      // A disk that is full stays full with half an attachment on it.
      discard(right)
      throw error
    default: throw error
    }
  }

  /// Asks for everything, once; in another job, so that nobody looks any more at what is cut off.
  private func restart(_ right: borrowing Exclusive) {
    work.set(right, \.mayRestart, to: false)
    lock.withLock { locked in enqueue(locked) { $0.beginAnew($1) } }
  }

  private func beginAnew(_ right: borrowing Exclusive) {
    do throws(RemoraError) {
      try work.read(right, \.part)?.truncate(to: 0)
      work.set(right, \.isPatched, to: false)
      takePart(right)
    } catch {
      fail(error, right)
    }
  }

  // MARK: The end

  /// Checks the bytes that are there. The base is known: what must be asked for again has the same place.
  private func verify(_ right: borrowing Exclusive) {
    do throws(RemoraError) {
      guard let part = work.read(right, \.part) else {
        throw RemoraError(.internal, "an attachment has no place to go")
      }
      guard part.count == wanted.bytes else {
        return try refuse("has \(part.count) bytes and not the \(wanted.bytes) that its record says", right)
      }
      let content = try part.load()
      check(content, right) { run, isRight, right in run.conclude(content, isRight: isRight, right) }
    } catch {
      fail(error, right)
    }
  }

  private func conclude(_ content: ImageBuffer, isRight: Bool, _ right: borrowing Exclusive) {
    do throws(RemoraError) {
      guard isRight else { return try refuse("has another SHA-256 than its record says", right) }
      guard let part = work.read(right, \.part), let filesLock = work.read(right, \.filesLock) else {
        let attachment = Attachment(verified: content, path: nil)
        attachments.shelf.share(attachment, as: wanted.name)
        return end(.success(attachment), right)
      }
      try filesLock.install(part)
      attachments.shelf.noteChecked(wanted, at: .stored)
      source.note(.info, "the attachment \(wanted.location) was fetched: \(wanted.bytes) bytes")
      end(.success(Attachment(verified: content, path: attachments.shelf.path(wanted, at: .stored))), right)
    } catch {
      fail(error, right)
    }
  }

  /// Refuses the bytes. Those of several answers may not belong together: then everything is asked for once more.
  private func refuse(_ problem: String, _ right: borrowing Exclusive) throws(RemoraError) {
    guard work.with(right, { $0.isPatched && $0.mayRestart }) else {
      discard(right)
      throw RemoraError(
        .attachmentMismatch, "the attachment \(wanted.location) \(problem)", httpStatus: work.read(right, \.httpStatus))
    }
    source.note(.info, "the attachment \(wanted.location) \(problem) after it was continued; it is asked for again")
    restart(right)
  }

  private func discard(_ right: borrowing Exclusive) {
    let (part, filesLock) = work.with(right) { ($0.part, $0.filesLock) }
    if let part { filesLock?.discard(part) }
  }
}
