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
  let writeProblem: RemoraError?
  /// Tells this holder from earlier and later ones.
  private let token: UInt64

  init(_ name: StorageName, _ directory: StorageDirectory, token: UInt64, writeProblem: RemoraError?) {
    self.name = name
    self.directory = directory
    self.token = token
    self.writeProblem = writeProblem
  }

  deinit { unlock() }

  /// Gives the lock back. Further calls, and calls in a forked child, do nothing.
  package func unlock() {
    directory.registry.release(name.lockByte, in: directory, token: token)
  }

  /// Whether the lock is still held: not after `unlock`, and not in a forked child.
  package var isHeld: Bool {
    directory.registry.holds(name.lockByte, of: directory.locks, token: token)
  }

  /// The open ledger, once there is one.
  var openLedger: HeldLedger? {
    get { directory.registry.ledger(name.lockByte, of: directory.locks, token: token) }
    set { directory.registry.keep(newValue, name.lockByte, of: directory.locks, token: token) }
  }

  /// The directory to write in, while the lock is held.
  func requireWritable() throws(RemoraError) -> Int32 {
    guard isHeld else { throw .lockNotHeld(directory.path) }
    if let writeProblem { throw writeProblem }
    return try directory.writableNumber()
  }
}

/// Opens the lock file of a directory.
struct LockFileOpening {
  let directory: StorageDirectory

  /// The open file; nil where none can be written.
  func open() throws(RemoraError) -> Int32? {
    guard let number = directory.number else { return nil }
    let opened = openOrCreate(in: number)
    switch -opened {
    case EROFS, EACCES, EPERM: return nil
    case ELOOP, ENXIO, EISDIR: throw .permission(directory.path(of: .lock), "is not a regular file")
    case 1...: throw directory.failure("open", .lock, opened)
    default: break
    }
    // No process lock can be lost by this close: the registry opens the file only when it holds none.
    let status = directory.status(of: opened)
    let problem = status.failure == 0 ? status.fileProblem(of: directory.owner) : "has no status"
    guard let problem else { return opened }
    close(opened)
    throw .permission(directory.path(of: .lock), problem)
  }

  /// A file that root makes for another owner must be that owner's, or nobody else could lock it.
  private func openOrCreate(in number: Int32) -> Int32 {
    let name = StoredFile.lock.fileName
    guard directory.isAnothers else { return uninterrupted { directory.calls.open(number, name, O_RDWR | O_CREAT) } }
    let made = uninterrupted { directory.calls.open(number, name, O_RDWR | O_CREAT | O_EXCL) }
    if made == -EEXIST { return uninterrupted { directory.calls.open(number, name, O_RDWR) } }
    guard made >= 0 else { return made }
    do throws(RemoraError) {
      try directory.giveToOwner(made, .lock)
      return made
    } catch {
      close(made)
      _ = directory.calls.remove(number, name)
      return -EPERM
    }
  }
}
