// SPDX-License-Identifier: Apache-2.0
//
// A storage directory: opening, checks and locks. Changing a source's files requires the source's lock.
// Invariant: every access is relative to one open directory that only its owner can write. Safe from any thread.

internal import Glibc

/// The storage directory of a client, or a stand-in if everything stays in memory.
///
/// All properties are constant. The state of locks is shared by all objects of the same directory in this process, and
/// guarded by `LockFiles`. Reading needs no lock: images are replaced as a whole, and ledgers have checksums.
package final class StorageDirectory: Sendable {
  /// The largest image, in bytes: the range of the offsets inside an image.
  package static var maximumImageSize: Int { Int(Int32.max) }

  /// The path as the caller passed it; for messages.
  package let path: String
  /// The absolute path, which stays valid if the working directory changes; nil if it is unknown.
  private let absolutePath: String?
  /// The system calls to use; tests replace them.
  let calls: SystemCalls
  /// Shared by all directories of the process.
  let lockFiles: LockFiles
  /// The locks of this directory, in this process.
  let locks: LockFile
  /// The owner of the directory: this user, or the user for whom root acts.
  let owner: FileOwner
  /// The open directory; nil if everything stays in memory.
  let descriptor: OpenDirectory?
  /// Whether nothing may be changed, not even times and modes of files.
  let isReadOnly: Bool
  /// The reason there is no open directory; nil if there is one.
  private let openProblem: RemoraError?

  /// Opens the directory at `path`; creates it and its parents if they are missing.
  ///
  /// If the directory cannot be created or opened at present (no permission, read-only, disk full), or if it belongs to
  /// another user or others can write to it, this is not an error: nothing is read, `writeProblem` returns the reason,
  /// and every write throws it. If the group can write to the user's own directory, it gets mode 0700 back.
  ///
  /// - Throws: `.invalidArgument` for an invalid path; `.storage` if the path can never be a directory.
  /// - Parameter mayBeAnothers: Whether root may act for another owner; new files then belong to that owner.
  package static func open(
    path: String, mayBeAnothers: Bool = false, calls: SystemCalls = .real, lockFiles: LockFiles = .shared
  ) throws(RemoraError) -> StorageDirectory {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .invalidArgument("storage_dir", "is empty or contains a NUL")
    }
    var opened = uninterrupted { calls.directories.open(path) }
    var isMade = false
    if opened == -ENOENT {
      let made = makeDirectories(path, calls)
      isMade = made >= 0
      opened = made < 0 ? made : uninterrupted { calls.directories.open(path) }
    }
    if opened >= 0 {
      let found = calls.files.status(opened)
      let descriptor = OpenDirectory(adopting: opened, found.identity, path: makeAbsolute(path), calls)
      guard found.failure == 0 else { throw .storage("open", path, errno: found.failure) }
      let status = descriptor.repaired(found, calls)
      if let problem = status.directoryProblem(mayBeAnothers: mayBeAnothers) {
        return memory(because: .permission(path, problem), path: path)
      }
      return StorageDirectory(path: path, descriptor, status, calls: calls, lockFiles: lockFiles)
    }
    switch -opened {
    case ENOTDIR, ELOOP, ENAMETOOLONG: throw .notDirectory(path)
    // Created but still not found: a dangling symbolic link.
    case ENOENT where isMade: throw .notDirectory(path)
    default:
      let status = calls.directories.pathStatus(path)
      if status.failure == 0, let problem = status.directoryProblem(mayBeAnothers: mayBeAnothers) {
        return memory(because: .permission(path, problem), path: path)
      }
      return memory(because: .storage("open", path, errno: -opened), path: path)
    }
  }

  /// Opens an existing directory only for reading: nothing is created, repaired, locked or marked as used.
  ///
  /// - Throws: `.invalidArgument` for an invalid path; `.storage` if it cannot be opened; `.permission` if others than
  ///   its owner can write to it, so that no host uses it.
  package static func openForReading(
    path: String, calls: SystemCalls = .real, lockFiles: LockFiles = .shared
  ) throws(RemoraError) -> StorageDirectory {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidArgument("path", "is empty or contains a NUL") }
    let opened = uninterrupted { calls.directories.open(path) }
    guard opened >= 0 else { throw .storage("open", path, errno: -opened) }
    let status = calls.files.status(opened)
    let descriptor = OpenDirectory(adopting: opened, status.identity, path: makeAbsolute(path), calls)
    guard status.failure == 0 else { throw .storage("open", path, errno: status.failure) }
    if let problem = status.writersProblem { throw .permission(path, problem) }
    return StorageDirectory(
      path: path, descriptor, status, calls: calls, lockFiles: lockFiles, isReadOnly: true)
  }

  /// Creates a directory without files. Every write throws `problem`.
  package static func memory(because problem: RemoraError, path: String = "(memory)") -> StorageDirectory {
    StorageDirectory(path: path, problem: problem)
  }

  private init(
    path: String, _ descriptor: OpenDirectory, _ status: FileStatus, calls: SystemCalls, lockFiles: LockFiles,
    isReadOnly: Bool = false
  ) {
    self.lockFiles = lockFiles
    self.isReadOnly = isReadOnly
    owner = status.owner
    self.path = path
    absolutePath = descriptor.path
    self.calls = calls
    self.descriptor = descriptor
    openProblem = nil
    locks = lockFiles.join(status.identity)
  }

  private init(path: String, problem: RemoraError) {
    self.path = path
    absolutePath = nil
    calls = .real
    lockFiles = .shared
    owner = FileOwner(user: geteuid(), group: getegid())
    descriptor = nil
    isReadOnly = false
    openProblem = problem
    locks = lockFiles.join(nil)
  }

  deinit { lockFiles.leave(locks) }

  /// Whether the path now leads to a different directory than the open one, or to none.
  ///
  /// Costs one stat. The open directory keeps its inode, so no other directory can have its identity. If the path
  /// cannot be looked up, for example after a change of the process's user, the open directory stays in use.
  package var isReplaced: Bool {
    guard let identity = locks.directory, let absolutePath else { return false }
    let status = calls.directories.pathStatus(absolutePath)
    return status.failure == 0 ? status.identity != identity : [ENOENT, ENOTDIR, ELOOP].contains(status.failure)
  }

  /// The repairs so far. Opens the directory again if the host has closed its descriptor.
  package var repairs: DirectoryRepairs {
    _ = number
    return descriptor?.repairs ?? []
  }

  /// Opens the directory to which the path leads now, with the checks of `open`.
  ///
  /// - Parameter mayCreate: Whether to create a missing directory; else the result is nil.
  /// - Throws: The errors of `open`, and the reason the directory cannot be created or opened at present.
  package func reopened(mayCreate: Bool) throws(RemoraError) -> StorageDirectory? {
    guard let absolutePath else { return nil }
    if !mayCreate, calls.directories.pathStatus(absolutePath).failure == ENOENT { return nil }
    let next = try StorageDirectory.open(path: absolutePath, calls: calls, lockFiles: lockFiles)
    if let problem = next.openProblem { throw problem }
    return next
  }

  /// The reason nothing can be written at present; nil if writing is possible. Queries the system each time.
  ///
  /// A full disk shows only when writing.
  package var writeProblem: RemoraError? {
    guard let number else { return openProblem }
    let answer = uninterrupted { calls.directories.checkWritable(number) }
    return answer < 0 ? .storage("write to", path, errno: -answer) : nil
  }

  /// The current time for file timestamps, in milliseconds since 1970.
  package var nowMs: Int64 { calls.nowMs() }

  /// Returns the status of an open file.
  func status(of file: Int32) -> FileStatus { calls.files.status(file) }

  /// The descriptor of the open directory; nil if everything stays in memory. Costs an fstat; see `OpenDirectory`.
  var number: Int32? { descriptor?.number }

  /// Returns the descriptor of the open directory for a write, or throws the reason there is none.
  func writableNumber() throws(RemoraError) -> Int32 {
    if let number { return number }
    throw openProblem ?? .storage("write to", path, errno: EROFS)
  }

  /// Whether root acts for another owner.
  var isAnothers: Bool { owner.user != geteuid() }

  /// Changes the owner of a new file to the directory's owner, which must be able to read, replace and lock it.
  func giveToOwner(_ number: Int32, _ file: StoredFile) throws(RemoraError) {
    guard isAnothers else { return }
    let given = uninterrupted { calls.files.changeOwner(number, owner) }
    guard given == 0 else { throw failure("change the owner of", file, given) }
  }

  /// Syncs the directory, so that its file names survive a power failure.
  func syncDirectory(_ number: Int32) throws(RemoraError) {
    let synced = uninterrupted { calls.files.sync(number) }
    // Some file systems cannot sync a directory and return EINVAL.
    guard synced == 0 || synced == -EINVAL else { throw .storage("sync", path, errno: -synced) }
  }

  /// Returns the path of a file, for messages.
  func path(of file: StoredFile) -> String { "\(path)/\(file.fileName)" }

  func failure(_ action: String, _ file: StoredFile, _ answer: Int32) -> RemoraError {
    .storage(action, path(of: file), errno: -answer)
  }

  /// Returns all files in the directory whose names are Remora's.
  package func storedFiles() -> [StoredFile] {
    guard let number else { return [] }
    return (calls.directories.list(number) ?? []).compactMap(StoredFile.init(fileName:))
  }

  /// The secret seed of the hash tables in new images, shared by all processes that use the directory. If the directory
  /// cannot be written, each process has a seed of its own. The first call in a process reads or creates the file.
  package var hashSeed: HashSeed {
    lockFiles.hashSeed(of: locks)
      ?? lockFiles.keep(StoredHashSeed(directory: self).readOrCreate() ?? .random(), of: locks)
  }

  /// Takes the lock of a source without waiting; nil if it is held by another process or by another holder in this one.
  ///
  /// If nothing can be written, the lock excludes only holders in this process, and its writes throw.
  ///
  /// - Throws: `.storage` if the file system does not support locks or the lock file cannot be opened; `.permission` if
  ///   others can write to the lock file.
  package func tryLock(_ name: StorageName) throws(RemoraError) -> SourceLock? {
    let taken = try lockFiles.acquire(name.lockByte, in: self) { () throws(RemoraError) in
      try LockFileOpening(directory: self).open()
    }
    guard let taken else { return nil }
    let problem = taken.coversProcesses ? nil : writeProblem ?? .permission(path(of: .lock), "cannot be opened")
    return SourceLock(name, self, token: taken.token, writeProblem: problem)
  }
}

/// Returns the absolute path; nil if the working directory is unknown.
func makeAbsolute(_ path: String) -> String? {
  guard path.utf8.first != UInt8(ascii: "/") else { return path }
  guard let current = getcwd(nil, 0) else { return nil }
  defer { free(current) }
  return "\(String(cString: current))/\(path)"
}

/// Creates a directory and its missing parents. Returns 0 or a negative errno.
func makeDirectories(_ path: String, _ calls: SystemCalls) -> Int32 {
  var made = uninterrupted { calls.directories.make(path) }
  if made == -ENOENT {
    let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    let parent = trimmed.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }.reversed()
    if parent.isEmpty { return made }
    let parentMade = makeDirectories(String(decoding: Array(parent), as: UTF8.self), calls)
    if parentMade < 0 { return parentMade }
    made = uninterrupted { calls.directories.make(path) }
  }
  // Another process created it, or it is not a directory; opening it will show which.
  return made == -EEXIST ? 0 : made
}
