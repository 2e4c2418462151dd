// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension RemoraError {
  /// Returns the error for a file or directory that is not used because others could have created or changed it.
  package static func permission(_ path: String, _ problem: String) -> RemoraError {
    RemoraError(.permission, "\(path) \(problem)")
  }

  /// Returns the error for a path that can never be a storage directory.
  package static func notDirectory(_ path: String) -> RemoraError {
    RemoraError(.storage, "\(path) is not a directory")
  }

  /// Returns the error for an image beyond the size limit of a file.
  package static func imageTooLarge(_ path: String, bytes: Int) -> RemoraError {
    RemoraError(
      .tooLarge,
      "\(path) needs a file size of \(bytes) bytes; at most \(StorageDirectory.maximumImageSize) bytes are allowed")
  }

  /// Returns the error for a write with a lock that was released, or that a forked child inherited.
  package static func lockNotHeld(_ path: String) -> RemoraError {
    .bug("\(path) was to be changed without its lock")
  }

  /// Returns the error for a write with a lock that was dropped because the host has closed the library's descriptors.
  static func lockLost(_ path: String) -> RemoraError {
    RemoraError(
      .storage, "\(path) was not changed: the program has closed the library's file descriptors, so a lock was lost")
  }

  /// The error for files that another client or process is changing.
  package static var busyFiles: RemoraError {
    busy("another client or process is refreshing this source")
  }

  /// The error for a seed that another thread or process is changing.
  static var busySeed: RemoraError {
    busy("another thread or process is saving or removing the seed (data that an installer saves) of this source")
  }

  /// Returns the error for a lock that another holds for too long. Its `systemCode` distinguishes it from a failure.
  static func busy(_ message: String) -> RemoraError {
    var error = RemoraError(.storage, message)
    error.systemCode = EBUSY
    return error
  }
}
