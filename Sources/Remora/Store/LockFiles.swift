// SPDX-License-Identifier: Apache-2.0
//
// The lock files of this process, with one open descriptor per directory. Only this code opens or closes lock files,
// because closing any descriptor of such a file drops all fcntl locks that the process holds on it.
// Invariant: a byte is in `held` exactly while a holder in this process owns it; the file's lock is held for as long.
// `LockFiles.shared` is the store's only lazy global. If another thread were initialising one during a fork, the child
// would block on it permanently. `prepareFork` waits for it, and constants are computed properties instead.

internal import Glibc

/// The locks of one directory in this process, shared by all its `StorageDirectory` objects.
///
/// `@unchecked Sendable`: mutable state is accessed with the lock of `LockFiles` held only.
package final class LockFile: @unchecked Sendable {
  /// The directory that has the lock file; nil for a directory in memory.
  let directory: FileIdentity?
  /// The open file, from the first lock until the last user leaves.
  fileprivate var descriptor: FileDescriptor?
  /// The bytes that this process holds, each with its holder.
  fileprivate var held: [Int64: Holder] = [:]
  /// The tokens of holders whose locks were dropped because the host has closed the file.
  fileprivate var lost: Set<UInt64> = []
  /// Ledgers that stay open after their bytes were released, the latest last.
  fileprivate var idleLedgers: [HeldLedger] = []
  /// The names of the temporary files that this process is writing.
  fileprivate var writing: Set<String> = []
  /// The number of directory objects that use it.
  fileprivate var users = 0
  /// The hash seed of the directory, once an image was written. A forked child keeps it.
  fileprivate var hashSeed: HashSeed?

  fileprivate init(directory: FileIdentity?) { self.directory = directory }

  /// The number of the open file; nil if it is not open, -1 if the host has closed it.
  fileprivate var number: Int32? {
    switch descriptor {
    case .some(let descriptor): descriptor.number
    case .none: nil
    }
  }

  /// If the host has closed the file, which drops all locks, removes all holders.
  fileprivate func dropIfLost() {
    guard number == -1 else { return }
    descriptor = nil
    lost.formUnion(held.values.map(\.token))
    held.removeAll()
  }

  /// Keeps a ledger open; closes the oldest of more than 16.
  fileprivate func keepOpen(_ ledger: HeldLedger) {
    idleLedgers.append(ledger)
    if idleLedgers.count > 16 { idleLedgers.removeFirst() }
  }
}

private struct Holder {
  let token: UInt64
  /// The ledger of the source that the byte locks, once the holder has opened it.
  var ledger: HeldLedger?
}

