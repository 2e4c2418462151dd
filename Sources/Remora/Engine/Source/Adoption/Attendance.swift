// SPDX-License-Identifier: Apache-2.0
//
// Whether this process looks for images that others store. A worker does, once a second; what is read for longer than
// a moment, or in a forked child, gets one. So a process that only reads sees changes, and one that ends soon pays for
// no thread.

/// Whether this process polls for what others store of a source.
struct Attendance: SourcePart, Sendable {
  let adoption: Adoption

  var core: SourceCore { adoption.core }
  private var cell: LiveCell { core.cell }

  /// How long reads go unnoticed after the source was opened, and after no thread could be started.
  static let patienceMs: Int64 = 1000

  /// Begins to look for newer images, when the time has come. Never waits, but for a moment at the first read in a forked
  /// child: while the lock is busy, it is left to the next read.
  func attendIfUnattended() {
    guard cell.isUnattended, cell.isPatienceOver(monotonicMs: lock.monotonicMs) else { return }
    adoptAfterFork()
    lock.withLockIfFree { locked in
      guard isOpen(locked) else { return }
      do throws(RemoraError) {
        if core.usesStorage { try runtime.startWorker(locked) }
        try services.delivery.startIfWaitedFor(locked)
        note(true, locked)
      } catch {
        note(false, patienceMs: lock.monotonicMs + Self.patienceMs, locked)
      }
    }
  }

  /// How long the first read in a forked child waits for a job that is running there.
  private static var longestWaitAfterForkMs: Int64 { 50 }

  /// Adopts, at the first read in a forked child, what was stored since the fork. Until then the cell stays unattended,
  /// also while there is a worker.
  private func adoptAfterFork() {
    guard cell.isUnreadSinceFork else { return }
    runtime.worker.perform(withinMs: Self.longestWaitAfterForkMs) { [self] right in
      guard cell.isUnreadSinceFork else { return }
      cell.noteReadSinceFork()
      adoption.adoptIfNewer(right)
    }
  }

  /// Notes whether this process looks for what this source has to tell: images that others store, and events that
  /// were kept at a fork.
  func note(_ isAttended: Bool, patienceMs: Int64 = 0, _ locked: borrowing Locked) {
    guard !core.state.read(locked, \.isEnded) else { return }
    if isAttended {
      if !cell.isUnreadSinceFork { cell.attend() }
    } else if core.usesStorage || services.delivery.hasCalls(locked) {
      cell.leaveUnattended(untilMonotonicMs: patienceMs)
    }
  }

  /// After a fork, in the child: those who looked after the source stay with the parent.
  func resumeChild(_ locked: borrowing Locked) {
    cell.resumeChild()
    if core.usesStorage { cell.leaveUnattendedByFork() } else { note(false, locked) }
  }
}
