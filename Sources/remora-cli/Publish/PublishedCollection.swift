// SPDX-License-Identifier: Apache-2.0
//
// A collection as a tree has it, and whether this publisher's root vouches for it.

internal import Remora

/// A published collection.
struct PublishedCollection {
  let name: CollectionName
  /// The highest timestamp that clients may have seen.
  let timestamp: Int64
  /// Whether the monitor states a higher timestamp than the document, so that clients may have a later version.
  let isOutdated: Bool
  /// Whether the document differs from what a publisher writes with its content and signature.
  let isEdited: Bool
  let records: [(record: Record, lastModified: Int64)]
  let tombstones: [RecordID: Int64]
  /// The document, byte for byte; nil if it is missing or damaged.
  let bytes: [UInt8]?
  /// The location of the chain; nil if the signature is missing, or is not valid.
  let verifiedX5U: String?

  /// Reads a collection. A document that was edited or damaged has no valid signature.
  ///
  /// - Parameter monitored: Its timestamp in the monitor, if any.
  /// - Throws: `.rootMismatch` and `.certificateSubject` if somebody else has published it.
  init(
    _ name: CollectionName, in tree: any TreeReader, monitored: Int64?, publishedBy signer: Signer,
    _ server: CollectionServer
  ) throws(RemoraError) {
    let path = TreePath.changeset(name)
    self.name = name
    let bytes = try tree.read(path, limit: TransportOptions().maxBodyBytes)
    let place = tree.name(of: path)
    guard let bytes, let content = try? ChangesetRecords(bytes, named: place), let changeset = Changeset(name, content)
    else {
      (timestamp, isOutdated, isEdited, records, tombstones) = (monitored ?? 0, false, false, [], [:])
      (self.bytes, verifiedX5U) = (nil, nil)
      return
    }
    timestamp = max(changeset.timestamp, monitored ?? 0)
    isOutdated = changeset.timestamp < timestamp
    (records, tombstones) = (changeset.records, changeset.tombstones)
    self.bytes = bytes
    let document = try? decodeChangeset(bytes, named: place, of: name)
    isEdited = !changeset.isPublished(as: bytes, with: document?.signatures.first)
    // The signature does not cover the name, so without this check the changeset of another collection would be valid.
    guard let document, content.belongs(to: name) else {
      verifiedX5U = nil
      return
    }
    verifiedX5U = try verifySignature(of: document, name, in: tree, signer, server)
  }
}

/// Returns the location of the chain that verifies a changeset; nil if none does.
///
/// - Throws: `.rootMismatch` and `.certificateSubject` if somebody else has signed it.
private func verifySignature(
  of document: Document, _ name: CollectionName, in tree: any TreeReader, _ signer: Signer, _ server: CollectionServer
) throws(RemoraError) -> String? {
  let place = tree.name(of: TreePath.changeset(name))
  guard let signature = document.signatures.first, let chain = try chain(at: signature.x5u, in: tree) else {
    return nil
  }
  guard chain.root == signer.chain.root else {
    throw RemoraError(
      .rootMismatch, "\(place) is signed below the root \(chain.root), but --keys has the root \(signer.chain.root)")
  }
  guard chain.signer == signer.chain.signer else {
    throw RemoraError(
      .certificateSubject, "\(place) is signed by \(chain.signer), but --keys has the signer \(signer.chain.signer)")
  }
  do throws(RemoraError) {
    // The chain may have expired since then, which is why it is renewed.
    let key = try verifyChain(pem: chain.pem, root: chain.root, signer: chain.signer, atMs: chain.validFromMs)
    try verifySignature(signature.signature, digest: try signedDigest(of: document, name, server), key: key)
    return signature.x5u
  } catch {
    return nil
  }
}

/// Returns the chain to which a signature refers; nil if it is missing or damaged.
private func chain(at x5u: String, in tree: any TreeReader) throws(RemoraError) -> SignerChain? {
  let file = splitPath(x5u).name
  guard file.hasSuffix(".pem"), !file.hasPrefix(".") else { return nil }
  guard let bytes = try tree.read("\(TreePath.authorities)/\(file)", limit: maximumKeyFile) else { return nil }
  return try? SignerChain(bytes, file)
}
