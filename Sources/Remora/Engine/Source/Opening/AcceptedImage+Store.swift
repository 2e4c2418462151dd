// SPDX-License-Identifier: Apache-2.0
//
// Accepted images as files: what the parts of a source write, and the only images that they write.

extension AcceptedImage {
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
