// SPDX-License-Identifier: Apache-2.0
//
// The metadata of an image. Only a `SignatureProof`, or the header of an existing image, can mark it as verified.

/// Proves that the signature of some content was verified. `Verified` is the only type in the library that conforms:
/// Swift cannot limit who conforms, so a test does: Tests/Layers/test_layers.py.
package protocol SignatureProof {
  /// Whether the content was signed; false under a policy that requires no signature.
  var isSigned: Bool { get }
  /// The signature and the URL of its chain; empty without a signature.
  var signature: String { get }
}

package struct ImageMetadata: Equatable, Sendable {
  /// The full identity of the source, including its trust policy.
  package var identity: String
  /// The server's timestamp or version of the data.
  package var version: Int64
  /// When the data was fetched, in ms since 1970; 0 for packaged data.
  package var fetchedAtMs: Int64
  /// Whether a signature was verified for exactly this content.
  package fileprivate(set) var isVerified = false
  /// Whether an entry may have a filter, or be hidden for another reason. False means certainly not.
  package var mayHaveFilters: Bool
  /// The verified signature and the URL of its chain, for audits; empty without a signature.
  package fileprivate(set) var signature = ""
  /// Incremented by every reset; freshness compares (epoch, version).
  package var epoch: UInt64
  /// Incremented by every stored image of the source.
  package var generation: UInt64

  /// Creates metadata for content whose signature was not verified.
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

  /// Returns a copy that is marked as verified.
  package func verified(by proof: some SignatureProof) -> ImageMetadata {
    var metadata = self
    (metadata.isVerified, metadata.signature) = (proof.isSigned, proof.signature)
    return metadata
  }
}

extension ImageMetadata {
  /// Whether the data was shipped with the host, rather than fetched from a server.
  package var isPackaged: Bool { fetchedAtMs == 0 }

  /// Whether only the host vouches for the data: such data neither raises the floor nor outranks signed content.
  package var isOnHostsWord: Bool { isPackaged && !isVerified }
}

extension ImageHeader {
  /// The metadata in the header; nil if one of its texts is outside the image.
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
