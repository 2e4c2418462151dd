// SPDX-License-Identifier: Apache-2.0
//
// A source and its files: storing, adopting what another process stored, resetting; and publishing, which they share.
// Everything here but `reset` runs in jobs of the worker.

extension Source {
  /// Stores an image and gives the one to publish: the stored file's, or the compiled one when that failed.
  func store(_ compiled: Image, _ run: Run) -> Image {
    guard client.options.storage != nil else { return compiled }
    do throws(RemoraError) {
      guard let filesLock = run.filesLock else { return compiled }
      if isLiveDamaged { try filesLock.removeImage(.live) }
      isLiveDamaged = false
      let stored = try Image(filesLock.commitImage(compiled.buffer.bytes, to: .live), trustingChecksum: true)
      lock.withLock { storageError = nil }
      return stored
    } catch {
      noteStorage(error, "the new settings are kept in memory only")
      return compiled
    }
  }

  /// Notes an attempt. It is written with what it came to, and at the latest when the run lets its files go.
  func noteAttempt(_ run: Run, nowMs: Int64) {
    lock.withLock {
      ledger.lastAttemptMs = nowMs
      ledger.jitter = client.options.random()
    }
    run.owesAttempt = true
  }

  /// Lets the files of a run go, with its attempt in the ledger.
  func letGoOfFiles(_ run: Run) {
    guard let filesLock = run.filesLock else { return }
    if run.owesAttempt {
      do throws(RemoraError) {
        try filesLock.writeLedger(ledger)
      } catch {
        noteStorage(error)
      }
    }
    run.owesAttempt = false
    filesLock.unlock()
    run.filesLock = nil
  }

  /// Notes a success in a ledger, and writes it.
  func note(success next: inout SourceLedger, of image: Image, _ run: Run, nowMs: Int64) {
    next.lastSuccessMs = nowMs
    if let etag = run.etag {
      next.etag = etag.tag
      next.etagURL = etag.url
      next.etagImage = image.checksum
    }
    run.owesAttempt = false
    do throws(RemoraError) {
      try run.filesLock?.writeLedger(next)
    } catch {
      noteStorage(error)
    }
  }

  /// Remembers and logs a storage failure.
  func noteStorage(_ error: RemoraError, _ consequence: StaticString = "the settings in memory are not affected") {
    client.note(.warning, "\(error.message); \(consequence)")
    lock.withLock { storageError = error }
  }

  /// Makes a snapshot live and queues the event of it, if there is one.
  func publish(_ snapshot: Snapshot, _ next: SourceLedger, _ event: (Snapshot, Snapshot) -> Event?) {
    cell.publish(snapshot)
    firstRequest = nil
    let old = lock.withLock {
      let old = live
      live = snapshot
      ledger = next
      if let event = event(old, snapshot) { notify(event) }
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Takes over what another client or process stored since. Returns whether there was something.
  func adopt() -> Bool {
    guard let storage = client.options.storage else { return false }
    let newest = storage.readLedger(name)
    guard (newest.epoch, newest.generation) > (ledger.epoch, ledger.generation) else { return false }
    let stored = StoredState(of: dialect.identity, name, in: storage)
    isLiveDamaged = stored.isLiveDamaged
    if let problem = stored.problem { noteStorage(problem) } else { lock.withLock { storageError = nil } }
    let isReset = stored.ledger.epoch > ledger.epoch
    guard let image = stored.image, isReset || image.metadata.version >= ledger.floor else {
      guard isReset else {
        // Looked at and of no use: not again before there is something newer.
        lock.withLock { ledger.generation = newest.generation }
        return false
      }
      publish(startWithoutCache(), stored.ledger) { Event(.reset, old: $0, new: $1) }
      return true
    }
    publish(compose(image, .fetched), stored.ledger) { Event(.adopted, old: $0, new: $1) }
    return true
  }

  /// The once-a-second look; not while a run of this source holds the files. Returns whether there was something.
  @discardableResult
  func adoptIfNewer() -> Bool { lock.withLock { runs.isEmpty && !isEnded } && adopt() }

  /// Forgets everything fetched; waits at most 5 s for the files.
  package func reset() throws(RemoraError) {
    let reply = Reply()
    let deadline = monotonicMs() + 5000
    let dropped = try lock.withLock { () throws(RemoraError) in
      try requireOpen()
      try runtime.startWorker()
      let dropped = endRuns(RemoraError(.cancelled, "the source was reset"))
      runtime.worker.enqueue { [self] in reset(reply, deadlineMs: deadline) }
      while reply.result == nil, !isEnded, !runtime.isExiting { _ = lock.wait(untilMonotonicMs: nil) }
      return dropped
    }
    withExtendedLifetime(dropped) {}
    try lock.withLock { reply.result ?? .failure(.closed) }.get()
  }

  private func reset(_ reply: Reply, deadlineMs: Int64) {
    let result: Result<Void, RemoraError>
    do throws(RemoraError) {
      var next = SourceLedger()
      next.epoch = ledger.epoch &+ 1
      next.generation = ledger.generation &+ 1
      if let storage = client.options.storage {
        guard let filesLock = try storage.tryLock(name) else {
          guard monotonicMs() < deadlineMs else {
            throw RemoraError(.storage, "another process is refreshing this source")
          }
          lock.withLock {
            runtime.worker.enqueue(atMonotonicMs: monotonicMs() + 25) { [self] in reset(reply, deadlineMs: deadlineMs) }
          }
          return
        }
        // The epoch is the reset: images of an older one are never read again, whether or not they can be removed.
        try filesLock.writeLedger(next, durable: true)
        do throws(RemoraError) {
          try filesLock.removeImages()
        } catch {
          noteStorage(error)
        }
        filesLock.unlock()
      }
      // A clock that was ahead for a moment must not keep certificates expired.
      client.updateServerLedger(of: self) { $0.clockFloorMs = 0 }
      publish(startWithoutCache(), next) { Event(.reset, old: $0, new: $1) }
      lock.withLock { lastError = nil }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    lock.withLock {
      reply.result = result
      lock.broadcast()
    }
  }
}

/// What a job answers to the caller who waits for it.
///
/// `@unchecked Sendable`: guarded by the process's lock.
private final class Reply: @unchecked Sendable {
  var result: Result<Void, RemoraError>?
}
