// SPDX-License-Identifier: Apache-2.0
//
// A folder of packaged attachments. Each attachment is in a file named by its record's id. A companion file beside it
// contains the metadata that the record states. Only files with a companion are ever removed, so that the folder may
// contain other files.

internal import Glibc
internal import Remora

/// The attachments of a dump.
struct AttachmentFolder {
  /// The suffix of the names of companions.
  static let ending = ".meta.json"

  let path: String
  /// The records that have an attachment.
  let items: [Item]
  /// The other records whose attachments are in the folder.
  private let others: [String]

  /// A record's attachment.
  struct Item {
    let record: String
    let metadata: AttachmentMetadata
  }

  /// Collects the attachments of a snapshot's records, and creates the folder if it does not exist. Checks the folder
  /// even if it needs no change, so that the command fails before it replaces the file of the records.
  ///
  /// - Throws: `.format` for a record whose id is not a valid file name, or whose attachment is malformed; `.storage`.
  init(_ path: String, of snapshot: Snapshot) throws(RemoraError) {
    var items: [Item] = []
    for index in 0..<snapshot.count {
      guard let entry = snapshot.reader.pointee.entry(at: index), let metadata = try AttachmentMetadata(of: entry)
      else { continue }
      let record = String(decoding: entry.key, as: UTF8.self)
      let companion = record + Self.ending
      guard packagedAttachmentPath(folder: path, record: companion) != nil, !record.hasSuffix(Self.ending) else {
        throw .format("record \(record)", "has an attachment, but the record's id cannot be a file name")
      }
      items.append(Item(record: record, metadata: metadata))
    }
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .storage("make", path, errno: errno) }
    let kept = Set(items.map(\.record))
    // No record has an id that is not valid UTF-8.
    others = try fileNames(in: path).compactMap { String(validating: $0, as: UTF8.self) }
      .filter { $0.hasSuffix(Self.ending) }
      .map { String($0.dropLast(Self.ending.count)) }.filter { !kept.contains($0) && !$0.isEmpty }
    guard others.isEmpty || access(path, W_OK | X_OK) == 0 else { throw .storage("write", path, errno: errno) }
    self.path = path
    self.items = items
  }

  /// Checks that the file of the records is not the file of an attachment in the folder.
  ///
  /// - Throws: `.invalidArgument` if it is.
  func requireApart(from output: String) throws(RemoraError) {
    let (folder, name) = splitPath(output)
    guard isSameFile(folder, path) else { return }
    guard !(items.map(\.record) + others).contains(where: { name == $0 || name == "\($0)\(Self.ending)" }) else {
      throw .usage("--output \(output) is the path of an attachment; use another file name")
    }
  }

  /// Completes the folder: keeps the attachments that it contains with the right bytes, and fetches all others.
  ///
  /// - Returns: The number of attachments that were written.
  func fill(from source: OpenSource, in snapshot: Snapshot, until deadline: Int64?) throws(RemoraError) -> Int {
    let bar = ProgressBar(items: items.count, bytes: items.reduce(0) { $0 &+ $1.metadata.bytes })
    defer { bar.clear() }
    var written = 0
    for item in items {
      // The companion is written first, because a file without a companion would never be removed.
      if try holds(item) {
        try writeCompanion(of: item)
      } else {
        let attachment = try fetch(item, from: source, in: snapshot, until: deadline, bar)
        try writeCompanion(of: item)
        try replaceFile("\(path)/\(item.record)", with: attachment.bytes, followingLinks: false)
        withExtendedLifetime(attachment) {}
        written += 1
      }
      bar.finish(itemBytes: item.metadata.bytes)
    }
    return written
  }

  /// Removes the attachments of other records. Returns their number.
  func removeOthers() throws(RemoraError) -> Int {
    for record in others {
      // The companion is removed last: while it exists, the next run tries again.
      for name in [record, "\(record)\(Self.ending)"] {
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
          throw .storage("remove", "\(path)/\(name)", errno: errno)
        }
      }
    }
    return others.count
  }

  /// Returns whether the file exists with the size and SHA-256 that the record states.
  private func holds(_ item: Item) throws(RemoraError) -> Bool {
    guard let bytes = try? readFile("\(path)/\(item.record)", limit: item.metadata.bytes),
      bytes.count == item.metadata.bytes
    else { return false }
    return AttachmentName(digest: try MessageDigest.sha256(bytes))?.hex == item.metadata.sha256
  }

  private func fetch(
    _ item: Item, from source: OpenSource, in snapshot: Snapshot, until deadline: Int64?, _ bar: ProgressBar
  ) throws(RemoraError) -> Attachment {
    var request = AttachmentRequest(.record(item.record))
    request.snapshot = snapshot
    request.maximumBytes = nil
    let left = deadline.map { max(1, $0 - monotonicMs()) } ?? -1
    return try source.openAttachment(request, timeoutMs: left) { bar.show($0.received) }
  }

  /// Writes the metadata in the form of the reference implementation, unless the companion has these bytes already.
  private func writeCompanion(of item: Item) throws(RemoraError) {
    let bytes = try companion(of: item.metadata)
    let name = "\(path)/\(item.record)\(Self.ending)"
    if (try? readFile(name, limit: bytes.count)) != bytes { try replaceFile(name, with: bytes, followingLinks: false) }
  }

  private func companion(of metadata: AttachmentMetadata) throws(RemoraError) -> [UInt8] {
    var text = ByteBuffer()
    try text.append("{\n  \"location\": ")
    try metadata.location.withBytes { bytes throws(RemoraError) in try text.appendCanonical(string: bytes) }
    try text.append(",\n  \"hash\": ")
    try metadata.sha256.withBytes { bytes throws(RemoraError) in try text.appendCanonical(string: bytes) }
    try text.append(",\n  \"size\": ")
    try text.appendCanonical(Int64(metadata.bytes))
    try text.append("\n}")
    return Array(text.bytes)
  }
}
