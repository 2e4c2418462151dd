// SPDX-License-Identifier: Apache-2.0
//
// Attachments that a host brings along: a folder with a file for each record, named by the record's id.
// Invariant: only a plain file directly in that folder is opened, and only when no stranger can write it.

internal import Glibc

/// The path of a record's packaged attachment; nil when the record's id cannot be a file's name.
package func packagedAttachmentPath(folder: String, record id: String) -> String? {
  guard let first = id.utf8.first, isLetter(first) || isDigit(first), id.utf8.count <= Int(NAME_MAX) else { return nil }
  let isPlain = id.utf8.allSatisfy { byte in
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }
  return isPlain && !folder.isEmpty && !folder.utf8.contains(0) ? "\(folder)/\(id)" : nil
}

/// A record's packaged attachment, mapped in place; nil when there is none.
///
/// Only the size is looked at: whether the bytes have the record's digest is for the caller to see. The file belongs to
/// us, to root or to the folder's owner, and neither it nor the folder can be written by others.
///
/// - Parameter bytes: The size that it must have.
/// - Throws: `.corrupt` for another size; `.permission` for a file that strangers could have made or changed;
///   `.tooLarge`; `.storage`.
package func openPackagedAttachment(
  folder: String, record id: String, bytes: Int, calls: SystemCalls = .real
) throws(RemoraError) -> ImageBuffer? {
  guard let path = packagedAttachmentPath(folder: folder, record: id) else { return nil }
  let openedFolder = uninterrupted { calls.openDirectory(folder) }
  if openedFolder == -ENOENT { return nil }
  guard openedFolder >= 0 else { throw .storage("open", folder, errno: -openedFolder) }
  let directory = FileDescriptor(adopting: openedFolder, calls)
  let place = calls.fileStatus(directory.number)
  guard place.failure == 0 else { throw .storage("open", folder, errno: place.failure) }
  if place.canBeWrittenByOthers { throw .permission(folder, "can be written by others") }

  let opened = uninterrupted { calls.open(directory.number, id, O_RDONLY) }
  guard opened >= 0 else {
    switch -opened {
    case ENOENT: return nil
    case ELOOP, ENXIO, ENODEV: throw .permission(path, "is not a regular file")
    default: throw .storage("open", path, errno: -opened)
    }
  }
  let file = FileDescriptor(adopting: opened, calls)
  let status = calls.fileStatus(file.number)
  guard status.failure == 0 else { throw .storage("open", path, errno: status.failure) }
  if let problem = status.packagedFileProblem(in: place) { throw .permission(path, problem) }
  guard status.size == bytes else {
    throw RemoraError(.corrupt, "\(path) has \(status.size) bytes instead of \(bytes)")
  }
  return try file.load(path, mayMap: true, calls)
}
