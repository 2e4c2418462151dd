// SPDX-License-Identifier: Apache-2.0
//
// Handles a storage directory that was removed, renamed or replaced while it is in use: the client opens the directory
// to which the path leads now. The path is checked before each write, and once a second, but not by reads.

/// A storage directory, with the replacement count that belongs to it.
struct CurrentStorage {
  /// The directory; nil keeps everything in memory.
  let directory: StorageDirectory?
  let replacements: Int
}

extension ClientServices {
  /// The current directory for images; nil keeps everything in memory. Takes the engine lock.
  var storage: StorageDirectory? { lock.withLock { state[$0].storage } }

  /// Returns the number of replacements of the storage directory.
  func replacements(_ locked: Locked) -> Int { state[locked].replacements }

  /// Returns the directory for a write: the one to which the path leads now, created if it is missing. Checks the path.
  ///
  /// - Throws: `.storage`, `.permission` if it cannot be used; then nothing can be stored.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { try currentDirectory(mayCreate: true) }

  /// Checks whether the directory was replaced, without creating one. A failure is reported by the next write.
  func followStorage() { _ = try? currentDirectory(mayCreate: false) }

  /// Returns the current directory for images, after checking whether it was replaced.
  func followedStorage() -> CurrentStorage {
    followStorage()
    return lock.withLock { locked in
      state.with(locked) { CurrentStorage(directory: $0.storage, replacements: $0.replacements) }
    }
  }

  private func currentDirectory(mayCreate: Bool) throws(RemoraError) -> StorageDirectory? {
    if let storage { noteRepairs(of: storage) }
    guard let storage, storage.isReplaced, let next = try storage.reopened(mayCreate: mayCreate) else {
      return storage
    }
    return lock.withLock { locked in
      state.with(locked) { state in
        // Another thread may have replaced it in between.
        if state.storage === storage { (state.storage, state.replacements) = (next, state.replacements + 1) }
        return state.storage
      }
    }
  }

  /// Logs a warning for each repair of a storage directory, once per client.
  func noteRepairs(of storage: StorageDirectory) {
    let repairs = storage.repairs
    guard !repairs.isEmpty else { return }
    let new = lock.withLock { locked in
      state.with(locked) { state in
        defer { state.notedRepairs.formUnion(repairs) }
        return repairs.subtracting(state.notedRepairs)
      }
    }
    for warning in new.warnings(storage.path) { note(.warning, warning) }
  }
}
