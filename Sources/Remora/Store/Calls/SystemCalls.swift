// SPDX-License-Identifier: Apache-2.0
//
// The system calls of the store, in tables so that a test can make any of them fail. There are no retries or decisions
// here.

internal import CSupport
internal import Glibc

/// The system calls of the store. Tests provide their own.
package struct SystemCalls: Sendable {
  package static var real: SystemCalls { SystemCalls() }

  /// The calls that use a path, or a name in a directory.
  package var directories = DirectoryCalls()
  /// The calls that use an open file.
  package var files = FileCalls()
  /// An unpredictable number.
  package var randomNumber: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  /// The wall clock for file timestamps, in milliseconds since 1970.
  package var nowMs: @Sendable () -> Int64 = { SystemClock().nowMs }
}

/// The system calls that use a path, or a name in a directory. Each returns 0 or more, or a negative errno, unless it
/// states otherwise.
package struct DirectoryCalls: Sendable {
  /// `mkdir`, with access for the owner only.
  package var make: @Sendable (_ path: String) -> Int32 = { remora_directory_make($0, 0o700) }
  /// `open` of a directory.
  package var open: @Sendable (_ path: String) -> Int32 = { remora_directory_open($0) }
  /// `faccessat`: whether files can be created in a directory.
  package var checkWritable: @Sendable (_ directory: Int32) -> Int32 = { remora_directory_writable($0) }
  /// The names in a directory; nil if they cannot be read.
  package var list: @Sendable (_ directory: Int32) -> [String]? = { readNames(in: $0) }
  /// `stat`.
  package var pathStatus: @Sendable (_ path: String) -> FileStatus = { path in
    FileStatus { remora_path_status(path, &$0) }
  }
  /// `fstatat`, symbolic links not followed.
  package var nameStatus: @Sendable (_ directory: Int32, _ name: String) -> FileStatus = { directory, name in
    FileStatus { remora_name_status(directory, name, &$0) }
  }
  /// `openat` of a file in a directory, created with access for the owner only.
  package var openFile: @Sendable (_ directory: Int32, _ name: String, _ flags: Int32) -> Int32 = {
    remora_file_open($0, $1, $2, 0o600)
  }
  /// `openat` of a file in a directory, for reading; symbolic links are followed.
  package var openTarget: @Sendable (_ directory: Int32, _ name: String) -> Int32 = { remora_file_open_target($0, $1) }
  /// `fstatvfs`: whether a directory is mounted read-only.
  package var isReadOnly: @Sendable (_ directory: Int32) -> Bool = { remora_directory_is_read_only($0) != 0 }
  /// `renameat` inside a directory.
  package var rename: @Sendable (_ directory: Int32, _ from: String, _ to: String) -> Int32 = {
    remora_file_rename($0, $1, $2)
  }
  /// `linkat` inside a directory.
  package var link: @Sendable (_ directory: Int32, _ from: String, _ to: String) -> Int32 = {
    remora_file_link($0, $1, $2)
  }
  /// `utimensat`: sets the modification time.
  package var touch: @Sendable (_ directory: Int32, _ name: String, _ nowMs: Int64) -> Int32 = {
    remora_file_touch($0, $1, $2)
  }
  /// `unlinkat` of a file.
  package var remove: @Sendable (_ directory: Int32, _ name: String) -> Int32 = { remora_file_remove($0, $1) }
}

/// Returns the names in a directory.
private func readNames(in directory: Int32) -> [String]? {
  guard let listing = remora_listing_open(directory) else { return nil }
  defer { remora_listing_close(listing) }
  var names: [String] = []
  while let name = remora_listing_next(listing) { names.append(String(cString: name)) }
  return names
}

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
  /// `fcntl(F_SETLK)` on one byte: locks it for this process, or unlocks it.
  package var lock: @Sendable (_ file: Int32, _ byte: Int64, _ exclusive: Bool) -> Int32 = {
    remora_file_lock($0, $1, $2 ? 1 : 0)
  }
}
