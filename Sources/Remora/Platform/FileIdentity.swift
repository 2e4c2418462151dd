// SPDX-License-Identifier: Apache-2.0
//
// The identity of an open file. A host may close all descriptors, for example when it becomes a daemon; files that it
// opens later get the same numbers. So a descriptor that is kept is compared with the identity that it had at first.

internal import CSupport
internal import Glibc

/// Identifies a file, directory or socket independently of its path.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// Creates the identity of an open file; nil if the descriptor is closed.
  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Whether a descriptor still refers to this file.
  func isOpen(as descriptor: Int32) -> Bool { FileIdentity(of: descriptor) == self }
}

/// Identifies the content of a file: a file that was written to, or replaced, is another version.
package struct FileVersion: Hashable, Sendable {
  let identity: FileIdentity
  /// The time at which the content or an attribute of the file changed, in nanoseconds since 1970.
  let changedNs: Int64
}
