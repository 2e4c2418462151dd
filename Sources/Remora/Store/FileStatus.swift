// SPDX-License-Identifier: Apache-2.0
//
// What the system says about a file, and the one place that judges whether it may be used.
// Invariant: what passes belongs to the directory's owner, who is our own user or one that root acts for, or to whom a host's package belongs, and no stranger can write it.

internal import Glibc

/// The status of a file or directory at one moment.
package struct FileStatus: Sendable {
  /// 0, or the errno of the call; then nothing else here means anything.
  package var failure: Int32 = 0
  /// The permissions.
  package var permissions: UInt32 = 0
  package var isRegularFile = true
  /// The size in bytes.
  package var size = 0
  /// Names that the file has; 0 when it was replaced after it was opened.
  package var links = 1
  /// The time of the last change or touch, in milliseconds since 1970.
  package var modifiedMs: Int64 = 0
  /// Whose it is.
  package var owner = FileOwner(user: 0, group: 0)
  /// What tells one directory from another, whatever its path.
  package var identity = FileIdentity(device: 0, inode: 0)

  package init() {}

  /// Asks the system, which answers 0 or a negative errno.
  init(_ ask: (inout stat) -> Int32) {
    var raw = stat()
    failure = -ask(&raw)
    permissions = raw.st_mode & 0o777
    isRegularFile = raw.st_mode & S_IFMT == S_IFREG
    size = Int(raw.st_size)
    links = Int(raw.st_nlink)
    modifiedMs = Int64(raw.st_mtim.tv_sec) &* 1000 &+ Int64(raw.st_mtim.tv_nsec) / 1_000_000
    owner = FileOwner(user: raw.st_uid, group: raw.st_gid)
    identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
  }

  /// Whether only the owner may do anything with it.
  var isPrivate: Bool { permissions & 0o077 == 0 }
  /// Whether somebody else than the owner may write it.
  var canBeWrittenByOthers: Bool { permissions & 0o022 != 0 }

  /// Why this is no file of a directory of this owner's, in words that follow its path; nil when it may be used.
  func fileProblem(of owner: FileOwner) -> String? {
    if !isRegularFile { return "is not a regular file" }
    // A second name would let somebody change the file behind our back.
    if links > 1 { return "has a second name (hard link)" }
    return ownerProblem(of: owner)
  }

  /// Why a file of a directory of this owner's holds no secret, in words that follow its path; nil when it may be used.
  func secretProblem(of owner: FileOwner) -> String? {
    if !isRegularFile { return "is not a regular file" }
    return isPrivate ? ownerProblem(of: owner) : "can be read by others"
  }

  /// Why this is no storage directory, in words that follow its path; nil when it may be used.
  ///
  /// - Parameter mayBeAnothers: Whether root may act for another owner.
  func directoryProblem(mayBeAnothers: Bool) -> String? {
    let isOwn = !mayBeAnothers || geteuid() != 0
    return ownerProblem(of: isOwn ? FileOwner(user: geteuid(), group: getegid()) : owner)
  }

  /// Why this is no packaged file of a folder, and no seed of a directory, in words that follow its path; nil when it may
  /// be used. Installers and package stores give files of their own second names, and strangers can write none of them.
  func packagedFileProblem(in folder: FileStatus) -> String? {
    if !isRegularFile { return "is not a regular file" }
    if ![geteuid(), 0, folder.owner.user].contains(owner.user) { return "belongs to another user" }
    return canBeWrittenByOthers ? "can be written by others" : nil
  }

  private func ownerProblem(of owner: FileOwner) -> String? {
    if self.owner.user != owner.user { return "belongs to another user" }
    return canBeWrittenByOthers ? "can be written by others" : nil
  }
}

/// Whose a file is.
package struct FileOwner: Sendable {
  let user: UInt32
  let group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}

/// What tells one directory from another, whatever its path.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}
