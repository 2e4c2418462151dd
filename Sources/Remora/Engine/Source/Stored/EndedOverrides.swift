// SPDX-License-Identifier: Apache-2.0
//
// Stored overrides of keys that a document removes. The client that makes the removal live in the storage removes them,
// whether or not it stores overrides of its own. Nobody could find out later which keys were removed.

extension Source {
  /// Removes the overrides of keys from the storage, before their removal is stored as live. What fails is tried again
  /// by the periodic look.
  func endStoredOverrides(_ removed: [[UInt8]], _ right: borrowing Exclusive) {
    guard !removed.isEmpty, storage != nil else { return }
    lock.withLock { state.with($0) { $0.overridesFile.remove(removed) } }
    settleEndedOverrides(patienceMs: 1000, right)
  }

  /// Removes what an earlier attempt could not. While another process stores overrides, waits for at most `patienceMs`.
  func settleEndedOverrides(patienceMs: Int64, _ right: borrowing Exclusive) {
    let (keys, isOver) = lock.withLock { state.with($0) { ($0.overridesFile.keysToRemove, $0.openness.isEnded) } }
    guard let storage, !keys.isEmpty, !isOver else { return }
    do throws(RemoraError) {
      // Most often nothing is stored; a lock is needed for a change only.
      if try storage.overrides(of: dialect, without: keys) != nil {
        guard let filesLock = try storage.lock(name.ofOverrides, withinMs: patienceMs, waitingOn: lock) else { return }
        defer { filesLock.unlock() }
        if let kept = try storage.overrides(of: dialect, without: keys) {
          let image = kept.all.isEmpty ? nil : try kept.image(of: dialect.identity, hashSeed: storage.hashSeed)
          try filesLock.commitOverrides(image?.buffer, of: name)
        }
      }
      lock.withLock { state.with($0) { $0.overridesFile.noteKeysRemoved() } }
    } catch {
      if patienceMs > 0 { noteStorage(error, "overrides of a removed namespace are still stored") }
    }
  }
}

extension StorageDirectory {
  /// The stored overrides without those of the given keys; nil if there are none to remove.
  fileprivate func overrides(of dialect: any Dialect, without keys: [[UInt8]]) throws(RemoraError) -> OverrideList? {
    let stored = StoredOverrides(of: dialect, in: self)
    if stored.isUnread, let problem = stored.problem { throw problem }
    var kept = stored.list
    return kept.end(keys) ? kept : nil
  }
}
