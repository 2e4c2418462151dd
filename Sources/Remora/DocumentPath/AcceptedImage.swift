// SPDX-License-Identifier: Apache-2.0
//
// The last step of the path: compiles verified, fresh content to an image. Only such images are stored.

/// An image whose content was verified by its policy and passed the freshness check. Only this file creates one, and no
/// other image is written to a file that is read as one of these.
package struct AcceptedImage: Sendable, StorableImage {
  package let image: Image
  /// The image's file without its final name, if it was written in advance; see `SourceFiles`.
  var written: WrittenFile?

  private init(_ image: Image) { self.image = image }

  /// Compiles content that passed the freshness check. The image may take the memory of its entries, so the draft must
  /// not be used afterwards.
  ///
  /// - Throws: `.tooLarge`, `.corrupt`, `.format`, as `writeImage`.
  package init(
    compiling content: FreshContent, of dialect: any Dialect, epoch: UInt64 = 0, generation: UInt64 = 0,
    hashSeed: HashSeed
  ) throws(RemoraError) {
    let (draft, verified) = (content.verified.draft, content.verified)
    let metadata = ImageMetadata(
      identity: dialect.identity, version: content.version, fetchedAtMs: max(1, content.fetchedAtMs),
      mayHaveFilters: draft.mayHaveFilters, epoch: epoch, generation: generation)
    image = try writeImage(
      metadata.verified(by: verified), entries: draft.entries.lazy.map(ImageEntry.own), in: draft.memory,
      hashSeed: hashSeed)
  }

  /// Takes an image that was accepted before by the rules of a source; nil if its metadata shows otherwise.
  package init?(_ image: Image, acceptedBefore dialect: any Dialect) {
    guard image.isAccepted(by: dialect) else { return nil }
    self.image = image
  }

  package var buffer: ImageBuffer { image.buffer }

  /// Returns a copy with a new epoch and generation.
  package func restamped(
    epoch: UInt64, generation: UInt64, hashSeed: HashSeed
  ) throws(RemoraError) -> AcceptedImage {
    AcceptedImage(try image.restamped(epoch: epoch, generation: generation, hashSeed: hashSeed))
  }
}

extension Image {
  func isOlder(than other: Image) -> Bool { metadata.version < other.metadata.version }

  /// Whether two images have the same content. Each timestamp has a content of its own; under other versions, the same
  /// entries may have been fetched more than once.
  func hasContent(of other: Image, by rule: VersionRule) -> Bool {
    if checksum == other.checksum { return true }
    if case .timestamps = rule, metadata.version != other.metadata.version { return false }
    return Draft(of: self).hasSameEntries(as: other)
  }

  /// Whether the content was accepted under these rules, so that a server may confirm it without sending it again.
  /// Content that was verified under an earlier root is requested once more.
  func isAccepted(by dialect: any Dialect) -> Bool {
    let isVouchedFor = metadata.isVerified || (dialect.policy == .off && !metadata.isPackaged)
    return isVouchedFor && metadata.identity == dialect.identity
  }
}
