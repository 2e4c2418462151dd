// SPDX-License-Identifier: Apache-2.0
//
// What an image says of itself. Only a proof that a signature was verified, or the header of an image, makes it say so.

/// What shows that the signature of some content was verified. `Verified` is one, and no other type of the library.
package protocol SignatureProof {
  /// Whether there was a signature; false under a policy that asks for none.
  var isSigned: Bool { get }
  /// The signature and where its chain was; empty without.
  var signature: String { get }
}

/// What an image says of itself.
package struct ImageMetadata: Equatable, Sendable {
  /// The full identity of the source that it belongs to, trust policy included.
  package var identity: String
  /// The timestamp or version of the server.
  package var version: Int64
  /// When the data was fetched, in ms since 1970; 0 for packaged data.
  package var fetchedAtMs: Int64
  /// Whether a signature was verified for exactly this content.
  package fileprivate(set) var isVerified = false
  /// Whether an entry may have a filter, or is to be hidden for another reason; false is for certain.
  package var mayHaveFilters: Bool
  /// The signature that was verified and where its chain was, for audits; empty without.
  package fileprivate(set) var signature = ""
  /// Raised by every reset; freshness compares (epoch, version).
  package var epoch: UInt64
  /// Raised by every stored image of the source.
  package var generation: UInt64

  /// Describes content whose signature was not verified.
  package init(
    identity: String, version: Int64, fetchedAtMs: Int64, mayHaveFilters: Bool = true, epoch: UInt64 = 0,
    generation: UInt64 = 0
  ) {
    self.identity = identity
    self.version = version
    self.fetchedAtMs = fetchedAtMs
    self.mayHaveFilters = mayHaveFilters
    self.epoch = epoch
    self.generation = generation
  }

  /// The same once the signature was verified.
  package func verified(by proof: some SignatureProof) -> ImageMetadata {
    var metadata = self
    (metadata.isVerified, metadata.signature) = (proof.isSigned, proof.signature)
    return metadata
  }
}

extension ImageMetadata {
  /// Whether the data came with the host, not from a server.
  package var isPackaged: Bool { fetchedAtMs == 0 }

  /// Whether only the host answers for the data: it neither raises the floor nor stands against signed content.
  package var isOnHostsWord: Bool { isPackaged && !isVerified }
}

extension ImageHeader {
  /// What the image says of itself; nil when a text of it is outside of the image.
  var metadata: ImageMetadata? {
    guard let identity = text(ImageFormat.identityAt), let signature = text(ImageFormat.signatureAt) else { return nil }
    var metadata = ImageMetadata(
      identity: identity,
      version: base.load(fromByteOffset: ImageFormat.versionAt, as: Int64.self),
      fetchedAtMs: base.load(fromByteOffset: ImageFormat.fetchedAt, as: Int64.self),
      mayHaveFilters: flags & ImageFormat.unfilteredFlag == 0,
      epoch: base.load(fromByteOffset: ImageFormat.epochAt, as: UInt64.self),
      generation: base.load(fromByteOffset: ImageFormat.generationAt, as: UInt64.self))
    metadata.isVerified = flags & ImageFormat.verifiedFlag != 0
    metadata.signature = signature
    return metadata
  }
}
