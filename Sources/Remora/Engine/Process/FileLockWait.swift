// SPDX-License-Identifier: Apache-2.0
//
// Waiting for files that another process changes.

extension StorageDirectory {
  /// Takes the right to change the files of a name. Waits while another process has it; nil when the time is over.
  ///
  /// - Parameter lock: The process's lock. It is free while this waits, so that a broadcast ends a pause early.
  func lock(
    _ name: StorageName, withinMs limit: Int64, waitingOn lock: ProcessLock
  ) throws(RemoraError) -> SourceLock? {
    let deadline = lock.monotonicMs + limit
    while true {
      if let filesLock = try tryLock(name) { return filesLock }
      guard lock.monotonicMs < deadline else { return nil }
      _ = lock.withLock { lock.wait(untilMonotonicMs: lock.monotonicMs + 5, $0) }
    }
  }
}
