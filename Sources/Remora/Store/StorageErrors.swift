// SPDX-License-Identifier: Apache-2.0
//
// The sentences of the store: what the system refused, and what the store refuses to use.

extension RemoraError {
  /// A file or directory that is not used because others could have made or changed it.
  package static func permission(_ path: String, _ problem: String) -> RemoraError {
    RemoraError(.permission, "\(path) \(problem)")
  }

  /// A storage directory that can never become one.
  package static func notDirectory(_ path: String) -> RemoraError {
    RemoraError(.storage, "\(path) is not a directory")
  }

  /// An image beyond what a file of the store may hold.
  package static func imageTooLarge(_ path: String, bytes: Int) -> RemoraError {
    RemoraError(.tooLarge, "\(path): \(bytes) bytes are more than the limit of \(StorageDirectory.maximumImageSize)")
  }

  /// A write through a lock that its holder has given back, or that a forked child has inherited.
  package static func lockNotHeld(_ path: String) -> RemoraError {
    RemoraError(.internal, "\(path) was to be changed without its lock")
  }

  /// Files that another client or process is changing.
  package static var busyFiles: RemoraError {
    RemoraError(.storage, "another client or process is refreshing this source")
  }

  /// A seed that another process is changing.
  static var busySeed: RemoraError {
    RemoraError(.storage, "another process is saving or taking over a seed of this source")
  }
}
