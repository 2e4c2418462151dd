// SPDX-License-Identifier: Apache-2.0
//
// The right to change the files of one source. Every write of a source's images and ledger is a method of the lock, so
// nothing is written without it.
// Invariant: at most one holder on this host, among all threads and processes.

internal import Glibc

/// The lock of one source, held from `tryLock` until `unlock`, the release of its last reference, or the end of the
/// process.
package final class SourceLock: Sendable {
  package let name: StorageName
  /// The directory of the source's files; kept open while the lock is held.
  package let directory: StorageDirectory
  /// The reason nothing may be written although the lock is held: the lock covers this process only. Nil if writing is
  /// allowed.
  let writeProblem: RemoraError?
  /// Distinguishes this holder from earlier and later ones.
  private let token: UInt64

  init(_ name: StorageName, _ directory: StorageDirectory, token: UInt64, writeProblem: RemoraError?) {
    self.name = name
    self.directory = directory
    self.token = token
    self.writeProblem = writeProblem
  }

  deinit { unlock() }

  /// Releases the lock. Further calls, and calls in a forked child, do nothing.
  package func unlock() {
    directory.lockFiles.release(name.lockByte, in: directory, token: token)
  }

  /// Whether the lock is still held; false after `unlock`, in a forked child, and after the host has closed the lock
  /// file.
  package var isHeld: Bool {
    directory.lockFiles.holds(name.lockByte, of: directory.locks, token: token)
  }

  /// The ledger, if it is open.
  var openLedger: HeldLedger? {
    get { directory.lockFiles.ledger(name.lockByte, of: directory.locks, token: token) }
    set { directory.lockFiles.keep(newValue, name.lockByte, of: directory.locks, token: token) }
  }

  /// Returns the descriptor of the directory for a write. Throws if the lock is not held or writing is not possible.
  func requireWritable() throws(RemoraError) -> Int32 {
    guard isHeld else {
      throw directory.lockFiles.hasLost(directory.locks, token: token)
        ? .lockLost(directory.path) : .lockNotHeld(directory.path)
    }
    if let writeProblem { throw writeProblem }
    return try directory.writableNumber()
  }
}

/// Opens the lock file of a directory.
struct LockFileOpening {
  let directory: StorageDirectory

  /// Opens the lock file; nil if no file can be written.
  func open() throws(RemoraError) -> Int32? {
    guard let number = directory.number else { return nil }
    let opened = openOrCreate(in: number)
    switch -opened {
    case EROFS, EACCES, EPERM: return nil
    case ELOOP, ENXIO, EISDIR: throw .permission(directory.path(of: .lock), "is not a regular file")
    case 1...: throw directory.failure("open", .lock, opened)
    default: break
    }
    // This close drops no lock: the file is opened only while the process holds none of its locks.
    let status = directory.repaired(opened, directory.status(of: opened))
    let problem = status.failure == 0 ? status.fileProblem(of: directory.owner) : "cannot be examined"
    guard let problem else { return opened }
    close(opened)
    throw .permission(directory.path(of: .lock), problem)
  }

  /// Opens the lock file. If root creates it for another owner, the file must belong to that owner, or only root could
  /// lock it.
  private func openOrCreate(in number: Int32) -> Int32 {
    let name = StoredFile.lock.fileName
    guard directory.isAnothers else {
      return uninterrupted { directory.calls.directories.openFile(number, name, O_RDWR | O_CREAT) }
    }
    let made = uninterrupted { directory.calls.directories.openFile(number, name, O_RDWR | O_CREAT | O_EXCL) }
    if made == -EEXIST { return uninterrupted { directory.calls.directories.openFile(number, name, O_RDWR) } }
    guard made >= 0 else { return made }
    do throws(RemoraError) {
      try directory.giveToOwner(made, .lock)
      return made
    } catch {
      close(made)
      _ = directory.calls.directories.remove(number, name)
      return -EPERM
    }
  }
}
