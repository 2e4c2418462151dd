// SPDX-License-Identifier: Apache-2.0
//
// Waiting for files that another process changes.

extension ProcessLock {
  /// Takes the right to change the files of a name. Waits while another process has it; nil when the time is over.
  ///
  /// This lock is free meanwhile, so that a broadcast ends a pause early.
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
