// SPDX-License-Identifier: Apache-2.0
//
// A descriptor for a host's event loop. The only file that uses eventfd.

internal import CSupport
internal import Glibc

/// A descriptor that is readable from `wake` until `clear`.
struct Wakeup {
  /// The descriptor for select, poll and epoll. Copies of this value share it.
  let descriptor: Int32

  /// - Throws: `.unavailable` if the system cannot create a descriptor.
  init() throws(RemoraError) {
    descriptor = remora_wakeup_open()
    guard descriptor >= 0 else {
      throw RemoraError(.unavailable, "the file descriptor for callbacks cannot be created: \(errorText(errno))")
    }
  }

  /// Makes the descriptor readable; each call triggers an edge.
  func wake() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes the descriptor unreadable.
  func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  /// Closes the descriptor; in a forked child, only the child's copy.
  func close() { _ = Glibc.close(descriptor) }
}
