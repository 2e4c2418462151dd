// SPDX-License-Identifier: Apache-2.0
//
// Reset: what was fetched is forgotten, in memory and on disk. The ledger's new epoch is what counts; without its files
// everything begins as if nothing had been fetched.

extension Source {
  /// What was fetched is forgotten. In jobs only.
  func startAgain(_ next: SourceLedger) {
    owedPromotion = nil
    publish(startWithoutCache(), next) { [self] old, new in
      staged = nil
      return Event(.reset, old: old, new: new)
    }
  }

  /// What is live then.
  private func startWithoutCache() -> Snapshot {
    lock.withLock { layers.carriedOver = CarriedKeys() }
    if let packaged { return compose(packaged.image, .packaged) }
    return defaults.map { compose($0.image, .defaults) } ?? compose(client.nothing.base, .none)
  }

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
      let storage = try requireStorage()
      next.epoch = StoredState.newestEpoch(of: dialect.earlierIdentities, in: storage, ledger) &+ 1
      next.generation = ledger.generation &+ 1
      if let storage {
        guard let filesLock = try storage.tryLock(name) else {
          guard monotonicMs() < deadlineMs else {
            throw .busyFiles
          }
          lock.withLock {
            runtime.worker.enqueue(atMonotonicMs: monotonicMs() + 25) { [self] in reset(reply, deadlineMs: deadlineMs) }
          }
          return
        }
        // The epoch is the reset: images of an older one are never read again, whether or not they can be removed.
        do throws(RemoraError) {
          try filesLock.writeLedger(next, durable: true)
        } catch {
          // Other processes follow what they read: a ledger that was written, but not synced, is a reset.
          guard storage.readLedger(name).epoch == next.epoch else { throw error }
          noteStorage(error, "a power cut may undo the reset")
        }
        // A seed has no epoch.
        do throws(RemoraError) {
          guard let seedLock = try storage.tryLock(name.ofSeed) else { throw .busySeed }
          defer { seedLock.unlock() }
          try seedLock.removeSeed(of: name)
        } catch {
          noteStorage(error, "a seed is taken over by the next opening")
        }
        do throws(RemoraError) {
          try filesLock.removeImages()
        } catch {
          noteStorage(error)
        }
        filesLock.unlock()
      }
      // A clock that was ahead for a moment must not keep certificates expired.
      client.updateServerLedger(of: self) { $0.clockFloorMs = 0 }
      startAgain(next)
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
