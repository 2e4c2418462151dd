// SPDX-License-Identifier: Apache-2.0
//
// Removes left-over temporary files, and the files of sources that are no longer opened.
// Invariant: files that a running writer uses are not touched, nor files whose names are not Remora's.

/// Removes unused files from a storage directory.
package struct DirectorySweep {
  let directory: StorageDirectory

  package init(_ directory: StorageDirectory) { self.directory = directory }

  /// The default time after which the files of an unopened source are removed: 30 days.
  package static var defaultUnusedMs: Int64 { 30 * dayMs }
  /// The age at which a temporary file is removed even though another process holds the lock: it cannot be the writer
  /// then.
  static var abandonedMs: Int64 { 3600 * 1000 }

  /// Removes temporary files of dead writers, and the files of sources that were not used for some time. Never fails:
  /// files that cannot be removed stay.
  ///
  /// - Parameters:
  ///   - nowMs: The wall clock.
  ///   - unusedMs: The time after which a source's files are removed; nil keeps them.
  /// - Returns: The number of removed files.
  @discardableResult
  package func run(nowMs: Int64, unusedMs: Int64? = defaultUnusedMs) -> Int {
    guard directory.number != nil else { return 0 }
    var removed = 0
    var sources: [StorageName: [StoredFile]] = [:]
    for file in directory.storedFiles() {
      switch file {
      case .temporary(let name, _): removed += sweepTemporary(file, of: name, nowMs)
      case .image(let name, _), .ledger(let name), .overrides(let name): sources[name, default: []].append(file)
      // Not kept with the other files of its source, because the host may no longer have this packaged data.
      case .serverLedger, .packaged:
        if let unusedMs, isOlder([file], than: unusedMs, nowMs) { removed += remove(file) }
      // Seeds are never removed: only an installer can write one again.
      case .attachment, .part, .seed, .lock, .hashSeed: break
      }
    }
    guard let unusedMs else { return removed }
    for (name, files) in sources { removed += sweepSource(name, files, unusedMs, nowMs) }
    return removed
  }

  /// Marks the files of an open source as used, unless one of them was used within a day.
  package func noteUse(of name: StorageName, nowMs: Int64) {
    if isOlder(name.usedFiles, than: dayMs, nowMs) { directory.noteUse(of: name, nowMs: nowMs) }
  }

  /// Marks the ledger of an open source's server as used, unless it was written within a day.
  package func noteUse(ofServer name: StorageName, nowMs: Int64) {
    let ledger = StoredFile.serverLedger(name)
    guard let number = directory.number, isOlder([ledger], than: dayMs, nowMs) else { return }
    _ = directory.calls.directories.touch(number, ledger.fileName, nowMs)
  }

  private func sweepTemporary(_ file: StoredFile, of name: StorageName, _ nowMs: Int64) -> Int {
    // A writer holds the lock, so if the lock is free, the writer is dead. This process may also hold the lock for
    // another purpose, such as a refresh that waits for its server; `LockFiles` knows whether it writes this file.
    let lock = try? directory.tryLock(name)
    defer { lock?.unlock() }
    let isAbandoned =
      lock != nil || directory.lockFiles.isAbandoned(file.fileName, under: name.lockByte, in: directory.locks)
    guard isAbandoned || isOlder([file], than: Self.abandonedMs, nowMs) else { return 0 }
    return remove(file)
  }

  private func sweepSource(_ name: StorageName, _ files: [StoredFile], _ unusedMs: Int64, _ nowMs: Int64) -> Int {
    guard isOlder(files, than: unusedMs, nowMs), let lock = try? directory.tryLock(name) else { return 0 }
    defer { lock.unlock() }
    // The files may have been used before the lock was taken.
    guard isOlder(files, than: unusedMs, nowMs) else { return 0 }
    return files.map(remove).reduce(0, +)
  }

  /// Whether none of the files was changed or touched within `ageMs`. A missing file counts as old.
  func isOlder(_ files: [StoredFile], than ageMs: Int64, _ nowMs: Int64) -> Bool {
    guard let number = directory.number else { return false }
    return files.allSatisfy { file in
      let status = directory.calls.directories.nameStatus(number, file.fileName)
      return status.failure != 0 || status.modifiedMs < nowMs.addingClamped(-max(0, ageMs))
    }
  }

  /// Removes a file. Returns the number of removed files, 0 or 1.
  func remove(_ file: StoredFile) -> Int {
    guard let number = directory.number else { return 0 }
    return directory.calls.directories.remove(number, file.fileName) == 0 ? 1 : 0
  }
}
