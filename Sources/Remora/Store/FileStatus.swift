// SPDX-License-Identifier: Apache-2.0
//
// What the system says about a file, and the one place that judges whether it may be used.
// Invariant: what passes belongs to the directory's owner, who is our own user or one that root acts for, or to whom a host's package belongs, and no stranger can write it.

internal import CSupport
internal import Glibc

/// The status of a file or directory at one moment.
struct FileStatus {
  /// 0, or the errno of the call; then nothing else here means anything.
  let failure: Int32
  private let raw: stat

  /// Of an open file.
  init(file: Int32) { self.init { remora_file_status(file, &$0) } }

  /// Of a name in a directory, symbolic links not followed.
  init(name: String, in directory: Int32) { self.init { remora_name_status(directory, name, &$0) } }

  /// Of a path, symbolic links followed.
  init(path: String) { self.init { remora_path_status(path, &$0) } }

  private init(_ call: (inout stat) -> Int32) {
    var status = stat()
    failure = -call(&status)
    raw = status
  }

  /// The size in bytes.
  var size: Int { Int(raw.st_size) }
  /// Names that the file has; 0 when it was replaced after it was opened.
  var links: Int { Int(raw.st_nlink) }
  /// The time of the last change or touch, in milliseconds since 1970.
  var modifiedMs: Int64 { Int64(raw.st_mtim.tv_sec) &* 1000 &+ Int64(raw.st_mtim.tv_nsec) / 1_000_000 }
  /// Whether only the owner may do anything with it.
  var isPrivate: Bool { raw.st_mode & 0o077 == 0 }
  /// Whether somebody else than the owner may write it.
  var canBeWrittenByOthers: Bool { raw.st_mode & 0o022 != 0 }
  /// Whose it is.
  var owner: FileOwner { FileOwner(user: raw.st_uid, group: raw.st_gid) }
  /// What tells one directory from another, whatever its path.
  var identity: FileIdentity { FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino)) }

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
    if ![geteuid(), 0, folder.raw.st_uid].contains(raw.st_uid) { return "belongs to another user" }
    return canBeWrittenByOthers ? "can be written by others" : nil
  }

  private var isRegularFile: Bool { raw.st_mode & S_IFMT == S_IFREG }

  private func ownerProblem(of owner: FileOwner) -> String? {
    if raw.st_uid != owner.user { return "belongs to another user" }
    return canBeWrittenByOthers ? "can be written by others" : nil
  }
}

/// Whose a file is.
struct FileOwner: Sendable {
  let user: uid_t
  let group: gid_t
}

/// What tells one directory from another, whatever its path.
struct FileIdentity: Hashable {
  let device: UInt64
  let inode: UInt64
}
