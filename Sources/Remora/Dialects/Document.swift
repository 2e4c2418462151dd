// SPDX-License-Identifier: Apache-2.0
//
// A document as its dialect decoded it: entries for the keys that it brings, before anything is checked.

/// A signature that a server offers for a document.
package struct ContentSignature: Sendable, Equatable {
  /// How it was made; only "p384ecdsa" is known.
  package let mode: String
  /// base64url of r and s.
  package let signature: String
  /// Where the certificate chain is.
  package let x5u: String
}

/// What the bytes say: all of a source, or the changes since a version.
package struct Document {
  /// The timestamp or version that it claims.
  package let version: Int64
  /// Signatures in the server's order.
  package let signatures: [ContentSignature]
  /// Changed or all keys with their values, sorted by key.
  package let entries: [Entry]
  /// Whether one of them has a filter.
  package let hasFilters: Bool
  /// Keys that a diff removes.
  package let removed: Set<[UInt8]>
  /// Owns the memory of `entries`.
  let memory: ImageBuffer?
}
