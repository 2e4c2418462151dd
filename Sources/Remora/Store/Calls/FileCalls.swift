// SPDX-License-Identifier: Apache-2.0
//
// The system calls for open files.

internal import CSupport
internal import Glibc

/// The system calls that use an open file. Each returns 0 or more, or a negative errno, unless it states otherwise.
package struct FileCalls: Sendable {
  /// `memfd_create`.
  package var openMemory: @Sendable () -> Int32 = { remora_file_open_memory() }
  /// `close`.
  package var close: @Sendable (_ file: Int32) -> Void = { Glibc.close($0) }
  /// `fstat`.
  package var status: @Sendable (_ file: Int32) -> FileStatus = { file in
    FileStatus { remora_file_status(file, &$0) }
  }
  /// `mmap`, for reading; nil if the file cannot be mapped.
  package var map: @Sendable (_ file: Int32, _ size: Int) -> UnsafeMutableRawPointer? = { remora_file_map($0, $1) }
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
  /// `fchmod`.
  var changeMode: @Sendable (_ file: Int32, _ mode: mode_t) -> Int32 = { fchmod($0, $1) == 0 ? 0 : -errno }
  /// `fcntl(F_SETLK)` on one byte: takes or releases this process's lock.
  package var lock: @Sendable (_ file: Int32, _ byte: Int64, _ exclusive: Bool) -> Int32 = {
    remora_file_lock($0, $1, $2 ? 1 : 0)
  }
}
