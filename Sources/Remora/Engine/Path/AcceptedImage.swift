// SPDX-License-Identifier: Apache-2.0
//
// The last step of the path: verified content that follows what is there becomes an image. Only such an image is stored.

/// An image whose content was verified as its policy demands, and that may follow what was accepted before. Only this
/// file makes one, and only one of these is written to a file.
package struct AcceptedImage: Sendable {
  package let image: Image

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
      isVerified: verified.isSigned, mayHaveFilters: draft.mayHaveFilters, signature: verified.signature,
      epoch: epoch, generation: generation)
    image = try writeImage(metadata, entries: draft.entries.lazy.map(ImageEntry.own), hashSeed: hashSeed)
  }

  /// An image that was accepted before by the rules of a source; nil when it says otherwise of itself.
  package init?(_ image: Image, acceptedBefore dialect: any Dialect) {
    guard image.isAccepted(by: dialect) else { return nil }
    self.image = image
  }

  /// The same content at another place among the images of its source.
  package func restamped(
    epoch: UInt64, generation: UInt64, hashSeed: HashSeed
  ) throws(RemoraError) -> AcceptedImage {
    AcceptedImage(try image.restamped(epoch: epoch, generation: generation, hashSeed: hashSeed))
  }

  /// Writes it to a file of its source.
  ///
  /// - Returns: The same image, mapped from the file.
  func commit(to slot: ImageSlot, _ filesLock: SourceLock) throws(RemoraError) -> Image {
    try Image(filesLock.commitImage(image.buffer.bytes, to: slot), trustingChecksum: true)
  }

  /// Writes it as the seed of its source.
  func commitSeed(of name: StorageName, _ seedLock: SourceLock) throws(RemoraError) {
    try seedLock.commitSeed(image.buffer, of: name)
  }
}
