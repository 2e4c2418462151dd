// SPDX-License-Identifier: Apache-2.0
//
// The status of a file, and the only code that decides whether a file may be used.
// Invariant: an accepted file belongs to the directory's owner, and no other user can write to it. The owner is this
// user, a user for whom root acts, or the owner of a host's package.

// Both imports, because the type timespec belongs to whichever module the compiler reads first.
internal import CSupport
internal import Glibc

/// The status of a file or directory at one moment.
package struct FileStatus: Sendable {
  /// 0, or the errno of the failed call; the other properties are meaningless then.
  package var failure: Int32 = 0
  package var permissions: UInt32 = 0
  package var isRegularFile = true
  /// Whether only the owners of files can remove them from the directory, as in /tmp.
  package var isSticky = false
  package var size = 0
  /// The number of hard links; 0 if the file was deleted or replaced after it was opened.
  package var links = 1
  /// The modification time (write or touch), in milliseconds since 1970.
  package var modifiedMs: Int64 = 0
  package var owner = FileOwner(user: 0, group: 0)
  /// Identifies the file independently of its path.
  package var identity = FileIdentity(device: 0, inode: 0)
  /// The time at which the content or an attribute changed, in nanoseconds since 1970.
  package var changedNs: Int64 = 0

  package init() {}

  /// Creates a status with `ask`, a stat call that returns 0 or a negative errno.
  init(_ ask: (inout stat) -> Int32) {
    var raw = stat()
    failure = -ask(&raw)
    permissions = raw.st_mode & 0o777
    isSticky = raw.st_mode & S_ISVTX != 0
    isRegularFile = raw.st_mode & S_IFMT == S_IFREG
    size = Int(raw.st_size)
    links = Int(raw.st_nlink)
    modifiedMs = Int64(raw.st_mtim.tv_sec) &* 1000 &+ Int64(raw.st_mtim.tv_nsec) / 1_000_000
    owner = FileOwner(user: raw.st_uid, group: raw.st_gid)
    identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    changedNs = Int64(raw.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_ctim.tv_nsec)
  }

  /// The version of the content.
  var version: FileVersion { FileVersion(identity: identity, changedNs: changedNs) }
  /// The identity; nil if the call failed, for example because the descriptor is closed.
  var openIdentity: FileIdentity? { failure == 0 ? identity : nil }
  /// Whether only the owner has any access.
  var isPrivate: Bool { permissions & 0o077 == 0 }
  /// Returns the reason users other than the owner can write to the file, as words that follow its path; nil if they
  /// cannot.
  var writersProblem: String? {
    permissions & 0o022 == 0 ? nil : "has mode \(octalMode), so that other users can write to it"
  }

  /// Whether users of the group can write to the file, but not all users.
  var isWritableByGroupOnly: Bool { permissions & 0o022 == 0o020 }

  /// Returns the reason a file may not be used in a directory of `owner`, as words that follow its path; nil if it may.
  func fileProblem(of owner: FileOwner) -> String? {
    if !isRegularFile { return "is not a regular file" }
    // Through a second name, others could replace the file unnoticed.
    if links > 1 { return "has a second name (hard link)" }
    return ownerProblem(of: owner)
  }

  /// Returns the reason a file cannot hold a secret of `owner`, as words that follow its path; nil if it can.
  func secretProblem(of owner: FileOwner) -> String? {
    if !isRegularFile { return "is not a regular file" }
    return isPrivate ? ownerProblem(of: owner) : "has mode \(octalMode), so that other users can read it"
  }

  /// Returns the reason a directory cannot be a storage directory, as words that follow its path; nil if it can.
  ///
  /// - Parameter mayBeAnothers: Whether root may act for another owner.
  func directoryProblem(mayBeAnothers: Bool) -> String? {
    let isOwn = !mayBeAnothers || geteuid() != 0
    return ownerProblem(of: isOwn ? FileOwner(user: geteuid(), group: getegid()) : owner)
  }

  /// Returns the reason a file may not be used as a packaged file or as a seed, as words that follow its path; nil if
  /// it may. Hard links are accepted, because installers and package stores create them; no other user can write to
  /// those files.
  func packagedFileProblem(in folder: FileStatus) -> String? {
    if !isRegularFile { return "is not a regular file" }
    if ![geteuid(), 0, folder.owner.user].contains(owner.user) {
      return "belongs to user \(owner.user), and neither to user \(geteuid()) nor to root"
    }
    return writersProblem
  }

  private func ownerProblem(of owner: FileOwner) -> String? {
    if self.owner.user != owner.user { return "belongs to user \(self.owner.user), and not to user \(owner.user)" }
    return writersProblem
  }

  private var octalMode: String { "0" + String(permissions, radix: 8) }
}

package struct FileOwner: Sendable {
  let user: UInt32
  let group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}
