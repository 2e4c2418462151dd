// SPDX-License-Identifier: Apache-2.0
//
// Writes accepted images to files. The parts of a source write no other images.

extension AcceptedImage {
  /// Writes the image to disk in advance, which takes long for a large image and needs no lock. If that fails, `commit`
  /// tries again and reports the error.
  mutating func write(of source: StorageName, in directory: StorageDirectory) {
    written = try? WrittenFile(self, of: source, in: directory)
  }

  /// Stores the image as a file of its source.
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

  /// Stores the image as the seed of its source.
  func commitSeed(of name: StorageName, _ seedLock: SourceLock) throws(RemoraError) {
    try seedLock.commitSeed(self, of: name)
  }
}
