// SPDX-License-Identifier: Apache-2.0
//
// Stored attachments, each in a file named by its SHA-256. Files are opened without a lock, as
// `StorageDirectory+Reads.swift` describes, and installed and removed with the attachment's lock held. Invariant: a
// file receives its final name only after all of its bytes are on disk.

internal import Glibc

extension SourceLock {
  /// Opens the part file to which an attachment is downloaded. A part that an earlier attempt left is continued.
  ///
  /// A part that others could have written is replaced instead. The content of an existing part is not checked: it may
  /// already be complete, have other bytes, or be too long; the last two are fixed by `truncate(to:)` only.
  ///
  /// - Throws: `.storage`; `.permission`; `.internal` if the lock is not the attachment's.
  package func openPart(_ attachment: AttachmentName) throws(RemoraError) -> PartFile {
    let number = try requireWritable(for: attachment)
    let file = StoredFile.part(attachment)
    do throws(RemoraError) {
      if let left = try directory.openTrusted(file, O_RDWR) { return PartFile(attachment, left, under: self) }
    } catch {
      guard error.code == .permission else { throw error }
      try remove(file, in: number)
    }
    let opened = uninterrupted {
      directory.calls.directories.openFile(number, file.fileName, O_RDWR | O_CREAT | O_EXCL)
    }
    guard opened >= 0 else { throw directory.failure("create", file, opened) }
    return PartFile(attachment, FileDescriptor(adopting: opened, directory.calls), under: self)
  }

  /// Stores an attachment whose bytes are complete and verified; replaces a file of the same name.
  ///
  /// If a step before the last one fails, the part is removed, because a failed fsync is never retried on the same
  /// file. If only the last step fails (syncing the directory), the attachment is stored, but a power failure may still
  /// undo that. The part must not be written to any more.
  ///
  /// - Throws: `.storage`; `.permission`; `.internal` if the part belongs to another lock.
  package func install(_ part: PartFile) throws(RemoraError) {
    let number = try requireWritable(for: part.name)
    guard part.lock === self else {
      throw .bug("the wrong lock was used to store \(part.path)")
    }
    let target = StoredFile.attachment(part.name)
    do throws(RemoraError) {
      try part.sync()
      let renamed = uninterrupted {
        directory.calls.directories.rename(number, StoredFile.part(part.name).fileName, target.fileName)
      }
      guard renamed == 0 else { throw directory.failure("rename", target, renamed) }
    } catch {
      discard(part)
      throw error
    }
    try directory.syncDirectory(number)
  }

  /// Removes a part; a part in memory needs no removal. Errors are ignored: the next attempt continues the part, or a
  /// sweep removes it.
  package func discard(_ part: PartFile) {
    guard part.lock === self, let number = try? requireWritable(for: part.name) else { return }
    _ = directory.calls.directories.remove(number, StoredFile.part(part.name).fileName)
  }

  /// Removes a stored attachment because it is damaged. Existing mappings of the file stay valid.
  package func removeAttachment(_ attachment: AttachmentName) throws(RemoraError) {
    try remove(.attachment(attachment), in: requireWritable(for: attachment))
  }

  private func requireWritable(for attachment: AttachmentName) throws(RemoraError) -> Int32 {
    guard name == attachment.storageName else { throw .lockNotHeld(directory.attachmentPath(attachment)) }
    return try requireWritable()
  }
}
