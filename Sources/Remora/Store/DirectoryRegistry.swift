// SPDX-License-Identifier: Apache-2.0
//
// The lock files of this process, one open descriptor per directory, and the only code that opens or closes them:
// any close of such a file, through any descriptor, drops all fcntl locks that the process holds on it.
// Invariant: a byte is in `held` exactly while somebody of this process owns it, and then so does the file's lock.
// The shared registry is the store's only lazy global. One whose first use is under way in another thread at a fork would
// stop the child permanently; `prepareFork` waits for this one, and constants are computed properties.

internal import Glibc

/// The locks of one directory in this process, shared by every `StorageDirectory` of it.
///
/// `@unchecked Sendable`: everything mutable is read and written only under the registry's lock.
package final class LockFile: @unchecked Sendable {
  /// The directory that it is in; nil for one that exists in memory only.
  let directory: FileIdentity?
  /// The open file, from the first lock to the last user's end.
  fileprivate var descriptor: Int32?
  /// The bytes held by this process, each with its holder.
  fileprivate var held: [Int64: Holder] = [:]
  /// Ledgers that stayed open after their bytes were released, the latest last.
  fileprivate var idleLedgers: [HeldLedger] = []
  /// The names of the temporaries that this process is writing.
  fileprivate var writing: Set<String> = []
  /// How many directory objects use it.
  fileprivate var users = 0
  /// The hash seed of the directory, once an image was written. A forked child keeps it.
  fileprivate var hashSeed: HashSeed?

  /// Closes a file.
  fileprivate let close: @Sendable (Int32) -> Void

  fileprivate init(directory: FileIdentity?, close: @escaping @Sendable (Int32) -> Void) {
    self.directory = directory
    self.close = close
  }

  /// Keeps a ledger open, and closes the oldest of many.
  fileprivate func keepOpen(_ ledger: HeldLedger) {
    idleLedgers.append(ledger)
    if idleLedgers.count > 16 { idleLedgers.removeFirst() }
  }
}

/// Who holds a byte.
private struct Holder {
  let token: UInt64
  /// The ledger that the byte is for, once the holder has opened it.
  var ledger: HeldLedger?
}

