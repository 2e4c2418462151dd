// SPDX-License-Identifier: Apache-2.0
//
// Repairs of a storage directory that its users should know of. The store has no log; a client reports them.

internal import Glibc

package struct DirectoryRepairs: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The host has closed the descriptor of the directory, so the directory was opened again.
  package static var descriptor: DirectoryRepairs { DirectoryRepairs(rawValue: 1) }
  /// The group could write to the directory or to files in it, so they got their modes back.
  package static var modes: DirectoryRepairs { DirectoryRepairs(rawValue: 2) }

  /// Returns a warning for each repair.
  package func warnings(_ path: String) -> [String] {
    var warnings: [String] = []
    if contains(.descriptor) {
      warnings.append("\(path) was opened again, because the program has closed the library's file descriptors")
    }
    if contains(.modes) {
      warnings.append("\(path) or files in it could be written by its group, so their modes were set to 0700 and 0600")
    }
    return warnings
  }
}

extension OpenDirectory {
  /// Restores the mode of a directory of this user that its group can write, if it contains only Remora's files.
  /// Returns the new status, which is unchanged if that is not possible.
  func repaired(_ status: FileStatus, _ calls: SystemCalls) -> FileStatus {
    guard status.owner.user == geteuid(), status.isWritableByGroupOnly, !status.isSticky,
      let names = calls.directories.list(number), names.allSatisfy(isOwnName),
      calls.files.changeMode(number, 0o700) == 0
    else { return status }
    note(.modes)
    return calls.files.status(number)
  }

  private func isOwnName(_ name: String) -> Bool {
    name == "." || name == ".." || StoredFile(fileName: name) != nil
  }
}
