// SPDX-License-Identifier: Apache-2.0
//
// The attachments of a publication, each by its SHA-256, and where its bytes are.

internal import Remora

/// The attachments that the records of a publication name.
struct NeededAttachments {
  /// An attachment: in a file of the folder, or in the published tree.
  private struct Needed {
    let sha256: String
    let size: Int64
    let file: AttachmentFile?
    /// The record that names it, for messages.
    let owner: String

    /// Checks the size of the file. Clients refuse an attachment of another size than its record states.
    func requireSize(_ size: Int64, of file: String) throws(RemoraError) {
      guard size == self.size else {
        throw .format(owner, "states that its attachment has \(self.size) bytes, but \(file) has \(size)")
      }
    }
  }

  private var needed: [String: Needed] = [:]

  var paths: [String] { needed.keys.map { TreePath.attachment($0) } }

  /// Adds the attachments of a collection's records.
  ///
  /// - Throws: `.format` for an attachment that is neither in the folder nor published, or has another size than its
  ///   record states.
  mutating func add(
    _ change: CollectionChange, _ source: SourceCollection?, from tree: any TreeReader, _ folder: SourceFolder
  ) throws(RemoraError) {
    for (record, _) in change.records {
      guard let attachment = record.attachment else { continue }
      let owner = "record \(record.id) of \(change.name)"
      let file = attachment.sha256.flatMap { source?.attachments[$0] }
      guard let sha256 = attachment.sha256,
        let size = try size(of: sha256, stated: attachment.size, file, in: tree)
      else {
        throw .format(
          owner,
          "has an attachment, but \(folder.path)/\(change.name)/\(record.id) does not exist, and the tree does not have it"
        )
      }
      guard let stated = attachment.size else {
        throw .format(owner, "states no size for its attachment, which has \(size) bytes")
      }
      let found = Needed(sha256: sha256, size: stated, file: file ?? needed[sha256]?.file, owner: owner)
      try found.requireSize(size, of: found.file?.path ?? tree.name(of: TreePath.attachment(sha256)))
      needed[sha256] = found
    }
  }

  /// Returns the size of an attachment; nil if it does not exist.
  private func size(
    of sha256: String, stated: Int64?, _ file: AttachmentFile?, in tree: any TreeReader
  ) throws(RemoraError) -> Int64? {
    if let known = file.map({ Int64($0.size) }) ?? needed[sha256]?.size { return known }
    return try tree.attachmentSize(sha256, stated: stated)
  }

  /// Writes the attachments that the tree does not have.
  ///
  /// - Parameter published: The tree from which attachments are read that the folder lacks.
  func write(to tree: Tree, from published: any TreeReader) throws(RemoraError) {
    var missing: [Needed] = []
    for (sha256, attachment) in needed.sorted(by: { $0.key < $1.key }) {
      if let size = try tree.attachmentSize(sha256, stated: nil) {
        try attachment.requireSize(size, of: tree.name(of: TreePath.attachment(sha256)))
      } else {
        missing.append(attachment)
      }
    }
    let bar = ProgressBar(items: missing.count, bytes: missing.reduce(0) { $0 &+ Int(clamping: $1.size) })
    defer { bar.clear() }
    for attachment in missing {
      try tree.write(TreePath.attachment(attachment.sha256), bytes(of: attachment, in: published))
      bar.finish(itemBytes: Int(clamping: attachment.size))
    }
  }

  private func bytes(of attachment: Needed, in published: any TreeReader) throws(RemoraError) -> [UInt8] {
    if let file = attachment.file { return try file.bytes() }
    let path = TreePath.attachment(attachment.sha256)
    guard let bytes = try published.read(path, limit: PackagedData.maximumBytes) else {
      throw .format(attachment.owner, "has an attachment, but \(published.name(of: path)) does not exist")
    }
    guard hexText(try MessageDigest.sha256(bytes)) == attachment.sha256 else {
      throw RemoraError(.attachmentMismatch, "\(published.name(of: path)) does not have the SHA-256 that is its name")
    }
    try attachment.requireSize(Int64(bytes.count), of: published.name(of: path))
    return bytes
  }
}