/// All lock files of the process.
///
/// One lock guards all of them: it is taken for a table look-up and a system call that does not wait, and a fork
/// has a single lock of the store to take. `@unchecked Sendable`: `files` and `lastToken` are used only under it.
package final class DirectoryRegistry: @unchecked Sendable {
  /// The registry of this process.
  package static let shared = DirectoryRegistry()

  private let lock = Lock()
  private var files: [LockFile] = []
  private var lastToken: UInt64 = 0

  /// Makes the registry of a process, or of a simulated one.
  package init() {}

  /// Counts one more user of a directory's locks.
  func join(_ directory: FileIdentity?, _ calls: SystemCalls) -> LockFile {
    lock.withLock {
      let known = directory == nil ? nil : files.first { $0.directory == directory }
      let file = known ?? LockFile(directory: directory, close: calls.close)
      if known == nil { files.append(file) }
      file.users += 1
      return file
    }
  }

  /// Counts one user less. Holders keep their directory, so nothing is held when the last one leaves.
  func leave(_ file: LockFile) {
    lock.withLock {
      file.users -= 1
      guard file.users == 0 else { return }
      close(file)
      files.removeAll { $0 === file }
    }
  }

  /// The hash seed of a directory; nil before its first use.
  func hashSeed(of file: LockFile) -> HashSeed? { lock.withLock { file.hashSeed } }

  /// Keeps the hash seed of a directory, unless another thread did so before. Returns the one that is kept.
  func keep(_ hashSeed: HashSeed, of file: LockFile) -> HashSeed {
    lock.withLock {
      let kept = file.hashSeed ?? hashSeed
      file.hashSeed = kept
      return kept
    }
  }

  /// Takes a byte for this process and one holder in it. Answers the holder's token, or nil when it is busy.
  ///
  /// - Parameter open: Opens the lock file; nil when there is none, and the lock covers this process only.
  func acquire(
    _ byte: Int64, in directory: StorageDirectory, open: () throws(RemoraError) -> Int32?
  ) throws(RemoraError) -> (token: UInt64, coversProcesses: Bool)? {
    let file = directory.locks
    return try lock.withLock { () throws(RemoraError) -> (token: UInt64, coversProcesses: Bool)? in
      guard file.held[byte] == nil else { return nil }
      // Somebody emptied the directory: others lock a new file by now.
      if let old = file.descriptor, file.held.isEmpty, directory.status(of: old).links == 0 { close(file) }
      if file.descriptor == nil { file.descriptor = try open() }
      if let descriptor = file.descriptor {
        let answer = uninterrupted { directory.calls.lock(descriptor, byte, true) }
        if answer == -EAGAIN || answer == -EACCES { return nil }
        if answer < 0 { throw directory.failure("lock", .lock, answer) }
      }
      lastToken += 1
      file.held[byte] = Holder(token: lastToken)
      return (lastToken, file.descriptor != nil)
    }
  }

  /// Whether the holder of a token still holds its byte: not after a release, and not in a forked child.
  func holds(_ byte: Int64, of file: LockFile, token: UInt64) -> Bool {
    lock.withLock { file.held[byte]?.token == token }
  }

  /// The open ledger of the holder of a token.
  func ledger(_ byte: Int64, of file: LockFile, token: UInt64) -> HeldLedger? {
    lock.withLock { file.held[byte].flatMap { $0.token == token ? $0.ledger : nil } }
  }

  /// Keeps the ledger of the holder of a token open until the byte is released.
  func keep(_ ledger: HeldLedger?, _ byte: Int64, of file: LockFile, token: UInt64) {
    lock.withLock {
      if file.held[byte]?.token == token { file.held[byte]?.ledger = ledger }
    }
  }

  /// Gives a byte back, once: a second call, or one in a forked child, does nothing.
  func release(_ byte: Int64, in directory: StorageDirectory, token: UInt64) {
    let file = directory.locks
    lock.withLock {
      guard file.held[byte]?.token == token else { return }
      // First for other processes: until then nobody here may take it.
      if let descriptor = file.descriptor { _ = uninterrupted { directory.calls.lock(descriptor, byte, false) } }
      if let ledger = file.held.removeValue(forKey: byte)?.ledger { file.keepOpen(ledger) }
    }
  }

  /// Takes the ledger of a source that an earlier holder of its byte left open, if there is one.
  func takeIdleLedger(_ name: StorageName, of file: LockFile) -> HeldLedger? {
    lock.withLock {
      file.idleLedgers.firstIndex { $0.name == name }.map { file.idleLedgers.remove(at: $0) }
    }
  }

  /// Notes that this process is about to create a temporary.
  func beginWriting(_ temporary: String, in file: LockFile) { _ = lock.withLock { file.writing.insert(temporary) } }

  /// Notes that a temporary has its final name, or is abandoned.
  func endWriting(_ temporary: String, in file: LockFile) { _ = lock.withLock { file.writing.remove(temporary) } }

  /// Whether this process is writing a temporary. Not in a forked child of the one that began.
  func isWriting(_ temporary: String, in file: LockFile) -> Bool { lock.withLock { file.writing.contains(temporary) } }

  /// Whether a temporary under a byte's lock has no living writer, because this process holds the lock and does not
  /// write it. No later writer reuses its name.
  func isAbandoned(_ temporary: String, under byte: Int64, in file: LockFile) -> Bool {
    lock.withLock { file.descriptor != nil && file.held[byte] != nil && !file.writing.contains(temporary) }
  }

  /// Before a fork: nobody is inside the registry.
  func prepareFork() { lock.prepareFork() }

  /// After a fork, in the parent.
  func resumeParent() { lock.resumeParent() }

  /// After a fork, in the child: it holds nothing, and opens lock files of its own when it needs them.
  func resumeChild() {
    lock.resumeChild()
    for file in files {
      file.held.removeAll()
      file.idleLedgers.removeAll()
      file.writing.removeAll()
      // fcntl locks belong to the process: this close does not touch the parent's.
      close(file)
    }
  }

  private func close(_ file: LockFile) {
    if let descriptor = file.descriptor { file.close(descriptor) }
    file.descriptor = nil
  }
}
