// SPDX-License-Identifier: Apache-2.0
//
// Decodes a changeset or packaged data: records to entries, tombstones to keys, metadata to signatures. Strict: a
// document with one invalid record is refused as a whole.

/// The two formats of a collection's records.
package enum CollectionShape {
  /// A server's response: changes with tombstones, and metadata.
  case changeset
  /// A host's packaged data: records without tombstones, and metadata only for its signatures.
  case packaged

  var records: String { self == .changeset ? "changes" : "data" }
}

/// The member of a record that contains its filter.
package let collectionFilterMember: StaticString = "filter_expression"

/// The name of a collection on its server.
package struct CollectionName: Sendable, CustomStringConvertible {
  package let bucket: String
  package let collection: String

  package init(bucket: String, collection: String) {
    self.bucket = bucket
    self.collection = collection
  }

  package var description: String { "\(bucket)/\(collection)" }

  /// Refuses metadata of another collection. The signature does not cover the name, so without this check a signed
  /// document of one collection would be accepted for another, and its timestamp would become the floor.
  ///
  /// - Throws: `.format` naming both collections. A name that is absent, or is not a string, is accepted.
  fileprivate func requireName(in metadata: JSONView, of source: String) throws(RemoraError) {
    let foundBucket = metadata.member("bucket")?.string ?? bucket
    let foundCollection = metadata.member("id")?.string ?? collection
    guard foundBucket != bucket || foundCollection != collection else { return }
    let found = [foundBucket, foundCollection].map { printable(String($0.unicodeScalars.prefix(128))) }
    throw .format(source, "belongs to \(found[0])/\(found[1]), not to \(self) (metadata.bucket and metadata.id)")
  }
}

/// Decodes a complete document.
///
/// - Parameters:
///   - source: The name of the document in messages: "the server's response".
///   - wanted: The collection that the metadata must name if they name one; nil accepts any.
/// - Throws: `.parse`, `.format` or `.tooLarge`, naming the place.
package func decodeCollection(
  _ bytes: UnsafeRawBufferPointer, _ shape: CollectionShape, named source: String, of wanted: CollectionName? = nil
) throws(RemoraError) -> Document {
  try collectionDecoder(shape, named: source, of: wanted).finish(DocumentText(bytes))
}

/// Returns the decoder for a document; the parameters are those of `decodeCollection`.
func collectionDecoder(
  _ shape: CollectionShape, named source: String, of wanted: CollectionName?
) -> any DocumentDecoder {
  ContentDecoder(CollectionContent(shape, source: source, wanted: wanted), named: source)
}

/// The members of a changeset or of packaged data.
private struct CollectionContent: DocumentContent, ~Copyable {
  private let shape: CollectionShape
  private let source: String
  private let wanted: CollectionName?
  private var timestamp: Int64?
  private var signatures: [ContentSignature]?
  private var hasRecords = false
  private var decoder: RecordDecoder

  init(_ shape: CollectionShape, source: String, wanted: CollectionName?) {
    (self.shape, self.source, self.wanted) = (shape, source, wanted)
    decoder = RecordDecoder(source: source)
  }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    switch place {
    case .document: return type == .object
    case .member(shape.records, level: 1) where type == .array:
      hasRecords = true
      return true
    default: return false
    }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .element(let index, _): try decoder.append(value, at: index)
    case .member(shape.records, _): throw .format("the member \"\(shape.records)\" of \(source)", "is not an array")
    case .member("timestamp", _):
      guard let number = value.read({ $0.int }), number >= 0 else {
        throw .format("the member \"timestamp\" of \(source)", "is not an integer, or is negative")
      }
      timestamp = number
    case .member("metadata", _):
      let (shape, source, wanted) = (shape, source, wanted)
      signatures = try value.read { view throws(RemoraError) in
        try wanted?.requireName(in: view, of: source)
        return try decodeSignatures(view, shape)
      }
    case .member: break
    case .document: throw .format(source, "is not a JSON object")
    }
  }

  consuming func document() throws(RemoraError) -> Document {
    guard let timestamp else { throw .format(source, "has no member \"timestamp\"") }
    guard hasRecords else { throw .format(source, "has no member \"\(shape.records)\"") }
    guard signatures != nil || shape == .packaged else { throw .format(source, "has no member \"metadata\"") }
    return try decoder.document(timestamp: timestamp, signatures: signatures ?? [])
  }
}

