// SPDX-License-Identifier: Apache-2.0
//
// The folder that is published: BUCKET/COLLECTION.json, or BUCKET/COLLECTION/ID.json, and the attachments
// BUCKET/COLLECTION/ID. All of it is read and checked before anything is written.

internal import Glibc
internal import Remora

struct SourceFolder {
  let path: String
  /// Sorted by name.
  private(set) var collections: [SourceCollection] = []

  init(_ path: String, allowsFloats: Bool) throws(RemoraError) {
    self.path = path
    for bucket in try visibleNames(in: path) {
      let folder = "\(path)/\(bucket)"
      guard isFolder(folder) else { throw .format(folder, "is not the folder of a bucket") }
      try requireName(bucket, folder)
      guard bucket != "monitor" else {
        throw .format(folder, "has a reserved name: the bucket \"monitor\" lists the others")
      }
      for collection in try collectionNames(in: folder) {
        try requireName(collection, "\(folder)/\(collection)")
        let name = CollectionName(bucket: bucket, collection: collection)
        collections.append(try SourceCollection(name, in: folder, allowsFloats: allowsFloats))
      }
    }
    guard !collections.isEmpty else { throw .format(path, "has no collections: BUCKET/COLLECTION.json is missing") }
  }

  private func collectionNames(in folder: String) throws(RemoraError) -> [String] {
    var found: Set<String> = []
    for name in try visibleNames(in: folder) {
      if isFolder("\(folder)/\(name)") {
        found.insert(name)
      } else if name.hasSuffix(".json") {
        found.insert(String(name.dropLast(".json".count)))
      } else {
        throw .format("\(folder)/\(name)", "is neither COLLECTION.json nor the folder of a collection")
      }
    }
    return found.sorted()
  }

  private func requireName(_ name: String, _ path: String) throws(RemoraError) {
    do throws(RemoraError) {
      try CollectionDialect.requireName(name, "the name of \(path)")
    } catch {
      throw RemoraError(.format, error.message)
    }
  }
}

struct SourceCollection {
  let name: CollectionName
  /// Sorted by id. Records with a file have its hash and size.
  private(set) var records: [Record]
  /// The files by their SHA-256.
  let attachments: [String: AttachmentFile]

  fileprivate init(_ name: CollectionName, in bucket: String, allowsFloats: Bool) throws(RemoraError) {
    let (file, folder) = ("\(bucket)/\(name.collection).json", "\(bucket)/\(name.collection)")
    var files = isFolder(folder) ? try visibleNames(in: folder).filter { !$0.hasSuffix(AttachmentFolder.ending) } : []
    var records: [Record] = []
    if access(file, F_OK) == 0 {
      records = try RecordsFile(file, of: name, allowsFloats: allowsFloats).records
    } else {
      for record in files.filter({ $0.hasSuffix(".json") }) {
        let id = String(record.dropLast(".json".count))
        records.append(try RecordsFile.record("\(folder)/\(record)", id: id, allowsFloats: allowsFloats))
      }
      files.removeAll { $0.hasSuffix(".json") }
    }
    records.sort { $0.id < $1.id }
    for (one, next) in zip(records, records.dropFirst()) where one.id == next.id {
      throw .format("record \(one.id) of \(name)", "occurs twice")
    }
    let attachments = try Self.attach(files, in: folder, to: &records, of: name)
    (self.name, self.records, self.attachments) = (name, records, attachments)
  }

  /// Sets the sizes of attachments that were published before, in the records that do not state them.
  mutating func setSizes(from tree: any TreeReader) throws(RemoraError) {
    for index in records.indices {
      guard let attachment = records[index].attachment, attachment.size == nil, let sha256 = attachment.sha256 else {
        continue
      }
      if let file = attachments[sha256] {
        records[index].attachment?.set(size: Int64(file.size))
      } else if let size = try tree.attachmentSize(sha256, stated: nil) {
        records[index].attachment?.set(size: size)
      }
    }
  }

  /// Describes the attachments in their records. Returns the files by their SHA-256.
  private static func attach(
    _ files: [String], in folder: String, to records: inout [Record], of name: CollectionName
  ) throws(RemoraError) -> [String: AttachmentFile] {
    var attachments: [String: AttachmentFile] = [:]
    var places = [RecordID: Int](uniqueKeysWithValues: records.enumerated().map { ($1.id, $0) })
    for id in files {
      let file = try AttachmentFile("\(folder)/\(id)")
      guard let index = places.removeValue(forKey: RecordID(id)) else {
        throw .format(file.path, "is not an attachment: \(name) has no record \"\(id)\"")
      }
      var attachment = records[index].attachment ?? RecordAttachment()
      try attachment.describe(sha256: file.sha256, size: Int64(file.size), name: id)
      records[index].attachment = attachment
      attachments[file.sha256] = file
    }
    // A record without a file may describe an attachment that was published before.
    for index in places.values {
      let id = records[index].id
      try records[index].attachment?.locate(orExpect: "\(folder)/\(id)", id, of: name)
    }
    return attachments
  }
}

struct AttachmentFile {
  let path: String
  let size: Int
  let sha256: String

  init(_ path: String) throws(RemoraError) {
    let file = try RegularFile(path)
    var digest = try MessageDigest(.sha256)
    var size = 0
    try file.forEachBlock(of: 1 << 20, limit: .max) { block in
      digest.update(block)
      size &+= block.count
    }
    (self.path, self.size, sha256) = (path, size, hexText(digest.finish()))
  }

  /// - Throws: `.attachmentMismatch` or `.tooLarge` if the file has changed meanwhile.
  func bytes() throws(RemoraError) -> [UInt8] {
    let bytes = try readFile(path, limit: size)
    guard hexText(try MessageDigest.sha256(bytes)) == sha256 else {
      throw RemoraError(.attachmentMismatch, "\(path) has changed while it was published")
    }
    return bytes
  }
}
