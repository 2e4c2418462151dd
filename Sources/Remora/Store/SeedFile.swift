// SPDX-License-Identifier: Apache-2.0
//
// The file of a seed: an image that an installer puts beside those of a source, whole or not at all. Nobody else writes
// it; who opens the source takes it over and removes it, with the seed's own lock, so that a newer one is not lost.

internal import Glibc

extension StorageDirectory {
  /// The seed of a source in memory; nil when there is none. It may also be root's, and have a second name.
  ///
  /// - Throws: `.permission` for anything but a plain file of ours or root's that others cannot write; `.tooLarge`;
  ///   `.corrupt` when the file shrinks while it is read; `.storage`.
  package func readSeed(_ name: StorageName) throws(RemoraError) -> ImageBuffer? {
    guard let number else { return nil }
    let file = StoredFile.seed(name)
    guard let opened = try openFile(file, O_RDONLY, judge: { $0.packagedFileProblem(in: status(of: number)) })
    else { return nil }
    return try opened.load(path(of: file), mayMap: false, calls)
  }
}

extension SourceLock {
  /// Puts an image where the next opening of the source finds it, in the place of an older one. The lock is that of the
  /// seed.
  ///
  /// - Throws: `.storage` with the system's words, `.tooLarge`, `.permission`; an older seed stays. Only when the last step
  ///   fails, the directory's sync, is it the new one.
  package func commitSeed(_ image: ImageBuffer, of source: StorageName) throws(RemoraError) {
    let number = try requireWritable(seedOf: source)
    let target = StoredFile.seed(source)
    guard image.bytes.count <= StorageDirectory.maximumImageSize else {
      throw .imageTooLarge(directory.path(of: target), bytes: image.bytes.count)
    }
    defer { withExtendedLifetime(image) {} }
    _ = try commit(image.bytes, in: number) { (temporary) throws(RemoraError) in
      try rename(temporary, to: target, in: number)
    }
  }

  /// Removes the seed of a source. A power cut may bring it back: who finds it again sees that it is not newer.
  package func removeSeed(of source: StorageName) throws(RemoraError) {
    try remove(.seed(source), in: requireWritable(seedOf: source))
  }

  private func requireWritable(seedOf source: StorageName) throws(RemoraError) -> Int32 {
    guard name == source.ofSeed else {
      throw RemoraError(.internal, "a seed was to be changed with another source's lock")
    }
    return try requireWritable()
  }
}