/// All lock files of the process.
///
/// One lock guards all of them. It is held only for table look-ups and system calls that do not block, so a fork has
/// one lock of the store to take. `@unchecked Sendable`: `files` and `lastToken` are accessed with that lock held only.
package final class LockFiles: @unchecked Sendable {
  package static let shared = LockFiles()

  private let lock = Lock()
  private var files: [LockFile] = []
  private var lastToken: UInt64 = 0

  /// For a simulated process in tests; others use `shared`.
  package init() {}

  /// Adds a user of a directory's locks.
  func join(_ directory: FileIdentity?) -> LockFile {
    lock.withLock {
      let known = directory == nil ? nil : files.first { $0.directory == directory }
      let file = known ?? LockFile(directory: directory)
      if known == nil { files.append(file) }
      file.users += 1
      return file
    }
  }

  /// Removes a user of a directory's locks. Holders keep their directory, so no byte is held when the last user leaves.
  func leave(_ file: LockFile) {
    lock.withLock {
      file.users -= 1
      guard file.users == 0 else { return }
      file.descriptor = nil
      files.removeAll { $0 === file }
    }
  }

  /// Returns the hash seed of a directory; nil before its first use.
  func hashSeed(of file: LockFile) -> HashSeed? { lock.withLock { file.hashSeed } }

  /// Stores the hash seed of a directory, unless another thread has stored one. Returns the stored seed.
  func keep(_ hashSeed: HashSeed, of file: LockFile) -> HashSeed {
    lock.withLock {
      let kept = file.hashSeed ?? hashSeed
      file.hashSeed = kept
      return kept
    }
  }

  /// Locks a byte for one holder in this process. Returns the holder's token, or nil if the byte is held elsewhere.
  ///
  /// - Parameter open: Opens the lock file. It returns nil if no file can be locked; then the lock covers this process
  ///   only.
  func acquire(
    _ byte: Int64, in directory: StorageDirectory, open: () throws(RemoraError) -> Int32?
  ) throws(RemoraError) -> (token: UInt64, coversProcesses: Bool)? {
    let file = directory.locks
    return try lock.withLock { () throws(RemoraError) -> (token: UInt64, coversProcesses: Bool)? in
      file.dropIfLost()
      guard file.held[byte] == nil else { return nil }
      // The lock file was deleted: other processes lock a new file by now.
      if let old = file.number, file.held.isEmpty, directory.status(of: old).links == 0 { file.descriptor = nil }
      if file.number == nil, let opened = try open() {
        file.descriptor = FileDescriptor(keeping: opened, directory.calls)
      }
      let number = file.number
      if let number {
        let answer = uninterrupted { directory.calls.files.lock(number, byte, true) }
        if answer == -EAGAIN || answer == -EACCES { return nil }
        if answer < 0 { throw directory.failure("lock", .lock, answer) }
      }
      lastToken += 1
      file.held[byte] = Holder(token: lastToken)
      return (lastToken, number != nil)
    }
  }

  /// Whether the holder of a token still holds its byte; false after a release, in a forked child, and after the host
  /// has closed the lock file.
  func holds(_ byte: Int64, of file: LockFile, token: UInt64) -> Bool {
    lock.withLock {
      file.dropIfLost()
      return file.held[byte]?.token == token
    }
  }

  /// Whether the holder of a token has lost its lock because the host has closed the lock file.
  func hasLost(_ file: LockFile, token: UInt64) -> Bool { lock.withLock { file.lost.contains(token) } }

  /// Returns the open ledger of the holder of a token.
  func ledger(_ byte: Int64, of file: LockFile, token: UInt64) -> HeldLedger? {
    lock.withLock { file.held[byte].flatMap { $0.token == token ? $0.ledger : nil } }
  }

  /// Keeps the ledger of the holder of a token open until the byte is released.
  func keep(_ ledger: HeldLedger?, _ byte: Int64, of file: LockFile, token: UInt64) {
    lock.withLock {
      if file.held[byte]?.token == token { file.held[byte]?.ledger = ledger }
    }
  }

  /// Releases a byte, once: a second call, or a call in a forked child, does nothing.
  func release(_ byte: Int64, in directory: StorageDirectory, token: UInt64) {
    let file = directory.locks
    lock.withLock {
      file.lost.remove(token)
      guard file.held[byte]?.token == token else { return }
      // Unlocked for other processes first; until the entry is removed, no other holder in this process can take the
      // byte.
      if let number = file.number { _ = uninterrupted { directory.calls.files.lock(number, byte, false) } }
      if let ledger = file.held.removeValue(forKey: byte)?.ledger { file.keepOpen(ledger) }
    }
  }

  /// Removes and returns the source's ledger that an earlier holder left open, if any.
  func takeIdleLedger(_ name: StorageName, of file: LockFile) -> HeldLedger? {
    lock.withLock {
      file.idleLedgers.firstIndex { $0.name == name }.map { file.idleLedgers.remove(at: $0) }
    }
  }

  /// Notes that this process is about to create a temporary file.
  func beginWriting(_ temporary: String, in file: LockFile) { _ = lock.withLock { file.writing.insert(temporary) } }

  /// Notes that a temporary file received its final name, or is abandoned.
  func endWriting(_ temporary: String, in file: LockFile) { _ = lock.withLock { file.writing.remove(temporary) } }

  /// Whether this process is writing a temporary file; false in a forked child of the writer.
  func isWriting(_ temporary: String, in file: LockFile) -> Bool { lock.withLock { file.writing.contains(temporary) } }

  /// Whether the writer of a temporary file is dead, because this process holds the byte's lock and is not writing the
  /// file. Names of temporary files are never reused.
  func isAbandoned(_ temporary: String, under byte: Int64, in file: LockFile) -> Bool {
    lock.withLock { file.number ?? -1 >= 0 && file.held[byte] != nil && !file.writing.contains(temporary) }
  }

  /// Called before a fork: waits until no other thread uses the lock files.
  func prepareFork() { lock.prepareFork() }

  /// Called after a fork, in the parent.
  func resumeParent() { lock.resumeParent() }

  /// Called after a fork, in the child, which holds no lock and opens lock files of its own when it needs them.
  func resumeChild() {
    lock.resumeChild()
    for file in files {
      file.held.removeAll()
      file.idleLedgers.removeAll()
      file.writing.removeAll()
      // fcntl locks belong to a process: this close does not drop the parent's locks.
      file.descriptor = nil
    }
  }
}
