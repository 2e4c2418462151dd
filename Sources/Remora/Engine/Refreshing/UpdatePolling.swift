// SPDX-License-Identifier: Apache-2.0
//
// Decides whether this process polls for images that other processes store. A running engine thread polls once a
// second. The thread is started for a source that is read after a grace period, or in a forked child. So a process that
// only reads sees changes, and one that ends soon does not pay for a thread.

struct UpdatePolling: SourcePart, Sendable {
  let adoption: Adoption

  var core: SourceCore { adoption.core }
  private var cell: LiveCell { core.cell }

  /// The grace period: reads do not start the polling for so long after opening, or after a thread could not be
  /// started.
  static let gracePeriodMs: Int64 = 1000

  /// Starts the polling for newer images if the grace period is over. Does not wait for a busy engine lock, but
  /// leaves it to the next read; only the first read in a forked child waits briefly.
  func startPollingIfNeeded() {
    guard cell.isNotPolling, cell.isGracePeriodOver(monotonicMs: lock.monotonicMs) else { return }
    adoptAfterFork()
    lock.withLockIfFree { locked in
      guard isOpen(locked) else { return }
      do throws(RemoraError) {
        if core.usesStorage { try runtime.startWorker(locked) }
        try services.delivery.startIfWaitedFor(locked)
        note(true, locked)
      } catch {
        note(false, graceEndMs: lock.monotonicMs + Self.gracePeriodMs, locked)
      }
    }
  }

  /// The maximum time for which the first read in a forked child waits for a running job.
  private static var longestWaitAfterForkMs: Int64 { 50 }

  /// Picks up, at the first read in a forked child, what was stored since the fork. Until then the cell does not count
  /// as polled, even if the engine thread runs.
  private func adoptAfterFork() {
    guard cell.isUnreadSinceFork else { return }
    runtime.worker.perform(withinMs: Self.longestWaitAfterForkMs) { [self] exclusive in
      guard cell.isUnreadSinceFork else { return }
      cell.noteReadSinceFork()
      adoption.adoptIfNewer(exclusive)
    }
  }

  /// Records whether this process polls for the source: for images that others store, and for events that were kept at
  /// a fork.
  func note(_ isPolling: Bool, graceEndMs: Int64 = 0, _ locked: Locked) {
    guard !core.state[locked].isEnded else { return }
    if isPolling {
      if !cell.isUnreadSinceFork { cell.notePolling() }
    } else if core.usesStorage || services.delivery.hasCalls(locked) {
      cell.stopPolling(untilMonotonicMs: graceEndMs)
    }
  }

  /// Called after a fork, in the child, where no engine thread polls for the source.
  func resumeChild(_ locked: Locked) {
    cell.resumeChild()
    if core.usesStorage { cell.stopPollingByFork() } else { note(false, locked) }
  }
}
