// SPDX-License-Identifier: Apache-2.0
//
// The calls that change a storage directory, in one table so that a test can make any of them fail.
// Every call answers 0 or more, or a negative errno. Nothing here retries or decides.

internal import CSupport
internal import Glibc

/// The system calls of the store that can fail for reasons outside of it. Tests bring their own.
package struct SystemCalls: Sendable {
  /// The operating system's.
  package static var real: SystemCalls { SystemCalls() }

  /// `mkdir`, readable by the owner only.
  package var makeDirectory: @Sendable (_ path: String) -> Int32 = { remora_directory_make($0, 0o700) }
  /// `openat` of a file in a directory, made readable by the owner only.
  package var open: @Sendable (_ directory: Int32, _ name: String, _ flags: Int32) -> Int32 = {
    remora_file_open($0, $1, $2, 0o600)
  }
  /// `memfd_create`.
  package var openMemory: @Sendable () -> Int32 = { remora_file_open_memory() }
  /// `pread`.
  package var read: @Sendable (_ file: Int32, _ to: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int = {
    Int(remora_file_read($0, $1.baseAddress, $1.count, Int64($2)))
  }
  /// `pwrite`.
  package var write: @Sendable (_ file: Int32, _ from: UnsafeRawBufferPointer, _ offset: Int) -> Int = {
    Int(remora_file_write($0, $1.baseAddress, $1.count, Int64($2)))
  }
  /// `ftruncate`.
  package var truncate: @Sendable (_ file: Int32, _ size: Int) -> Int32 = { remora_file_truncate($0, Int64($1)) }
  /// `fsync` of a file or a directory.
  package var sync: @Sendable (_ file: Int32) -> Int32 = { remora_file_sync($0) }
  /// `fchown`.
  var changeOwner: @Sendable (_ file: Int32, _ owner: FileOwner) -> Int32 = {
    fchown($0, $1.user, $1.group) == 0 ? 0 : -errno
  }
  /// `renameat` inside a directory.
  package var rename: @Sendable (_ directory: Int32, _ from: String, _ to: String) -> Int32 = {
    remora_file_rename($0, $1, $2)
  }
  /// `linkat` inside a directory.
  package var link: @Sendable (_ directory: Int32, _ from: String, _ to: String) -> Int32 = {
    remora_file_link($0, $1, $2)
  }
  /// `unlinkat` of a file.
  package var remove: @Sendable (_ directory: Int32, _ name: String) -> Int32 = { remora_file_remove($0, $1) }
  /// `fcntl(F_SETLK)` on one byte: takes or gives back this process's lock.
  package var lock: @Sendable (_ file: Int32, _ byte: Int64, _ exclusive: Bool) -> Int32 = {
    remora_file_lock($0, $1, $2 ? 1 : 0)
  }
}
