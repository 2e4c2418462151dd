// SPDX-License-Identifier: Apache-2.0
//
// The last step of the path: verified content that follows what is there becomes an image. Only such an image is stored.

/// An image whose content was verified as its policy demands, and that may follow what was accepted before. Only this
/// file makes one, and only one of these is written to a file.
package struct AcceptedImage: Sendable, StorableImage {
  package let image: Image
  /// Its file without a name, where it was written in advance.
  private var written: WrittenFile?

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

  /// Writes it to the disk in advance, which takes long for a large image and needs no lock. What fails is tried again,
  /// and reported, by `commit`.
  mutating func write(of source: StorageName, in directory: StorageDirectory) {
    written = try? WrittenFile(self, of: source, in: directory)
  }

  /// Makes it a file of its source.
  ///
  /// - Returns: The same image, mapped from the file.
  func commit(to slot: ImageSlot, _ filesLock: SourceLock) throws(RemoraError) -> Image {
    let stored =
      if let written, written.directory === filesLock.directory {
        try filesLock.commitImage(written, to: slot)
      } else {
        try filesLock.commitImage(self, to: slot)
      }
    return try Image(stored, trustingChecksum: true)
  }

  /// Writes it as the seed of its source.
  func commitSeed(of name: StorageName, _ seedLock: SourceLock) throws(RemoraError) {
    try seedLock.commitSeed(self, of: name)
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
