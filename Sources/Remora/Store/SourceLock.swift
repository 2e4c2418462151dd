// SPDX-License-Identifier: Apache-2.0
//
// The right to change the files of one source. Every write of a source's images and ledger is a method of it, so
// nothing is written without it. Invariant: at most one holder on this host, threads and processes alike.

internal import Glibc

/// The lock of one source: held from `tryLock` until `unlock`, its last reference, or the death of the process.
package final class SourceLock: Sendable {
  /// The source.
  package let name: StorageName
  /// Where its files are; kept open while the lock is held.
  package let directory: StorageDirectory
  /// Why nothing may be written although the lock is held: it covers this process only.
  private let writeProblem: RemoraError?
  /// Tells this holder from earlier and later ones.
  private let token: UInt64

  fileprivate init(_ name: StorageName, _ directory: StorageDirectory, token: UInt64, writeProblem: RemoraError?) {
    self.name = name
    self.directory = directory
    self.token = token
    self.writeProblem = writeProblem
  }

  deinit { unlock() }

  /// Gives the lock back. Further calls, and calls in a forked child, do nothing.
  package func unlock() {
    directory.registry.release(name.lockByte, of: directory.locks, token: token, directory.calls)
  }

  /// Whether the lock is still held: not after `unlock`, and not in a forked child.
  package var isHeld: Bool {
    directory.registry.holds(name.lockByte, of: directory.locks, token: token)
  }

  /// The directory to write in, while the lock is held.
  func requireWritable() throws(RemoraError) -> Int32 {
    guard isHeld else { throw .lockNotHeld(directory.path) }
    if let writeProblem { throw writeProblem }
    return try directory.writableNumber()
  }
}

extension StorageDirectory {
  /// Takes the lock of a source without waiting; nil while another process or another holder in this one has it.
  ///
  /// Where nothing can be written, the lock excludes the holders of this process, and its writes throw.
  ///
  /// - Throws: `.storage` when the file system has no locks or gives no lock file; `.permission` when the lock
  ///   file is not ours alone.
  package func tryLock(_ name: StorageName) throws(RemoraError) -> SourceLock? {
    let taken = try registry.acquire(name.lockByte, in: self) { () throws(RemoraError) in
      try openLockFile()
    }
    guard let taken else { return nil }
    let problem = taken.coversProcesses ? nil : writeProblem ?? .permission(path(of: .lock), "cannot be opened")
    return SourceLock(name, self, token: taken.token, writeProblem: problem)
  }

  private func openLockFile() throws(RemoraError) -> Int32? {
    guard let number else { return nil }
    let opened = openOrCreateLockFile(in: number)
    switch -opened {
    case EROFS, EACCES, EPERM: return nil
    case ELOOP, ENXIO, EISDIR: throw .permission(path(of: .lock), "is not a regular file")
    case 1...: throw failure("open", .lock, opened)
    default: break
    }
    // No process lock can be lost by this close: the registry opens the file only when it holds none.
    let status = status(of: opened)
    let problem = status.failure == 0 ? status.fileProblem(of: owner) : "has no status"
    guard let problem else { return opened }
    close(opened)
    throw .permission(path(of: .lock), problem)
  }

  /// A file that root makes for another owner must be that owner's, or nobody else could lock it.
  private func openOrCreateLockFile(in number: Int32) -> Int32 {
    let name = StoredFile.lock.fileName
    guard isAnothers else { return uninterrupted { calls.open(number, name, O_RDWR | O_CREAT) } }
    let made = uninterrupted { calls.open(number, name, O_RDWR | O_CREAT | O_EXCL) }
    if made == -EEXIST { return uninterrupted { calls.open(number, name, O_RDWR) } }
    guard made >= 0 else { return made }
    do throws(RemoraError) {
      try giveToOwner(made, .lock)
      return made
    } catch {
      close(made)
      _ = calls.remove(number, name)
      return -EPERM
    }
  }
}
