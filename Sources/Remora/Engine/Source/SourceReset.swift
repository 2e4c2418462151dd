// SPDX-License-Identifier: Apache-2.0
//
// Resets a source: discards all fetched data, in memory and on disk. The new epoch in the ledger is decisive; if the
// files are missing, the source starts as if nothing had been fetched.

typealias ResetWaiter = Waiter<Never, Result<Void, RemoraError>>

final class SourceReset: SourcePart, Sendable {
  let core: SourceCore
  private let publisher: SourcePublisher
  private let refreshes: Refreshes
  private let waiters = Waiters<Never, Result<Void, RemoraError>>()

  init(_ publisher: SourcePublisher, _ refreshes: Refreshes) {
    core = publisher.core
    self.publisher = publisher
    self.refreshes = refreshes
  }

  /// Discards all fetched data; waits at most 5 s for the files.
  func reset() throws(RemoraError) {
    let waiter = ResetWaiter(.blocked(lock))
    let deadline = lock.monotonicMs + 5000
    let (result, dropped) = try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      try runtime.worker.requireOtherThread(locked)
      try runtime.startWorker(locked)
      let dropped = refreshes.end(RemoraError(.cancelled, "the source was reset"), locked)
      waiters.add(waiter, locked)
      runtime.worker.enqueue(locked) { [self] in reset(for: waiter, deadlineMs: deadline, $0) }
      return (waiter.wait(forMs: -1, services.limits, locked) {}, dropped)
    }
    withExtendedLifetime(dropped) {}
    try result.get()
  }

  private func reset(for waiter: ResetWaiter, deadlineMs: Int64, _ exclusive: Exclusive) {
    let result: Result<Void, RemoraError>
    do throws(RemoraError) {
      var next = SourceLedger()
      let storage = try requireStorage()
      let ledger = ledger
      next.epoch = try StoredState.newestEpoch(of: dialect.identities, in: storage, ledger) &+ 1
      next.generation = ledger.generation &+ 1
      if let storage {
        guard let filesLock = try storage.tryLock(name) else {
          guard lock.monotonicMs < deadlineMs else {
            throw .busyFiles
          }
          return lock.withLock {
            runtime.worker.enqueue(atMonotonicMs: lock.monotonicMs + 25, $0) { [self] in
              reset(for: waiter, deadlineMs: deadlineMs, $0)
            }
          }
        }
        defer { filesLock.unlock() }
        try resetFiles(filesLock, in: storage, to: next)
      }
      // Certificates must not stay expired because the clock was temporarily ahead.
      core.updateServer { $0.clockFloorMs = 0 }
      publisher.carryOut(.reset(next, start: publisher.files.startData), exclusive)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    lock.withLock { waiter.end(result, $0) }
  }

  /// Writes the epoch of a reset, and removes older data.
  private func resetFiles(
    _ filesLock: SourceLock, in storage: StorageDirectory, to next: SourceLedger
  ) throws(RemoraError) {
    // The epoch makes the reset effective: images of an older epoch are never read again, even if they cannot be
    // removed. Other processes follow as soon as it is written.
    try filesLock.writeLedger(next)
    do throws(RemoraError) {
      try filesLock.syncLedger()
    } catch {
      noteStorage(error, "a power failure may undo the reset")
    }
    // Removed explicitly, because a seed has no epoch.
    do throws(RemoraError) {
      guard let seedLock = try storage.tryLock(name.ofSeed) else { throw .busySeed }
      defer { seedLock.unlock() }
      try seedLock.removeSeed(of: name)
    } catch {
      noteStorage(error, "the installed seed data was not removed, and will be used when the source is opened again")
    }
    do throws(RemoraError) {
      try filesLock.removeImages()
    } catch {
      noteStorage(error)
    }
  }

  /// Ends all waits for resets, because the source is closed or the process exits. Returns objects to be released after
  /// unlocking.
  func endCalls(_ locked: Locked) -> [Any] { waiters.end(locked) { _ in .failure(.closedSource) } }

  /// Called after a fork, in the child: the callers belong to the parent.
  func resumeChild(_ locked: Locked) { waiters.resumeChild(locked) }
}
