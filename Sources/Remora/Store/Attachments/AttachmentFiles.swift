// SPDX-License-Identifier: Apache-2.0
//
// Stored attachments, each in a file named by its SHA-256: opened by anybody at any time, as `FileReads.swift` has it,
// and installed and removed under the attachment's lock. Invariant: a file has the final name only after its bytes are on the disk, whole.

internal import Glibc

extension SourceLock {
  /// Opens the file that an attachment's bytes come into: one that an earlier attempt left is continued.
  ///
  /// What is not ours alone is not continued but replaced. What was left is not looked at: it may be whole already, of
  /// other bytes, or more than it should be, which only `truncate(to:)` mends.
  ///
  /// - Throws: `.storage`; `.permission`; `.internal` for a lock of something else.
  package func openPart(_ attachment: AttachmentName) throws(RemoraError) -> PartFile {
    let number = try requireWritable(for: attachment)
    let file = StoredFile.part(attachment)
    do throws(RemoraError) {
      if let left = try directory.openTrusted(file, O_RDWR) { return PartFile(attachment, left, under: self) }
    } catch {
      guard error.code == .permission else { throw error }
      try remove(file, in: number)
    }
    let opened = uninterrupted { directory.calls.open(number, file.fileName, O_RDWR | O_CREAT | O_EXCL) }
    guard opened >= 0 else { throw directory.failure("create", file, opened) }
    return PartFile(attachment, FileDescriptor(adopting: opened, directory.calls), under: self)
  }

  /// Stores an attachment whose bytes are complete and verified; what had its name is replaced.
  ///
  /// On a failure before the last step the part is removed: an fsync that failed is never tried again on a file. When
  /// only the last step fails (the directory's sync) the attachment is in place, but a power cut may still undo that.
  /// No byte may be written to the part any more.
  ///
  /// - Throws: `.storage`; `.permission`; `.internal` for a part of something else.
  package func install(_ part: PartFile) throws(RemoraError) {
    let number = try requireWritable(for: part.name)
    guard part.lock === self else { throw RemoraError(.internal, "\(part.path) was to be stored under another lock") }
    let target = StoredFile.attachment(part.name)
    do throws(RemoraError) {
      try part.sync()
      let renamed = uninterrupted {
        directory.calls.rename(number, StoredFile.part(part.name).fileName, target.fileName)
      }
      guard renamed == 0 else { throw directory.failure("rename", target, renamed) }
    } catch {
      discard(part)
      throw error
    }
    try directory.syncDirectory(number)
  }

  /// Removes a part; one in memory goes by itself. Failures do not matter: who comes next continues it, or sweeps it.
  package func discard(_ part: PartFile) {
    guard part.lock === self, let number = try? requireWritable(for: part.name) else { return }
    _ = directory.calls.remove(number, StoredFile.part(part.name).fileName)
  }

  /// Removes a stored attachment, because it is damaged. Whoever has it open keeps its bytes.
  package func removeAttachment(_ attachment: AttachmentName) throws(RemoraError) {
    try remove(.attachment(attachment), in: requireWritable(for: attachment))
  }

  private func requireWritable(for attachment: AttachmentName) throws(RemoraError) -> Int32 {
    guard name == attachment.storageName else { throw .lockNotHeld(directory.attachmentPath(attachment)) }
    return try requireWritable()
  }
}
