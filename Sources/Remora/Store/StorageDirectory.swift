// SPDX-License-Identifier: Apache-2.0
//
// A storage directory: opened, checked, and read. Who wants to change a source's files takes its lock first.
// Invariant: every access is relative to one open directory that is ours alone to write. Safe from any thread.

internal import Glibc

/// The storage directory of a client, or the lack of one.
///
/// All properties are constant. The state of locks is shared by all objects of one directory in this process,
/// and the registry guards it. Reading needs no lock: images are replaced whole, ledgers have checksums.
package final class StorageDirectory: Sendable {
  /// The largest image, in bytes: what the offsets inside an image can reach.
  package static var maximumImageSize: Int { Int(Int32.max) }

  /// As it was given; for messages.
  package let path: String
  /// The same from the root, so that a change of the working directory does not lead elsewhere; nil if it is unknown.
  private let absolutePath: String?
  /// The system's calls, or a test's.
  let calls: SystemCalls
  /// Where its locks are registered.
  let registry: DirectoryRegistry
  /// The locks of this directory, in this process.
  let locks: LockFile
  /// Whose it is: our own, or whom root acts for.
  let owner: FileOwner
  /// The open directory; none when everything stays in memory.
  private let descriptor: FileDescriptor?
  /// Why there is no open directory.
  private let openProblem: RemoraError?

  /// Opens the directory at `path`, and makes it and its parents when they are missing.
  ///
  /// A directory that cannot be made or opened at present (no rights, read-only, full) is no failure: nothing is
  /// read, `writeProblem` tells why, and every write throws it.
  ///
  /// - Throws: `.invalidArgument` for a path that cannot be one; `.storage` when it can never become a directory;
  ///   `.permission` when it belongs to another user or others can write it.
  /// - Parameter mayBeAnothers: Whether root may act for another owner: new files are then that owner's.
  package static func open(
    path: String, mayBeAnothers: Bool = false, calls: SystemCalls = .real, registry: DirectoryRegistry = .shared
  ) throws(RemoraError) -> StorageDirectory {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .invalidArgument("storage_dir", "is empty or contains NUL")
    }
    var opened = uninterrupted { calls.openDirectory(path) }
    var isMade = false
    if opened == -ENOENT {
      let made = makeDirectories(path, calls)
      isMade = made >= 0
      opened = made < 0 ? made : uninterrupted { calls.openDirectory(path) }
    }
    if opened >= 0 {
      return try StorageDirectory(
        path: path, descriptor: FileDescriptor(adopting: opened, calls), mayBeAnothers: mayBeAnothers, calls: calls,
        registry: registry)
    }
    switch -opened {
    case ENOTDIR, ELOOP, ENAMETOOLONG: throw .notDirectory(path)
    // Made, and yet not there: a link to nowhere.
    case ENOENT where isMade: throw .notDirectory(path)
    default:
      let status = calls.pathStatus(path)
      if status.failure == 0, let problem = status.directoryProblem(mayBeAnothers: mayBeAnothers) {
        throw .permission(path, problem)
      }
      return memory(because: .storage("open", path, errno: -opened), path: path)
    }
  }

  /// A directory that holds nothing and takes nothing, for a reason that every write throws.
  package static func memory(because problem: RemoraError, path: String = "(memory)") -> StorageDirectory {
    StorageDirectory(path: path, problem: problem)
  }

  private init(
    path: String, descriptor: consuming FileDescriptor, mayBeAnothers: Bool, calls: SystemCalls,
    registry: DirectoryRegistry
  ) throws(RemoraError) {
    self.registry = registry
    let status = calls.fileStatus(descriptor.number)
    guard status.failure == 0 else { throw .storage("open", path, errno: status.failure) }
    if let problem = status.directoryProblem(mayBeAnothers: mayBeAnothers) { throw .permission(path, problem) }
    owner = status.owner
    self.path = path
    absolutePath = makeAbsolute(path)
    self.calls = calls
    self.descriptor = consume descriptor
    openProblem = nil
    locks = registry.join(status.identity, calls)
  }

  private init(path: String, problem: RemoraError) {
    self.path = path
    absolutePath = nil
    calls = .real
    registry = .shared
    owner = FileOwner(user: geteuid(), group: getegid())
    descriptor = nil
    openProblem = problem
    locks = registry.join(nil, calls)
  }

  deinit { registry.leave(locks) }

  /// Whether the path leads to another directory than the open one by now, or to none.
  ///
  /// Costs one status. The open directory keeps its inode, so no other directory has its identity. If the path cannot
  /// be looked up, for example after a change of the process's user, the open directory stays in use.
  package var isReplaced: Bool {
    guard let identity = locks.directory, let absolutePath else { return false }
    let status = calls.pathStatus(absolutePath)
    return status.failure == 0 ? status.identity != identity : [ENOENT, ENOTDIR, ELOOP].contains(status.failure)
  }

  /// Opens the directory that the path leads to now, with the checks of `open`.
  ///
  /// - Parameter mayCreate: Whether to create a missing directory; else the result is nil.
  /// - Throws: As `open`, and the reason why the directory cannot be created or opened at present.
  package func reopened(mayCreate: Bool) throws(RemoraError) -> StorageDirectory? {
    guard let absolutePath else { return nil }
    if !mayCreate, calls.pathStatus(absolutePath).failure == ENOENT { return nil }
    let next = try StorageDirectory.open(path: absolutePath, calls: calls, registry: registry)
    if let problem = next.openProblem { throw problem }
    return next
  }

  /// Why nothing can be written now; nil when something can. Asks the system each time.
  ///
  /// A full disk shows only in the write itself.
  package var writeProblem: RemoraError? {
    guard let number else { return openProblem }
    let answer = uninterrupted { calls.checkWritable(number) }
    return answer < 0 ? .storage("write to", path, errno: -answer) : nil
  }

  /// The time by which the system stamps files, in milliseconds since 1970.
  package var nowMs: Int64 { calls.nowMs() }

  /// The status of an open file.
  func status(of file: Int32) -> FileStatus { calls.fileStatus(file) }

  /// The system's number of the open directory; nil when everything stays in memory.
  var number: Int32? {
    switch descriptor {
    case .some(let descriptor): descriptor.number
    case .none: nil
    }
  }

  /// The number of the open directory, for a write.
  func writableNumber() throws(RemoraError) -> Int32 {
    if let number { return number }
    throw openProblem ?? .storage("write to", path, errno: EROFS)
  }

  /// Whether root acts here for another owner.
  var isAnothers: Bool { owner.user != geteuid() }

  /// Makes a new file the directory's owner's, who must be able to read, replace and lock it.
  func giveToOwner(_ number: Int32, _ file: StoredFile) throws(RemoraError) {
    guard isAnothers else { return }
    let given = uninterrupted { calls.changeOwner(number, owner) }
    guard given == 0 else { throw failure("give away", file, given) }
  }

  /// Waits until the names in the directory survive a power cut.
  func syncDirectory(_ number: Int32) throws(RemoraError) {
    let synced = uninterrupted { calls.sync(number) }
    // Some file systems cannot sync a directory; they say so with EINVAL.
    guard synced == 0 || synced == -EINVAL else { throw .storage("sync", path, errno: -synced) }
  }

  /// The path of a file, for messages.
  func path(of file: StoredFile) -> String { "\(path)/\(file.fileName)" }

  /// The error of a call on a file.
  func failure(_ action: String, _ file: StoredFile, _ answer: Int32) -> RemoraError {
    .storage(action, path(of: file), errno: -answer)
  }

  /// All files of the directory that are ours by their names.
  func storedFiles() -> [StoredFile] {
    guard let number else { return [] }
    return (calls.list(number) ?? []).compactMap(StoredFile.init(fileName:))
  }

  /// The secret that seeds the tables of new images: the same in all processes that use the directory. Where nothing can
  /// be written, each process has one of its own. The first call in a process reads or creates the file.
  package var hashSeed: HashSeed {
    registry.hashSeed(of: locks)
      ?? registry.keep(StoredHashSeed(directory: self).readOrCreate() ?? .random(), of: locks)
  }

  /// Takes the lock of a source without waiting; nil while another process or another holder in this one has it.
  ///
  /// Where nothing can be written, the lock excludes the holders of this process, and its writes throw.
  ///
  /// - Throws: `.storage` when the file system has no locks or gives no lock file; `.permission` when the lock
  ///   file is not ours alone.
  package func tryLock(_ name: StorageName) throws(RemoraError) -> SourceLock? {
    let taken = try registry.acquire(name.lockByte, in: self) { () throws(RemoraError) in
      try LockFileOpening(directory: self).open()
    }
    guard let taken else { return nil }
    let problem = taken.coversProcesses ? nil : writeProblem ?? .permission(path(of: .lock), "cannot be opened")
    return SourceLock(name, self, token: taken.token, writeProblem: problem)
  }
}