/// Decodes `metadata.signatures` in order, or else the older single `metadata.signature`. Malformed candidates are
/// skipped, and in packaged data also those that cannot be verified without a request.
private func decodeSignatures(
  _ metadata: JSONView, _ shape: CollectionShape
) throws(RemoraError) -> [ContentSignature] {
  guard metadata.isObject || shape == .packaged else {
    throw .format("the member \"metadata\"", "is not an object")
  }
  let listed = metadata.member("signatures")?.elements ?? []
  let candidates = listed.isEmpty ? [metadata.member("signature")].compactMap { $0 } : listed
  return candidates.compactMap { candidate in
    guard let signature = candidate.member("signature")?.string else { return nil }
    let chain = shape == .packaged ? candidate.member("chain")?.stringBytes.map(Array.init) ?? [] : []
    guard shape == .changeset || !chain.isEmpty else { return nil }
    return ContentSignature(
      mode: candidate.member("mode")?.string ?? "p384ecdsa", signature: signature,
      x5u: candidate.member("x5u")?.string ?? "", chain: chain)
  }
}

/// Collects records and tombstones.
private struct RecordDecoder: ~Copyable {
  private let source: String
  private var encoder = EntryEncoder(leaving: ImageFormat.headerSize)
  private var ranges: [EntryRange] = []
  private var tombstones: Set<[UInt8]> = []
  private var hasFilters = false
  private var oldestChange: Int64?

  init(source: String) { self.source = source }

  mutating func append(_ record: borrowing ParsedJSON, at index: Int) throws(RemoraError) {
    try record.read { view throws(RemoraError) in
      guard let id = view.member("id")?.stringBytes, !id.isEmpty, !id.contains(0) else {
        throw .format("record \(index) of \(source)", "has no id")
      }
      if let deleted = view.member("deleted"), deleted.isTrue {
        guard tombstones.insert(Array(id)).inserted else { throw Self.twice(id, in: source) }
        return
      }
      guard let changed = view.member("last_modified")?.int else {
        throw .format("record \(shown(id)) of \(source)", "has no integer last_modified")
      }
      oldestChange = min(changed, oldestChange ?? changed)
      hasFilters = hasFilters || view.member(collectionFilterMember) != nil
      ranges.append(try encoder.append(key: id, record, isID: true))
    }
  }

  consuming func document(
    timestamp: Int64, signatures: [ContentSignature]
  ) throws(RemoraError) -> Document {
    let source = source
    let ranges = ranges
    let tombstones = tombstones
    let (hasFilters, oldestChange) = (hasFilters, oldestChange)
    guard !ranges.isEmpty else {
      return Document(
        version: timestamp, signatures: signatures, entries: [], hasFilters: false, removed: tombstones,
        memory: nil)
    }
    let memory = try EntryMemory(encoder)
    let records = memory.sortedEntries(at: ranges)
    for (previous, next) in zip(records, records.dropFirst()) where compareBytes(previous.key, next.key) == 0 {
      throw Self.twice(next.key, in: source)
    }
    if !tombstones.isEmpty, let both = records.first(where: { tombstones.contains(Array($0.key)) }) {
      throw Self.twice(both.key, in: source)
    }
    return Document(
      version: timestamp, signatures: signatures, entries: records, hasFilters: hasFilters, removed: tombstones,
      oldestChange: oldestChange, memory: memory)
  }

  private static func twice(_ id: UnsafeRawBufferPointer, in source: String) -> RemoraError {
    .format("record \(shown(id)) of \(source)", "occurs twice")
  }
}
