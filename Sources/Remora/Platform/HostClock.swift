// SPDX-License-Identifier: Apache-2.0
//
// A clock that the host moves. The core reads stored values only, so it never calls the host to learn the time.
// Invariant: the monotonic time never goes back.

internal import Synchronization

/// A point in time on both clocks, in milliseconds.
package struct HostTime: Sendable {
  package var wallMs: Int64
  package var monotonicMs: Int64

  package init(wallMs: Int64, monotonicMs: Int64) {
    self.wallMs = wallMs
    self.monotonicMs = monotonicMs
  }
}

extension HostTime {
  /// The wall time that the core uses: at most 285,000 years from 1970, so that differences and sums of times do not
  /// overflow.
  fileprivate var usedWallMs: Int64 { min(max(wallMs, -(1 << 53)), 1 << 53) }
}

/// The host's clock of one client. Its time stands still between two updates.
package final class HostClock: Clock, Sendable {
  private let wall: Atomic<Int64>
  private let monotonic: Atomic<Int64>
  /// The number of updates that have begun.
  private let begun = Atomic<Int>(0)
  /// The number of the latest update that was stored.
  private let stored = Atomic<Int>(0)

  package init(_ start: HostTime) {
    wall = Atomic(start.usedWallMs)
    monotonic = Atomic(start.monotonicMs)
  }

  package var nowMs: Int64 { wall.load(ordering: .relaxed) }

  package var monotonicMs: Int64 { monotonic.load(ordering: .relaxed) }

  /// Starts an update, before the host is asked for the time. Returns the number of the update.
  package func beginUpdate() -> Int { begun.add(1, ordering: .relaxed).newValue }

  /// Stores the result of an update, unless a later update was stored. The caller holds the engine lock, so that
  /// timers do not become due while they are collected.
  package func store(_ time: HostTime, ofUpdate number: Int) {
    guard number > stored.load(ordering: .relaxed) else { return }
    stored.store(number, ordering: .relaxed)
    wall.store(time.usedWallMs, ordering: .relaxed)
    monotonic.store(max(monotonicMs, time.monotonicMs), ordering: .relaxed)
  }
}
