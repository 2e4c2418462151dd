// SPDX-License-Identifier: Apache-2.0
//
// Waits for the lock of files that another process is changing.

extension ProcessLock {
  /// Locks the files of a name. Waits while another process holds the lock; returns nil on timeout.
  ///
  /// The process's lock is released during the wait, so that a broadcast ends a pause early.
  func waitForFiles(
    of name: StorageName, in storage: StorageDirectory, withinMs limit: Int64
  ) throws(RemoraError) -> SourceLock? {
    let deadline = monotonicMs + limit
    while true {
      if let filesLock = try storage.tryLock(name) { return filesLock }
      guard monotonicMs < deadline else { return nil }
      _ = withLock { wait(untilMonotonicMs: monotonicMs + 5, $0) }
    }
  }
}
