// SPDX-License-Identifier: Apache-2.0
//
// A descriptor that a host's loop waits for. The only file that knows eventfd.

internal import CSupport
internal import Glibc

/// A descriptor that is readable from `wake` to `clear`.
struct Wakeup {
  /// For select, poll and epoll. Copies share it.
  let descriptor: Int32

  /// - Throws: `.unavailable` when the system gives no descriptor.
  init() throws(RemoraError) {
    descriptor = remora_wakeup_open()
    guard descriptor >= 0 else { throw RemoraError(.unavailable, "no descriptor for callbacks: \(errorText(errno))") }
  }

  /// Makes the descriptor readable; each call is an edge of its own.
  func wake() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes the descriptor unreadable.
  func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  /// Gives the descriptor back. In a forked child that is the child's copy only.
  func close() { _ = Glibc.close(descriptor) }
}
