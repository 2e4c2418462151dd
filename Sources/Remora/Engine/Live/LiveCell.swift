// SPDX-License-Identifier: Apache-2.0
//
// The live snapshot of a source, and the only place where it is swapped. Readers enter, probe and leave; they never
// wait and never touch a reference count. Only the publisher waits, for the readers of what it replaced.

internal import CSupport
internal import Glibc
internal import Synchronization

/// A swappable snapshot in raw memory.
///
/// Readers count themselves in one of `stripes` counters, chosen by thread, of the current phase. The publisher
/// swaps the pointer and then drains both phases in turn: after that, nobody can still hold what it replaced, not even
/// a reader that looked at the phase before the swap and counted itself after it.
///
/// `@unchecked Sendable`: constant pointers; everything behind them is atomic or owned by the publisher.
package struct LiveCell: @unchecked Sendable {
  /// What readers see: the hot path inline, and the object that owns it.
  private struct Published {
    let reader: SnapshotReader
    let snapshot: Snapshot
  }

  private static let stripes = 16
  private static let cacheLine = 64
  private static let unattended = Int.min
  private static let closed = Int.min | 1 << 62

  /// Points to the current `Published`.
  private let current: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Published>>>
  /// The number of phases begun; the lowest bit picks the counters. Negative while the cell is unattended or closed.
  private let phase: UnsafeMutablePointer<Atomic<Int>>
  /// The monotonic time from which a read of the unattended cell is to be noticed.
  private let patienceMs: UnsafeMutablePointer<Atomic<Int64>>
  /// Two times `stripes` counters of readers, a cache line each.
  private let counters: UnsafeMutableRawPointer

  /// Makes a cell that shows `snapshot`.
  package init(_ snapshot: Snapshot) {
    counters = .allocate(byteCount: 2 * Self.stripes * Self.cacheLine, alignment: Self.cacheLine)
    phase = .allocate(capacity: 1)
    phase.initialize(to: Atomic(0))
    patienceMs = .allocate(capacity: 1)
    patienceMs.initialize(to: Atomic(0))
    current = .allocate(capacity: 1)
    current.initialize(to: Atomic(Self.box(snapshot)))
    resetCounters()
  }

  /// Ends the cell; nobody may be reading.
  package func destroy() {
    Self.unbox(current.pointee.load(ordering: .acquiring))
    current.deallocate()
    phase.deallocate()
    patienceMs.deallocate()
    counters.deallocate()
  }

  /// Calls `body` with the live snapshot's hot path; nil once the cell is closed.
  @inline(__always)
  package func read<Result>(_ body: (UnsafePointer<SnapshotReader>) -> Result) -> Result? {
    let phase = phase.pointee.load(ordering: .sequentiallyConsistent)
    guard phase & Self.closed != Self.closed else { return nil }
    let counter = enter(phase)
    defer { counter.pointee.subtract(1, ordering: .releasing) }
    let published = current.pointee.load(ordering: .sequentiallyConsistent)
    // The reader is the first field of `Published`.
    return body(UnsafeRawPointer(published).assumingMemoryBound(to: SnapshotReader.self))
  }

  /// The live snapshot, to be kept.
  package func acquire() -> Snapshot {
    let counter = enter(phase.pointee.load(ordering: .sequentiallyConsistent))
    defer { counter.pointee.subtract(1, ordering: .releasing) }
    return current.pointee.load(ordering: .sequentiallyConsistent).pointee.snapshot
  }

  /// Shows another snapshot, and returns when nobody reads the one before any more. One publisher at a time.
  package func publish(_ snapshot: Snapshot) {
    let replaced = current.pointee.exchange(Self.box(snapshot), ordering: .sequentiallyConsistent)
    drain()
    drain()
    Self.unbox(replaced)
  }

  /// Ends reading: from now on `read` gives nil.
  package func close() { phase.pointee.bitwiseOr(Self.closed, ordering: .sequentiallyConsistent) }

  /// After a fork, in the child: the readers of other threads do not exist here.
  package func resumeChild() { resetCounters() }

  // MARK: Attendance

  /// A number that is another one whenever another snapshot is live, and negative when it says nothing. Lives as long
  /// as the cell.
  package var revision: UnsafePointer<Int64> { UnsafeRawPointer(phase).assumingMemoryBound(to: Int64.self) }

  /// Whether a read should be noticed: nobody in this process looks for newer images. Also true of a closed cell.
  @inline(__always)
  package var isUnattended: Bool { phase.pointee.load(ordering: .relaxed) < 0 }

  /// Whether a read at this time is to be noticed.
  func isPatienceOver(monotonicMs now: Int64) -> Bool { patienceMs.pointee.load(ordering: .relaxed) <= now }

  /// Notes that nobody looks for newer images; reads from this monotonic time on are to be noticed.
  func leaveUnattended(untilMonotonicMs patience: Int64) {
    patienceMs.pointee.store(patience, ordering: .relaxed)
    phase.pointee.bitwiseOr(Self.unattended, ordering: .sequentiallyConsistent)
  }

  /// Notes that this is a forked child in which nobody has read yet.
  func leaveUnattendedByFork() { leaveUnattended(untilMonotonicMs: .min) }

  /// Whether nobody has read since the fork that made this process.
  var isUnreadSinceFork: Bool { patienceMs.pointee.load(ordering: .relaxed) == .min }

  /// Notes the first read since the fork.
  func noteReadSinceFork() { patienceMs.pointee.store(0, ordering: .relaxed) }

  /// Notes that somebody looks for newer images. Not for a closed cell.
  func attend() { phase.pointee.bitwiseAnd(~Self.unattended, ordering: .sequentiallyConsistent) }

  private func resetCounters() {
    for line in 0..<2 * Self.stripes { counter(line).initialize(to: Atomic(0)) }
  }

  @inline(__always)
  private func counter(_ line: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    (counters + line &* Self.cacheLine).assumingMemoryBound(to: Atomic<Int>.self)
  }

  @inline(__always)
  private func enter(_ phase: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    // Threads' descriptors lie far apart and aligned: the multiplication spreads them over the stripes.
    let thread = (UInt64(truncatingIfNeeded: remora_thread_pointer()) &* 0x9E37_79B9_7F4A_7C15) >> 60
    let counter = counter((phase & 1) &* Self.stripes &+ Int(truncatingIfNeeded: thread))
    counter.pointee.add(1, ordering: .sequentiallyConsistent)
    return counter
  }

  /// Begins the next phase and waits for the readers of the one before.
  private func drain() {
    let ended = phase.pointee.add(1, ordering: .sequentiallyConsistent).oldValue & 1
    for stripe in 0..<Self.stripes {
      while counter(ended &* Self.stripes &+ stripe).pointee.load(ordering: .sequentiallyConsistent) != 0 {
        sched_yield()
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
