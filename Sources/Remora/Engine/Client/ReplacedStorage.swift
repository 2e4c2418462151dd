// SPDX-License-Identifier: Apache-2.0
//
// A storage directory that was removed, renamed away or replaced while it is in use. The client opens the directory that
// the path leads to now. It looks before it writes, and once a second; reads do not look.

extension Client {
  /// Returns the directory to write in: the one that the path leads to now, created if it is missing. Looks
  /// at the path.
  ///
  /// - Throws: `.storage`, `.permission` if it cannot be used; then nothing can be stored.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { try currentDirectory(mayCreate: true) }

  /// Looks whether the directory was replaced, and creates none. The next write reports a failure.
  func followStorage() { _ = try? currentDirectory(mayCreate: false) }

  private func currentDirectory(mayCreate: Bool) throws(RemoraError) -> StorageDirectory? {
    guard let storage, storage.isReplaced, let next = try storage.reopened(mayCreate: mayCreate) else {
      return storage
    }
    runtime.lock.withLock { replaceStorage(storage, by: next, $0) }
    return self.storage
  }
}

extension Source {
  /// Where its files are; nil keeps it in memory. Takes the lock.
  var storage: StorageDirectory? { usesStorage ? client.storage : nil }

  /// The same for a write.
  ///
  /// - Throws: As `Client.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { usesStorage ? try client.requireStorage() : nil }

  /// The right of a run to change the files where they are now; nil if another process has it.
  func currentLock(of run: Run, _ right: borrowing Exclusive) throws(RemoraError) -> SourceLock? {
    let held = run.work.read(right, \.filesLock)
    guard let held, let storage = try requireStorage(), held.directory !== storage else { return held }
    held.unlock()
    let all = lock.withLock { state.read($0, \.runs) }.compactMap { $0.work.read(right, \.filesLock) }
    let shared = all.first { $0.directory === storage }
    let current = if let shared { shared } else { try storage.tryLock(name) }
    run.work.set(right, \.filesLock, to: current)
    return current
  }

  /// Forgets what the replaced directory had: anything in the new one is newer, and what is in memory is stored there at
  /// the next refresh.
  func beginInNewStorage(_ right: borrowing Exclusive) {
    let isAnythingStored = options.persistsOverrides && !snapshots.read(right, \.layers.overrides).all.isEmpty
    lock.withLock { locked in
      guard state.set(locked, \.openness.isStorageNew, to: false) else { return }
      _ = take(.storageReplaced, locked)
      state.with(locked) { $0.overridesFile.noteNewStorage(isAnythingStored: isAnythingStored) }
    }
  }
}
