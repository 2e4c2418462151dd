// SPDX-License-Identifier: Apache-2.0
//
// Attachments from the server: take the files, learn the base, download or continue, verify, store. Jobs of the
// worker, in this order; the bytes go from the I/O thread to the part without passing through here.

internal import Glibc

extension AttachmentRun {
  /// How long to wait until another look at files that somebody else has.
  private static let patienceMs: Int64 = 100

  /// Takes the right to write the file. While another has it, looks again soon: that other may bring what is wanted.
  func takePart() {
    do throws(RemoraError) {
      guard try openPart() else { return }
      if part?.count == wanted.bytes { return verify() }
      // Once: a pause that the root document asks for begins behind what that leads to.
      if !isAllowed { try client.requireNoBackoff(of: source) }
      isAllowed = true
      guard let base = lock.withLock({ client.attachments.bases[wanted.server] }) else {
        return client.askBase(for: self)
      }
      try download(under: base)
    } catch {
      fail(error)
    }
  }

  /// Begins or continues the download.
  func download(under base: ParsedURL) throws(RemoraError) {
    try send(try source.dialect.requireAttachments().gather(wanted.location, under: base))
  }

  private func openPart() throws(RemoraError) -> Bool {
    guard part == nil else { return true }
    guard let storage = try? client.requireStorage(), storage.writeProblem == nil else {
      part = try .inMemory(wanted.name)
      return true
    }
    do throws(RemoraError) {
      guard let filesLock = try storage.tryLock(wanted.name.storageName) else {
        lock.withLock {
          runtime.worker.enqueue(atMonotonicMs: monotonicMs() + Self.patienceMs) { [self] in
            lock.withLock { enqueue { $0.search() } }
          }
        }
        return false
      }
      if isStoredDamaged { try filesLock.removeAttachment(wanted.name) }
      if storedProblem == nil, try storage.openAttachment(wanted.name, bytes: wanted.bytes) != nil {
        // Somebody stored it in between.
        search()
        return false
      }
      let opened = try filesLock.openPart(wanted.name)
      if opened.count > wanted.bytes { try opened.truncate(to: 0) }
      isPatched = opened.count > 0
      part = opened
      self.filesLock = filesLock
    } catch {
      guard error.code == .permission else { throw error }
      source.note(.warning, "\(error.message); the attachment is kept in memory only")
      part = try .inMemory(wanted.name)
    }
    return true
  }

  // MARK: The transfer

  private func send(_ gather: Gather) throws(RemoraError) {
    guard let part else { throw RemoraError(.internal, "an attachment has no place to go") }
    let (total, before) = (wanted.bytes, part.count)
    bytesBefore = before
    var request = HTTPRequest(gather.url, text: gather.urlText, options: client.options.transportOptions)
    // A slow line is legitimate; a stalled one is not.
    request.options.totalTimeoutMs = -1
    // The host's headers may carry credentials, which are for its server alone.
    if !gather.isOwnOrigin { request.options.headers = [] }
    request.destination = BodyDestination(
      offset: before, limit: total, write: { part.write($0, at: $1) }, progress: { [self] in noteProgress($0) })
    try lock.withLock { () throws(RemoraError) in
      guard !isOver else { return }
      transfer = try client.transport.start(request) { [self] answer in
        lock.withLock { enqueue { $0.arrive(answer, to: gather) } }
      }
    }
  }

  /// Tells the callers about a hundred times. On the I/O thread.
  private func noteProgress(_ count: Int) {
    guard count == wanted.bytes || abs(count - toldBytes) >= max(1, wanted.bytes / 100) else { return }
    toldBytes = count
    lock.withLock {
      hasReceived = true
      for ticket in tickets { ticket.tell(count, of: wanted.bytes) }
    }
  }

  private func arrive(_ answer: Result<HTTPResponse, RemoraError>, to gather: Gather) {
    do throws(RemoraError) {
      switch answer {
      case .success(let response): try receive(response, to: gather)
      case .failure(let error): try recover(from: error, gather)
      }
    } catch {
      fail(error)
    }
  }

