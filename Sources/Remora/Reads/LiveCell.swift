// SPDX-License-Identifier: Apache-2.0
//
// The live snapshot of a source, and the only place where it is swapped. Readers enter, read and leave; they never wait
// and never change a reference count. Only the publisher waits, for readers of the replaced snapshot.

internal import CSupport
internal import Glibc
internal import Synchronization

/// A swappable snapshot in raw memory.
///
/// Readers increment one of `stripes` counters of the current phase, chosen by thread. The publisher begins an odd
/// phase, swaps the pointer and drains both phases in turn. After that no reader can hold the replaced snapshot, not
/// even one that loaded the phase before the swap and incremented its counter afterwards.
///
/// In an odd phase, readers can see either snapshot. In an even phase, all readers that have loaded the phase first see
/// the same snapshot, so that what they read may be kept as long as the phase lasts.
///
/// `@unchecked Sendable`: constant pointers; everything they point to is atomic or owned by the publisher.
package struct LiveCell: @unchecked Sendable {
  /// The published state: the index for readers, stored inline, and the snapshot that owns it.
  private struct Published {
    let reader: SnapshotReader
    let snapshot: Snapshot
  }

  private static let stripes = 16
  private static let cacheLine = 64
  private static let notPolling = Int.min
  private static let closed = Int.min | 1 << 62

  /// Points to the current `Published`.
  private let current: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Published>>>
  /// The number of phases begun; the lowest bit selects the counters, and is set during a swap. Negative while updates
  /// by other processes are not polled for, or when the cell is closed.
  private let phase: UnsafeMutablePointer<Atomic<Int>>
  /// The monotonic time from which a read must start the polling for updates.
  private let graceEndMs: UnsafeMutablePointer<Atomic<Int64>>
  /// Two times `stripes` reader counters, one cache line each.
  private let counters: UnsafeMutableRawPointer

  package init(_ snapshot: Snapshot) {
    counters = .allocate(byteCount: 2 * Self.stripes * Self.cacheLine, alignment: Self.cacheLine)
    phase = .allocate(capacity: 1)
    phase.initialize(to: Atomic(0))
    graceEndMs = .allocate(capacity: 1)
    graceEndMs.initialize(to: Atomic(0))
    current = .allocate(capacity: 1)
    current.initialize(to: Atomic(Self.box(snapshot)))
    resetCounters()
  }

  /// Destroys the cell; no reader may be active.
  package func destroy() {
    Self.unbox(current.pointee.load(ordering: .acquiring))
    current.deallocate()
    phase.deallocate()
    graceEndMs.deallocate()
    counters.deallocate()
  }

  /// Calls `body` with the live snapshot's index; nil once the cell is closed.
  @inline(__always)
  package func read<Result>(_ body: (UnsafePointer<SnapshotReader>) -> Result) -> Result? {
    let phase = phase.pointee.load(ordering: .sequentiallyConsistent)
    guard !Self.isClosed(phase) else { return nil }
    let counter = enter(phase)
    defer { counter.pointee.subtract(1, ordering: .releasing) }
    let published = current.pointee.load(ordering: .sequentiallyConsistent)
    // The reader is the first field of `Published`.
    return body(UnsafeRawPointer(published).assumingMemoryBound(to: SnapshotReader.self))
  }

  /// Returns the live snapshot, retained.
  package func acquire() -> Snapshot {
    let counter = enter(phase.pointee.load(ordering: .sequentiallyConsistent))
    defer { counter.pointee.subtract(1, ordering: .releasing) }
    return current.pointee.load(ordering: .sequentiallyConsistent).pointee.snapshot
  }

  /// Swaps the snapshot, and waits until no reader uses the previous one. One publisher at a time.
  package func publish(_ snapshot: Snapshot) {
    let even = beginPhase()
    let replaced = current.pointee.exchange(Self.box(snapshot), ordering: .sequentiallyConsistent)
    waitForReaders(of: even)
    let odd = beginPhase()
    waitForReaders(of: odd)
    Self.unbox(replaced)
  }

  /// Closes the cell for readers: `read` returns nil from now on.
  package func close() { phase.pointee.bitwiseOr(Self.closed, ordering: .sequentiallyConsistent) }

  package var isClosed: Bool { Self.isClosed(phase.pointee.load(ordering: .relaxed)) }

  @inline(__always)
  private static func isClosed(_ phase: Int) -> Bool { phase & closed == closed }

  /// Called after a fork, in the child, where readers of other threads do not exist.
  package func resumeChild() { resetCounters() }

  // MARK: Polling for updates by other processes

  /// A number that changes with the live snapshot; a negative or odd value means "unknown". Valid as long as the cell.
  package var revision: UnsafePointer<Int64> { UnsafeRawPointer(phase).assumingMemoryBound(to: Int64.self) }

  @inline(__always)
  var revisionNow: Int { phase.pointee.load(ordering: .sequentiallyConsistent) }

  /// Whether all that is read while `revision` has this value is of one snapshot, so that it may be kept.
  @inline(__always)
  static func isOfOneSnapshot(_ revision: Int) -> Bool { revision >= 0 && revision & 1 == 0 }

  /// How often the live snapshot was replaced, also after the cell was closed. What is read afterwards is of this count
  /// or a later one.
  package var changeCount: Int64 { Int64(phase.pointee.load(ordering: .sequentiallyConsistent) & ~Self.closed) >> 1 }

  /// Whether a read must be reported, because this process does not poll for newer images. Also true for a closed cell.
  @inline(__always)
  package var isNotPolling: Bool { phase.pointee.load(ordering: .relaxed) < 0 }

  /// Whether the grace period is over, so that a read at this time must start the polling.
  func isGracePeriodOver(monotonicMs now: Int64) -> Bool { graceEndMs.pointee.load(ordering: .relaxed) <= now }

  /// Notes that this process does not poll for newer images; from the given monotonic time on, a read must start the
  /// polling.
  func stopPolling(untilMonotonicMs graceEnd: Int64) {
    graceEndMs.pointee.store(graceEnd, ordering: .relaxed)
    phase.pointee.bitwiseOr(Self.notPolling, ordering: .sequentiallyConsistent)
  }

  /// Notes that this is a forked child in which no read has happened yet.
  func stopPollingByFork() { stopPolling(untilMonotonicMs: .min) }

  /// Whether no read has happened since the fork that created this process.
  var isUnreadSinceFork: Bool { graceEndMs.pointee.load(ordering: .relaxed) == .min }

  /// Notes the first read since the fork.
  func noteReadSinceFork() { graceEndMs.pointee.store(0, ordering: .relaxed) }

  /// Notes that this process polls for newer images. Must not be called for a closed cell.
  func notePolling() { phase.pointee.bitwiseAnd(~Self.notPolling, ordering: .sequentiallyConsistent) }

  private func resetCounters() {
    for line in 0..<2 * Self.stripes { counter(line).initialize(to: Atomic(0)) }
  }

  @inline(__always)
  private func counter(_ line: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    (counters + line &* Self.cacheLine).assumingMemoryBound(to: Atomic<Int>.self)
  }

  @inline(__always)
  private func enter(_ phase: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    // Thread descriptors are far apart and aligned; the multiplication distributes them over the stripes.
    let thread = (UInt64(truncatingIfNeeded: remora_thread_pointer()) &* 0x9E37_79B9_7F4A_7C15) >> 60
    let counter = counter((phase & 1) &* Self.stripes &+ Int(truncatingIfNeeded: thread))
    counter.pointee.add(1, ordering: .sequentiallyConsistent)
    return counter
  }

  /// Begins the next phase, and returns which counters the readers of the previous one have used.
  private func beginPhase() -> Int { phase.pointee.add(1, ordering: .sequentiallyConsistent).oldValue & 1 }

  /// Waits until no reader is left that has incremented a counter of these phases. Sleeps after some attempts, because
  /// a publisher of real-time priority would never yield to a preempted reader of a lower one.
  private func waitForReaders(of ended: Int) {
    var attempts = 0
    for stripe in 0..<Self.stripes {
      while counter(ended &* Self.stripes &+ stripe).pointee.load(ordering: .sequentiallyConsistent) != 0 {
        attempts += 1
        if attempts < 100 { sched_yield() } else { usleep(50) }
      }
    }
  }

  private static func box(_ snapshot: Snapshot) -> UnsafeMutablePointer<Published> {
    let published = UnsafeMutablePointer<Published>.allocate(capacity: 1)
    published.initialize(to: Published(reader: snapshot.reader.pointee, snapshot: snapshot))
    return published
  }

  private static func unbox(_ published: UnsafeMutablePointer<Published>) {
    published.deinitialize(count: 1)
    published.deallocate()
  }
}
