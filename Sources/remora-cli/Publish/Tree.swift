// SPDX-License-Identifier: Apache-2.0
//
// A published tree as a folder. The tree is the only state of a publisher.
// Invariant: a file is replaced by a rename after its content is durable, so that readers see the old or the new one.

internal import Glibc
internal import Remora

/// The folder `v2` of a tree.
struct Tree: TreeReader {
  let path: String
  private var folder: String { "\(path)/v2" }

  init(_ path: String) { self.path = path }

  func name(of path: String) -> String { "\(folder)/\(path)" }

  func read(_ path: String, limit: Int) throws(RemoraError) -> [UInt8]? {
    do throws(RemoraError) {
      return try readFile(name(of: path), limit: limit)
    } catch {
      guard error.systemCode == ENOENT || error.systemCode == ENOTDIR else { throw error }
      return nil
    }
  }

  func collections() throws(RemoraError) -> [CollectionName] {
    try folders().filter { $0.bucket != "monitor" && access(name(of: TreePath.changeset($0)), F_OK) == 0 }
  }

  /// Returns the names of all folders of collections, also of one that a killed publisher has left empty.
  private func folders() throws(RemoraError) -> [CollectionName] {
    var found: [CollectionName] = []
    guard isFolder(name(of: "buckets")) else { return found }
    for bucket in try visibleNames(in: name(of: "buckets")) {
      let folder = name(of: "buckets/\(bucket)/collections")
      guard isFolder(folder) else { continue }
      for collection in try visibleNames(in: folder) {
        found.append(CollectionName(bucket: bucket, collection: collection))
      }
    }
    return found
  }

  /// Returns the timestamps in the monitor; none if it is missing or damaged, and not those under names that no
  /// collection can have, because every publication repairs it.
  func monitored() throws(RemoraError) -> [String: Int64] {
    guard let bytes = try read(TreePath.monitor, limit: TransportOptions().maxBodyBytes) else { return [:] }
    return (try? entries(in: bytes))?.versions ?? [:]
  }

  func attachmentSize(_ sha256: String, stated: Int64?) throws(RemoraError) -> Int64? {
    let path = name(of: TreePath.attachment(sha256))
    guard access(path, F_OK) == 0 else { return nil }
    let file = try AttachmentFile(path)
    return file.sha256 == sha256 ? Int64(file.size) : nil
  }

  /// Creates the tree if necessary, and keeps other publishers out until the lock is released.
  ///
  /// - Parameter waits: Whether to wait for another publisher.
  /// - Throws: `.busy` if there is another publisher and this one does not wait.
  func lock(waits: Bool) throws(RemoraError) -> TreeLock {
    for part in [path, folder] { try makeFolder(part) }
    return try TreeLock(folder, waits: waits)
  }

  /// Writes a file unless it has this content. Returns whether it was written.
  @discardableResult
  func write(_ path: String, _ bytes: [UInt8]) throws(RemoraError) -> Bool {
    if (try? read(path, limit: bytes.count)) == bytes { return false }
    var parent = folder
    for part in path.split(separator: "/").dropLast() {
      parent += "/\(part)"
      try makeFolder(parent)
    }
    try replaceFile(name(of: path), with: bytes, followingLinks: false, isNewer: true)
    return true
  }

  /// Removes a file, and the folder of a collection with it.
  func remove(_ path: String) throws(RemoraError) {
    guard unlink(name(of: path)) == 0 || errno == ENOENT else { throw .storage("remove", name(of: path), errno: errno) }
    let parent = splitPath(name(of: path)).folder
    if path.hasSuffix("/changeset"), rmdir(parent) != 0, errno != ENOTEMPTY, errno != EEXIST, errno != ENOENT {
      throw .storage("remove", parent, errno: errno)
    }
    syncFolder(splitPath(parent).folder)
  }

  /// Sets the modification time of a file to the present: the time at which no version needed it any more.
  func touch(_ path: String) { _ = utimensat(AT_FDCWD, name(of: path), nil, 0) }

  /// Returns the files in a folder that were last modified before an instant.
  func files(in part: String, olderThanMs instant: Int64) throws(RemoraError) -> [String] {
    guard isFolder(name(of: part)) else { return [] }
    var old: [String] = []
    for file in try visibleNames(in: name(of: part)) {
      let path = "\(part)/\(file)"
      if try RegularFile(name(of: path)).modifiedMs < instant { old.append(path) }
    }
    return old
  }

  /// Returns the temporary files that killed publishers have left behind, as absolute paths.
  func leftOvers() throws(RemoraError) -> [String] {
    var folders = [folder, name(of: TreePath.attachments), name(of: TreePath.authorities)]
    for collection in try self.folders() { folders.append(splitPath(name(of: TreePath.changeset(collection))).folder) }
    return folders.flatMap { folder in temporaryNames(in: folder).map { "\(folder)/\($0)" } }
  }

  /// Removes the temporary files that killed publishers have left behind.
  func sweep() throws(RemoraError) {
    for path in try leftOvers() {
      guard unlink(path) == 0 || errno == ENOENT else { throw .storage("remove", path, errno: errno) }
    }
  }

  private func makeFolder(_ path: String) throws(RemoraError) {
    if mkdir(path, 0o777) == 0 { return syncFolder(splitPath(path).folder) }
    guard errno == EEXIST, isFolder(path) else {
      throw errno == EEXIST ? .notDirectory(path) : .storage("create", path, errno: errno)
    }
  }
}

/// The lock of a tree, which other publishers respect. The folder itself is locked, so that the tree has no lock file.
struct TreeLock: ~Copyable {
  private let file: Int32

  fileprivate init(_ folder: String, waits: Bool) throws(RemoraError) {
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw .storage("open", folder, errno: errno) }
    guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
    guard errno == EWOULDBLOCK else { throw .storage("lock", folder, errno: errno) }
    guard waits else { throw RemoraError(.busy, "\(folder) is locked by another publisher") }
    report("\(folder) is locked by another publisher; waiting for it")
    while flock(file, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .storage("lock", folder, errno: errno) }
    }
  }

  deinit { close(file) }

  /// Lets other publishers in.
  consuming func release() {}
}
