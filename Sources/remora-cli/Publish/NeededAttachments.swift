// SPDX-License-Identifier: Apache-2.0
//
// The attachments of a publication, each by its SHA-256, and where its bytes are.

internal import Remora

/// The attachments that the records of a publication name.
struct NeededAttachments {
  /// An attachment: in a file of the folder, or in the published tree.
  private struct Needed {
    let sha256: String
    let size: Int
    let file: AttachmentFile?
    /// The record that names it, for messages.
    let owner: String
  }

  private var needed: [String: Needed] = [:]

  var paths: [String] { needed.keys.map { TreePath.attachment($0) } }

  /// Adds the attachments of a collection's records.
  ///
  /// - Throws: `.format` for an attachment that is neither in the folder nor published.
  mutating func add(
    _ change: CollectionChange, _ source: SourceCollection?, from tree: any TreeReader, _ folder: SourceFolder
  ) throws(RemoraError) {
    for (record, _) in change.records {
      guard let attachment = record.attachment else { continue }
      let file = attachment.sha256.flatMap { source?.attachments[$0] }
      guard let sha256 = attachment.sha256, try isThere(sha256, file, in: tree) else {
        throw .format(
          "record \(record.id) of \(change.name)",
          "has an attachment, but \(folder.path)/\(change.name)/\(record.id) does not exist, and the tree does not have it"
        )
      }
      if needed[sha256]?.file == nil {
        needed[sha256] = Needed(
          sha256: sha256, size: Int(clamping: attachment.size), file: file,
          owner: "record \(record.id) of \(change.name)")
      }
    }
  }

  private func isThere(
    _ sha256: String, _ file: AttachmentFile?, in tree: any TreeReader
  ) throws(RemoraError) -> Bool {
    if file != nil || needed[sha256] != nil { return true }
    return try tree.holds(sha256)
  }

  /// Writes the attachments that the tree does not have.
  ///
  /// - Parameter published: The tree from which attachments are read that the folder lacks.
  func write(to tree: Tree, from published: any TreeReader) throws(RemoraError) {
    var missing: [Needed] = []
    for (sha256, attachment) in needed.sorted(by: { $0.key < $1.key }) where try !tree.holds(sha256) {
      missing.append(attachment)
    }
    let bar = ProgressBar(items: missing.count, bytes: missing.reduce(0) { $0 &+ $1.size })
    defer { bar.clear() }
    for attachment in missing {
      try tree.write(TreePath.attachment(attachment.sha256), bytes(of: attachment, in: published))
      bar.finish(itemBytes: attachment.size)
    }
  }

  private func bytes(of attachment: Needed, in published: any TreeReader) throws(RemoraError) -> [UInt8] {
    if let file = attachment.file { return try file.bytes() }
    let path = TreePath.attachment(attachment.sha256)
    guard let bytes = try published.read(path, limit: PackagedData.maximumBytes) else {
      throw .format(attachment.owner, "has an attachment, but \(published.name(of: path)) does not exist")
    }
    guard hexadecimal(try MessageDigest.sha256(bytes)) == attachment.sha256 else {
      throw RemoraError(.attachmentMismatch, "\(published.name(of: path)) does not have the SHA-256 that is its name")
    }
    return bytes
  }
}
