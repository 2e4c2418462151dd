// SPDX-License-Identifier: Apache-2.0
//
// The last step of the path: verified content that follows what is there becomes an image. Only such an image is stored.

/// An image whose content was verified as its policy demands, and that may follow what was accepted before. Only this
/// file makes one, and only one of these is written to a file.
package struct AcceptedImage: Sendable, StorableImage {
  package let image: Image
  /// Its file without a name, where it was written in advance; see `AcceptedImage+Files.swift`.
  var written: WrittenFile?

  private init(_ image: Image) { self.image = image }

  /// Compiles content that was judged.
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
      metadata.verified(by: verified), entries: draft.entries.lazy.map(ImageEntry.own), hashSeed: hashSeed)
  }

  /// An image that was accepted before by the rules of a source; nil when it says otherwise of itself.
  package init?(_ image: Image, acceptedBefore dialect: any Dialect) {
    guard image.isAccepted(by: dialect) else { return nil }
    self.image = image
  }

  package var buffer: ImageBuffer { image.buffer }

  /// The same content at another place among the images of its source.
  package func restamped(
    epoch: UInt64, generation: UInt64, hashSeed: HashSeed
  ) throws(RemoraError) -> AcceptedImage {
    AcceptedImage(try image.restamped(epoch: epoch, generation: generation, hashSeed: hashSeed))
  }
}

extension Image {
  /// Whether it was accepted by these rules when it came, or since: a server may then confirm it without showing it
  /// again. What an earlier root vouched for is shown once more.
  func isAccepted(by dialect: any Dialect) -> Bool {
    let isVouchedFor = metadata.isVerified || (dialect.policy == .off && !metadata.isPackaged)
    return isVouchedFor && metadata.identity == dialect.identity
  }
}
