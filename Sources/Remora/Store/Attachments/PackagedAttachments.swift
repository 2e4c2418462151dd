// SPDX-License-Identifier: Apache-2.0
//
// Attachments that a host ships: a folder with one file per record, named by the record's id.
// Invariant: only a regular file in that folder, or the target of a link there, is opened, and only if no other user
// can write to it. The folders of Kubernetes' ConfigMaps contain such links.

internal import Glibc

/// Returns the path of a record's packaged attachment; nil if the record's id cannot be a file name.
package func packagedAttachmentPath(folder: String, record id: String) -> String? {
  guard let first = id.utf8.first, isLetter(first) || isDigit(first), id.utf8.count <= Int(NAME_MAX) else { return nil }
  let isPlain = id.utf8.allSatisfy { byte in
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }
  return isPlain && !folder.isEmpty && !folder.utf8.contains(0) ? "\(folder)/\(id)" : nil
}

/// Opens and maps a record's packaged attachment; nil if the file does not exist.
///
/// Only the size is checked; the caller must verify the digest. The file must belong to this user, to root or to the
/// folder's owner, and the file must not be writable by others. The folder may be, if it is mounted read-only.
///
/// - Parameter bytes: The required size.
/// - Throws: `.corrupt` for another size; `.permission` for a file that other users could have created or changed;
///   `.tooLarge`; `.storage`.
package func openPackagedAttachment(
  folder: String, record id: String, bytes: Int, calls: SystemCalls = .real
) throws(RemoraError) -> ImageBuffer? {
  guard let path = packagedAttachmentPath(folder: folder, record: id) else { return nil }
  let openedFolder = uninterrupted { calls.directories.open(folder) }
  if openedFolder == -ENOENT { return nil }
  guard openedFolder >= 0 else { throw .storage("open", folder, errno: -openedFolder) }
  let directory = FileDescriptor(adopting: openedFolder, calls)
  let place = calls.files.status(directory.number)
  guard place.failure == 0 else { throw .storage("open", folder, errno: place.failure) }
  // The folder of a ConfigMap has mode 0777 in a read-only mount.
  if let problem = place.writersProblem, !calls.directories.isReadOnly(directory.number) {
    throw .permission(folder, problem)
  }

  let opened = uninterrupted { calls.directories.openTarget(directory.number, id) }
  guard opened >= 0 else {
    switch -opened {
    case ENOENT: return nil
    case ELOOP, ENXIO, ENODEV: throw .permission(path, "is not a regular file")
    default: throw .storage("open", path, errno: -opened)
    }
  }
  let file = FileDescriptor(adopting: opened, calls)
  let status = calls.files.status(file.number)
  guard status.failure == 0 else { throw .storage("open", path, errno: status.failure) }
  if let problem = status.packagedFileProblem(in: place) { throw .permission(path, problem) }
  guard status.size == bytes else {
    throw RemoraError(.corrupt, "\(path) has \(status.size) bytes instead of \(bytes)")
  }
  return try file.load(path, mayMap: true, calls)
}
