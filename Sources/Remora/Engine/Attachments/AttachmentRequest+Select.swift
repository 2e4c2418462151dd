// SPDX-License-Identifier: Apache-2.0
//
// Finds the attachment of a request in the records of a snapshot.

extension AttachmentRequest {
  /// Finds the requested attachment of a source.
  ///
  /// - Throws: `.notFound`, `.format`, `.tooLarge`; `.invalidArgument` for a snapshot of another source; `.closed`.
  func resolve(in source: Source) throws(RemoraError) -> WantedAttachment {
    let live = try source.acquire()
    let dialect = source.dialect
    let snapshot = snapshot ?? live
    let identity = snapshot.base.metadata.identity
    guard identity.isEmpty || identity == dialect.identity || dialect.earlierIdentities.contains(identity) else {
      throw .invalidArgument("snapshot", "belongs to another source")
    }
    let (entry, metadata) = try find(in: snapshot, by: dialect.requireAttachments())
    let limit = min(maximumBytes ?? .max, StorageDirectory.maximumImageSize)
    guard metadata.bytes <= limit else {
      throw RemoraError(
        .tooLarge, "the attachment \(metadata.location) has \(metadata.bytes) bytes; the limit is \(limit)")
    }
    guard let name = AttachmentName(hex64: metadata.sha256) else {
      throw .bug("the SHA-256 of an attachment is invalid")
    }
    return WantedAttachment(
      server: try dialect.requireServer(), name: name, bytes: metadata.bytes, location: metadata.location,
      packaged: source.options.packagedAttachments.map {
        PackagedPlace(folder: $0, record: String(decoding: entry.key, as: UTF8.self))
      })
  }

  private func find(
    in snapshot: Snapshot, by rules: AttachmentRules
  ) throws(RemoraError) -> (Entry, AttachmentMetadata) {
    switch selector {
    case .record(let id):
      guard let entry = (Array(id.utf8).withUnsafeBytes { snapshot.reader.pointee.entry($0) }) else {
        throw RemoraError(.notFound, "there is no record \(id)")
      }
      guard let metadata = try rules.metadata(of: entry) else {
        throw RemoraError(.notFound, "the record \(id) has no attachment")
      }
      return (entry, metadata)
    case .location(let location):
      let wanted = Array(location.utf8)
      let all = snapshot.base.reader(over: nil)
      for index in 0..<all.count {
        guard let entry = all.entry(at: index), let said = rules.location(of: entry),
          said.elementsEqual(wanted), let metadata = try rules.metadata(of: entry)
        else { continue }
        return (entry, metadata)
      }
      throw RemoraError(.notFound, "no record has an attachment at \(location)")
    }
  }
}
