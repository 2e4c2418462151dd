// SPDX-License-Identifier: Apache-2.0
//
// The documents of a tree. A changeset is decoded and hashed by the code of the library, so that what is signed is what
// clients verify, and nothing is published that they would refuse.

internal import Remora

/// The content of a collection at one timestamp.
struct Changeset {
  let name: CollectionName
  let timestamp: Int64
  /// Sorted by id.
  let records: [(record: Record, lastModified: Int64)]
  /// The times of deletions by id.
  let tombstones: [RecordID: Int64]

  /// Returns the signed document.
  func signed(by publisher: Publisher) throws(RemoraError) -> [UInt8] {
    let unsigned = try text(nil)
    let limit = TransportOptions().maxBodyBytes
    guard unsigned.count < limit - 4096 else {
      throw RemoraError(.tooLarge, "\(name) has \(unsigned.count) bytes; clients accept at most \(limit) by default")
    }
    let document = try decodeChangeset(unsigned, named: "\(name)", of: name)
    let signature = try publisher.signer.sign(try signedDigest(of: document, name, publisher.server))
    return try text(Self.signature(signature, x5u: publisher.x5u))
  }

  /// Whether these bytes are what a publisher writes with this content and a signature. Much of them is not signed.
  func isPublished(as bytes: [UInt8], with signature: ContentSignature?) -> Bool {
    guard let signature else { return false }
    return (try? text(Self.signature(signature.signature, x5u: signature.x5u))) == bytes
  }

  private static func signature(_ signature: String, x5u: String) -> ContentSignature {
    ContentSignature(mode: "p384ecdsa", signature: signature, x5u: x5u)
  }

  private func text(_ signature: ContentSignature?) throws(RemoraError) -> [UInt8] {
    var changes: [[UInt8]] = []
    for (record, lastModified) in records { changes.append(try record.text(lastModified: lastModified)) }
    for (id, lastModified) in tombstones.sorted(by: { $0.key < $1.key }) {
      var tombstone = CanonicalObject()
      tombstone.set("deleted", Array("true".utf8))
      try tombstone.set("id", string: "\(id)")
      tombstone.set("last_modified", lastModified)
      changes.append(try tombstone.text)
    }
    var metadata = CanonicalObject()
    try metadata.set("bucket", string: name.bucket)
    try metadata.set("id", string: name.collection)
    metadata.set("signatures", array: try signature.map { value throws(RemoraError) in [try text(of: value)] } ?? [])
    var document = CanonicalObject()
    document.set("changes", array: changes)
    document.set("metadata", try metadata.text)
    document.set("timestamp", timestamp)
    return try document.text
  }

  private func text(of signature: ContentSignature) throws(RemoraError) -> [UInt8] {
    var object = CanonicalObject()
    try object.set("mode", string: signature.mode)
    try object.set("signature", string: signature.signature)
    try object.set("x5u", string: signature.x5u)
    return try object.text
  }
}

extension Changeset {
  /// Takes the content of a published changeset; nil if it has no timestamp.
  init?(_ name: CollectionName, _ content: ChangesetRecords) {
    guard let timestamp = content.timestamp else { return nil }
    (self.name, self.timestamp) = (name, timestamp)
    records = content.records.sorted { $0.record.id < $1.record.id }
    // Tombstones are not signed. A publisher writes none that is later than the changeset.
    tombstones = content.tombstones.mapValues { min($0, timestamp) }
  }
}

/// Decodes a changeset as a client does.
///
/// - Parameter place: The name of the changeset in messages.
func decodeChangeset(
  _ bytes: [UInt8], named place: String, of name: CollectionName
) throws(RemoraError) -> Document {
  try bytes.withBytes { bytes throws(RemoraError) in
    try decodeCollection(bytes, .changeset, named: place, of: name)
  }
}

/// Returns the digest that a client verifies for a changeset.
///
/// - Throws: The errors of a client that cannot use its attachments.
func signedDigest(
  of document: Document, _ name: CollectionName, _ server: CollectionServer
) throws(RemoraError) -> [UInt8] {
  try Libcrypto.load()
  let dialect = try CollectionDialect(
    server: server, bucket: name.bucket, collection: name.collection, policy: .off)
  for entry in document.entries { _ = try AttachmentMetadata(of: entry) }
  return try dialect.signedDigest(of: Draft(full: document))
}

/// Returns the monitor's changeset.
///
/// - Parameter versions: The timestamps by "bucket/collection".
func monitorDocument(_ versions: [(name: CollectionName, timestamp: Int64)], host: String) throws(RemoraError)
  -> [UInt8]
{
  var changes: [[UInt8]] = []
  for (name, timestamp) in versions.sorted(by: { ($1.timestamp, "\($0.name)") < ($0.timestamp, "\($1.name)") }) {
    var change = CanonicalObject()
    try change.set("bucket", string: name.bucket)
    try change.set("collection", string: name.collection)
    try change.set("host", string: host)
    try change.set("id", string: String(hexText(try MessageDigest.sha256(Array("\(name)".utf8))).prefix(32)))
    change.set("last_modified", timestamp)
    changes.append(try change.text)
  }
  var document = CanonicalObject()
  document.set("changes", array: changes)
  document.set("metadata", Array("{}".utf8))
  document.set("timestamp", versions.map(\.timestamp).max() ?? 0)
  return try document.text
}

/// Returns the root document of the server, which states where attachments are.
func rootDocument(attachmentBase: String) throws(RemoraError) -> [UInt8] {
  var attachments = CanonicalObject()
  try attachments.set("base_url", string: attachmentBase)
  var capabilities = CanonicalObject()
  capabilities.set("attachments", try attachments.text)
  var document = CanonicalObject()
  document.set("capabilities", try capabilities.text)
  return try document.text
}