  private func receive(_ response: HTTPResponse, to gather: Gather) throws(RemoraError) {
    if gather.isOwnOrigin { client.noteBackoff(response.headers, of: source) }
    if let elsewhere = try gather.redirect(by: response, source.dialect) { return try send(elsewhere) }
    switch response.status {
    case 206:
      isPatched = bytesBefore > 0
      verify()
    case 200:
      isPatched = false
      verify()
    case 416 where bytesBefore > 0 && mayRestart:
      restart()
    default:
      // The server may have moved its attachments; what was learned in this run is new.
      if !isBaseFresh { lock.withLock { client.attachments.bases[wanted.server] = nil } }
      throw gather.failure(response, of: gather.url.originText)
    }
  }

  /// Continues what broke off after some bytes; everything else is the end.
  private func recover(from error: RemoraError, _ gather: Gather) throws(RemoraError) {
    switch error.code {
    case .network where resumesLeft > 0 && (part?.count ?? 0) > bytesBefore:
      resumesLeft -= 1
      isPatched = true
      if part?.count == wanted.bytes { verify() } else { try send(gather) }
    // A server that cannot continue must not keep anybody from the whole.
    case .format where bytesBefore > 0 && mayRestart:
      restart()
    case .tooLarge:
      try refuse("has more bytes than the \(wanted.bytes) that its record says")
    case .storage:
      // A disk that is full stays full with half an attachment on it.
      discard()
      throw error
    default: throw error
    }
  }

  /// Asks for everything, once; in another job, so that nobody looks any more at what is cut off.
  private func restart() {
    mayRestart = false
    lock.withLock { enqueue { $0.beginAnew() } }
  }

  private func beginAnew() {
    do throws(RemoraError) {
      try part?.truncate(to: 0)
      isPatched = false
      takePart()
    } catch {
      fail(error)
    }
  }

  // MARK: The end

  /// Checks the bytes that are there. The base is known: what must be asked for again has the same place.
  private func verify() {
    do throws(RemoraError) {
      guard let part else { throw RemoraError(.internal, "an attachment has no place to go") }
      guard part.count == wanted.bytes else {
        return try refuse("has \(part.count) bytes and not the \(wanted.bytes) that its record says")
      }
      let content = try part.load()
      check(content) { run, isRight in run.conclude(content, isRight: isRight) }
    } catch {
      fail(error)
    }
  }

  private func conclude(_ content: ImageBuffer, isRight: Bool) {
    do throws(RemoraError) {
      guard isRight else { return try refuse("has another SHA-256 than its record says") }
      guard let part, let filesLock else {
        let attachment = Attachment(verified: content, path: nil)
        client.share(attachment, as: wanted.name)
        return end(.success(attachment))
      }
      try filesLock.install(part)
      client.noteChecked(wanted, at: .stored)
      source.note(.info, "the attachment \(wanted.location) was fetched: \(wanted.bytes) bytes")
      end(.success(Attachment(verified: content, path: client.path(wanted, at: .stored))))
    } catch {
      fail(error)
    }
  }

  /// Refuses the bytes. Those of several answers may not belong together: then everything is asked for once more.
  private func refuse(_ problem: String) throws(RemoraError) {
    guard isPatched, mayRestart else {
      discard()
      throw RemoraError(.attachmentMismatch, "the attachment \(wanted.location) \(problem)")
    }
    source.note(.info, "the attachment \(wanted.location) \(problem) after it was continued; it is asked for again")
    restart()
  }

  private func discard() {
    if let part { filesLock?.discard(part) }
  }
}

extension Client {
  /// Remembers what is in memory only, for who opens it meanwhile.
  fileprivate func share(_ attachment: Attachment, as name: AttachmentName) {
    runtime.lock.withLock {
      attachments.inMemory = attachments.inMemory.filter { $0.value.attachment != nil }
      attachments.inMemory[name] = WeakAttachment(attachment: attachment)
    }
  }
}
