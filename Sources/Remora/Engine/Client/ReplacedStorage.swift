// SPDX-License-Identifier: Apache-2.0
//
// A storage directory that was removed, renamed away or replaced while it is in use. The client opens the directory that
// the path leads to now. It looks before it writes, and once a second; reads do not look.

extension Client {
  /// Returns the directory to write in: the one that the path leads to now, created if it is missing. Not inside the lock.
  ///
  /// - Throws: `.storage`, `.permission` if it cannot be used; then nothing can be stored.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { try currentDirectory(mayCreate: true) }

  /// Looks whether the directory was replaced, and creates none. The next write reports a failure. Not inside the lock.
  func followStorage() { _ = try? currentDirectory(mayCreate: false) }

  private func currentDirectory(mayCreate: Bool) throws(RemoraError) -> StorageDirectory? {
    guard let storage, storage.isReplaced, let next = try storage.reopened(mayCreate: mayCreate) else {
      return storage
    }
    runtime.lock.withLock { replaceStorage(storage, by: next) }
    return self.storage
  }
}

extension Source {
  /// Where its files are; nil keeps it in memory. Not inside the lock.
  var storage: StorageDirectory? { usesStorage ? client.storage : nil }

  /// The same for a write.
  ///
  /// - Throws: As `Client.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { usesStorage ? try client.requireStorage() : nil }

  /// The right of a run to change the files where they are now; nil if another process has it.
  func currentLock(of run: Run) throws(RemoraError) -> SourceLock? {
    guard let held = run.filesLock, let storage = try requireStorage(), held.directory !== storage else {
      return run.filesLock
    }
    held.unlock()
    let shared = lock.withLock { runs }.first { $0.filesLock?.directory === storage }?.filesLock
    run.filesLock = if let shared { shared } else { try storage.tryLock(name) }
    return run.filesLock
  }

  /// Forgets what the replaced directory had: anything in the new one is newer, and what is in memory is stored there at
  /// the next refresh. In jobs only.
  func beginInNewStorage() {
    lock.withLock {
      guard isStorageNew else { return }
      isStorageNew = false
      ledger.generation = 0
      owesOverrides = owesOverrides || (persistsOverrides && !layers.overrides.all.isEmpty)
    }
  }
}
