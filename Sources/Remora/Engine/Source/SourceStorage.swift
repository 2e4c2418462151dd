// SPDX-License-Identifier: Apache-2.0
//
// Where the files of a source are, and what happens when the storage directory was replaced.

extension Source {
  /// Where its files are; nil keeps it in memory. Takes the lock.
  var storage: StorageDirectory? { usesStorage ? services.storage : nil }

  /// The same for a write.
  ///
  /// - Throws: As `ClientServices.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? { usesStorage ? try services.requireStorage() : nil }

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
      let replacements = services.replacements(locked)
      guard state.set(locked, \.openness.replacementsSeen, to: replacements) != replacements else { return }
      _ = take(.storageReplaced, locked)
      state.with(locked) { $0.overridesFile.noteNewStorage(isAnythingStored: isAnythingStored) }
    }
  }
}
