// SPDX-License-Identifier: Apache-2.0
//
// The stored overrides of a source: written after a change, and removed together with their keys. The client that makes
// the removal of a key live in the storage removes the key's overrides, even if it does not store overrides of its own,
// because it cannot be determined later which keys were removed.

final class OverridesStore: SourcePart, Sendable {
  let core: SourceCore
  let file: Guarded<OverridesFileState>

  init(_ core: SourceCore, _ file: OverridesFileState) {
    self.core = core
    self.file = Guarded(file)
  }

  /// Stores the current overrides, unless they are stored; an error appears in the source's info. Waits at most
  /// `withinMs` for another process that stores overrides; if it is 0, the next call tries again.
  func write(withinMs: Int64) {
    guard lock.withLock({ file[$0].isOutdated }) else { return }
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return }
      guard let filesLock = try takeFile(in: storage, withinMs: withinMs) else {
        guard withinMs > 0 else { return }
        throw .busy("another process is storing its overrides of this source")
      }
      defer { filesLock.unlock() }
      // Reads the newest list with the lock held, which also excludes other writers of this process.
      let list = lock.withLock { core.snapshots[$0].adjustments.overrides }
      // If the file were removed, overrides of an earlier identity would apply again.
      let mayRemove = list.all.isEmpty && dialect.earlierIdentities.isEmpty
      let image = mayRemove ? nil : try list.image(of: dialect.identity, hashSeed: storage.hashSeed)
      try filesLock.commitOverrides(image?.buffer, of: name)
      lock.withLock { locked in
        forgetProblem(locked)
        let isCurrent = core.snapshots[locked].adjustments.overrides == list
        file[locked].noteStored(isCurrent: isCurrent)
      }
    } catch {
      let isNew = lock.withLock { locked in
        // For `retry`; without a thread, the next refresh tries again.
        try? runtime.startWorker(locked)
        return file[locked].noteFailedWrite(error, monotonicMs: lock.monotonicMs)
      }
      guard isNew || withinMs > 0 else { return }
      noteStorage(error, "the overrides are used in this process only; Remora will try again to store them")
    }
  }

  /// Tries a failed write again when it is due. Called once a second.
  func retry() {
    let now = lock.monotonicMs
    if lock.withLock({ file[$0] }).isWriteDue(monotonicMs: now) { write(withinMs: 0) }
  }

  private func takeFile(in storage: StorageDirectory, withinMs limit: Int64) throws(RemoraError) -> SourceLock? {
    try lock.waitForFiles(of: name.ofOverrides, in: storage, withinMs: limit)
  }

  /// Clears the last storage error if the overrides caused it.
  func forgetProblem(_ locked: Locked) {
    if let problem = file[locked].problem { _ = core.apply(.storageWorks(since: problem), locked) }
  }

  // MARK: Removed keys

  /// Removes the overrides of keys from the storage, before the removal of the keys is stored as live. If that fails,
  /// the periodic check tries again.
  func end(_ removed: [[UInt8]], _ exclusive: Exclusive) {
    guard !removed.isEmpty, storage != nil else { return }
    lock.withLock { file.with($0) { $0.remove(removed) } }
    removeEnded(withinMs: 1000, exclusive)
  }

  /// Removes what an earlier attempt could not. Waits at most `withinMs` for another process that stores overrides.
  func removeEnded(withinMs: Int64, _ exclusive: Exclusive) {
    let (keys, isOver) = lock.withLock { (file[$0].keysToRemove, core.state[$0].isEnded) }
    guard let storage, !keys.isEmpty, !isOver else { return }
    do throws(RemoraError) {
      // Usually no overrides are stored; only a change needs the lock.
      if try overrides(without: keys, in: storage) != nil {
        guard let filesLock = try takeFile(in: storage, withinMs: withinMs) else { return }
        defer { filesLock.unlock() }
        if let kept = try overrides(without: keys, in: storage) {
          let image = kept.all.isEmpty ? nil : try kept.image(of: dialect.identity, hashSeed: storage.hashSeed)
          try filesLock.commitOverrides(image?.buffer, of: name)
        }
      }
      lock.withLock { file.with($0) { $0.noteKeysRemoved() } }
    } catch {
      if withinMs > 0 {
        noteStorage(error, "the overrides of removed namespaces are still stored; Remora will delete them later")
      }
    }
  }

  /// Returns the stored overrides without those of the given keys; nil if there are none to remove.
  private func overrides(without keys: [[UInt8]], in storage: StorageDirectory) throws(RemoraError) -> OverrideList? {
    let stored = StoredOverrides(of: dialect, in: storage)
    if stored.isUnread, let problem = stored.problem { throw problem }
    var kept = stored.list
    return kept.end(keys) ? kept : nil
  }
}
