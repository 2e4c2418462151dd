// SPDX-License-Identifier: Apache-2.0
//
// A storage directory that was removed, renamed away or replaced while it is in use. The client opens the directory that
// the path leads to now. It looks before it writes, and once a second; reads do not look.

/// A storage directory, and the number by which a replacement is noticed.
struct CurrentStorage {
  /// Nil keeps everything in memory.
  let directory: StorageDirectory?
  let replacements: Int
}

extension ClientServices {
  /// Where images are now; nil keeps everything in memory. Takes the lock.
  var storage: StorageDirectory? { lock.withLock { state.read($0, \.storage) } }

  /// How often the storage directory was replaced.
  func replacements(_ locked: borrowing Locked) -> Int { state.read(locked, \.replacements) }

  /// Returns the directory to write in: the one that the path leads to now, created if it is missing. Looks
  /// at the path.
  ///
  /// - Throws: `.storage`, `.permission` if it cannot be used; then nothing can be stored.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { try currentDirectory(mayCreate: true) }

  /// Looks whether the directory was replaced, and creates none. The next write reports a failure.
  func followStorage() { _ = try? currentDirectory(mayCreate: false) }

  /// Where images are now, after a look whether the directory was replaced.
  func followedStorage() -> CurrentStorage {
    followStorage()
    return lock.withLock { locked in
      state.with(locked) { CurrentStorage(directory: $0.storage, replacements: $0.replacements) }
    }
  }

  private func currentDirectory(mayCreate: Bool) throws(RemoraError) -> StorageDirectory? {
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
}
