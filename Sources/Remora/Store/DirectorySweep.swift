// SPDX-License-Identifier: Apache-2.0
//
// What keeps a storage directory from growing: left-over temporaries and sources that nobody opens go.
// Invariant: nothing that a living writer works on is touched, and no file that is not ours by its name.

/// Removes from a storage directory what nobody uses.
package struct DirectorySweep {
  let directory: StorageDirectory

  package init(_ directory: StorageDirectory) { self.directory = directory }

  /// How long the files of a source stay without being opened, when nobody says otherwise: 30 days.
  package static var defaultUnusedMs: Int64 { 30 * dayMs }
  /// How old a temporary must be to go although another process has the lock: that one cannot be its writer any more.
  static var abandonedMs: Int64 { 3600 * 1000 }

  /// Removes temporaries of dead writers, and the files of sources that were not used for a time. Never fails:
  /// what cannot be removed stays.
  ///
  /// - Parameters:
  ///   - nowMs: The wall clock.
  ///   - unusedMs: The time after which a source's files go; nil keeps them.
  /// - Returns: How many files were removed.
  @discardableResult
  package func run(nowMs: Int64, unusedMs: Int64? = defaultUnusedMs) -> Int {
    guard directory.number != nil else { return 0 }
    var removed = 0
    var sources: [StorageName: [StoredFile]] = [:]
    for file in directory.storedFiles() {
      switch file {
      case .temporary(let name, _): removed += sweepTemporary(file, of: name, nowMs)
      case .image(let name, _), .ledger(let name), .overrides(let name): sources[name, default: []].append(file)
      case .serverLedger:
        if let unusedMs, isOlder([file], than: unusedMs, nowMs) { removed += remove(file) }
      // Nobody but an installer can bring a seed again: it waits for as long as it takes.
      case .attachment, .part, .seed, .lock, .hashSeed: break
      }
    }
    guard let unusedMs else { return removed }
    for (name, files) in sources { removed += sweepSource(name, files, unusedMs, nowMs) }
    return removed
  }

  private func sweepTemporary(_ file: StoredFile, of name: StorageName, _ nowMs: Int64) -> Int {
    // A writer holds the lock: if the lock is free, the writer is dead. So it is if this process holds the lock for
    // something else, for example for a refresh that waits for its server.
    let lock = try? directory.tryLock(name)
    defer { lock?.unlock() }
    let isAbandoned =
      lock != nil || directory.registry.isAbandoned(file.fileName, under: name.lockByte, in: directory.locks)
    guard isAbandoned || isOlder([file], than: Self.abandonedMs, nowMs) else { return 0 }
    return remove(file)
  }

  private func sweepSource(_ name: StorageName, _ files: [StoredFile], _ unusedMs: Int64, _ nowMs: Int64) -> Int {
    guard isOlder(files, than: unusedMs, nowMs), let lock = try? directory.tryLock(name) else { return 0 }
    defer { lock.unlock() }
    // Somebody may have used it before the lock was ours.
    guard isOlder(files, than: unusedMs, nowMs) else { return 0 }
    return files.map(remove).reduce(0, +)
  }

  /// Whether no file was changed or touched within a time. A file that is gone counts as old.
  func isOlder(_ files: [StoredFile], than ageMs: Int64, _ nowMs: Int64) -> Bool {
    guard let number = directory.number else { return false }
    return files.allSatisfy { file in
      let status = directory.calls.nameStatus(number, file.fileName)
      return status.failure != 0 || status.modifiedMs < nowMs.addingClamped(-max(0, ageMs))
    }
  }

  /// Removes a file. Answers how many went.
  func remove(_ file: StoredFile) -> Int {
    guard let number = directory.number else { return 0 }
    return directory.calls.remove(number, file.fileName) == 0 ? 1 : 0
  }
}
