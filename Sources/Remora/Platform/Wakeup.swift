// SPDX-License-Identifier: Apache-2.0
//
// A descriptor for a host's event loop.

internal import CSupport
internal import Glibc

/// A descriptor that is readable from `wake` until `clear`. A program that becomes a daemon may close it, and open
/// another file with its number: then `isOpen` is false, and no function touches that file.
struct Wakeup {
  private var sockets = remora_wakeup()

  /// The descriptor for select, poll and epoll. Copies of this value share it.
  var descriptor: Int32 { sockets.reader }

  /// - Throws: `.unavailable` if the system cannot create a descriptor.
  init() throws(RemoraError) {
    guard remora_wakeup_open(&sockets) else {
      throw RemoraError(.unavailable, "the file descriptor for callbacks cannot be created: \(errorText(errno))")
    }
  }

  /// Whether the program has not closed the descriptor.
  var isOpen: Bool { withUnsafePointer(to: sockets) { remora_wakeup_is_open($0) } }

  /// Makes the descriptor readable; each call triggers an edge.
  func wake() { withUnsafePointer(to: sockets) { remora_wakeup_wake($0) } }

  /// Makes the descriptor unreadable.
  func clear() { withUnsafePointer(to: sockets) { remora_wakeup_clear($0) } }

  /// Closes the descriptor; in a forked child, only the child's copy.
  func close() { withUnsafePointer(to: sockets) { remora_wakeup_close($0) } }
}
