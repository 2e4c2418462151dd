// SPDX-License-Identifier: Apache-2.0
//
// A decoded document: entries for its keys, before any check.

/// A candidate signature of a document.
package struct ContentSignature: Sendable, Equatable {
  /// The signature scheme; only "p384ecdsa" is supported.
  package let mode: String
  /// base64url of r and s.
  package let signature: String
  /// The URL of the certificate chain.
  package let x5u: String
  /// The chain itself in PEM, if packaged data contains it; else empty.
  package var chain: [UInt8] = []

  package init(mode: String, signature: String, x5u: String, chain: [UInt8] = []) {
    self.mode = mode
    self.signature = signature
    self.x5u = x5u
    self.chain = chain
  }

  /// The text of the signature in the metadata of an image.
  package var text: String { "\(mode) \(signature) \(x5u)" }
}

/// The content of a document: all of a source, or the changes since a version.
package struct Document {
  /// The timestamp or version that the document states.
  package let version: Int64
  /// Signatures in the server's order.
  package let signatures: [ContentSignature]
  /// The changed keys, or all keys, with their values, sorted by key.
  package let entries: [Entry]
  /// Whether an entry may have to be hidden, because it has a filter or is the removal of a key.
  package let hasFilters: Bool
  /// Keys that a diff removes.
  package let removed: Set<[UInt8]>
  /// The lowest timestamp of an entry; nil without entries, or if the entries have no timestamps.
  var oldestChange: Int64?
  /// Owns the memory of `entries`.
  let memory: EntryMemory?
  /// What was ignored in the document; logged if the document is used.
  package var warnings: [String] = []
  /// Whether the document began with a byte order mark, which was ignored.
  var hasMark = false
}
