// SPDX-License-Identifier: Apache-2.0
//
// A document as its dialect decoded it: entries for the keys that it brings, before anything is checked.

/// A signature that is offered for a document.
package struct ContentSignature: Sendable, Equatable {
  /// How it was made; only "p384ecdsa" is known.
  package let mode: String
  /// base64url of r and s.
  package let signature: String
  /// Where the certificate chain is.
  package let x5u: String
  /// The chain itself in PEM, where packaged data brings it; else empty.
  package var chain: [UInt8] = []

  package init(mode: String, signature: String, x5u: String, chain: [UInt8] = []) {
    self.mode = mode
    self.signature = signature
    self.x5u = x5u
    self.chain = chain
  }
}

/// What the bytes say: all of a source, or the changes since a version.
package struct Document {
  /// The timestamp or version that it claims.
  package let version: Int64
  /// Signatures in the server's order.
  package let signatures: [ContentSignature]
  /// Changed or all keys with their values, sorted by key.
  package let entries: [Entry]
  /// Whether one of them may have to be hidden: has a filter, or is the removal of a key.
  package let hasFilters: Bool
  /// Keys that a diff removes.
  package let removed: Set<[UInt8]>
  /// Owns the memory of `entries`.
  let memory: ImageBuffer?
  /// What was ignored in it, for the log, if it is used.
  package var warnings: [String] = []
}
