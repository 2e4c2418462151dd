// SPDX-License-Identifier: Apache-2.0
//
// Images on their way from memory to a file. The order of the steps is the whole point: see docs/storage.md.
// Invariant: at every instant, live or else previous holds the newest committed image, whole.

internal import Glibc

extension SourceLock {
  /// Stores an image as the live or the staged one; the live one before it becomes the previous one.
  ///
  /// On a failure before the last step the slot keeps what it had. When only the last step fails (the directory's
  /// sync) the new image is in its slot, but a power cut may still undo that.
  ///
  /// - Returns: The stored image, from its file.
  /// - Throws: `.storage` with the system's words; `.tooLarge`; `.permission`; `.internal` for the previous slot.
  package func commitImage(
    _ image: some StorableImage, to slot: ImageSlot
  ) throws(RemoraError) -> ImageBuffer {
    _ = try requireWritable()
    guard slot != .previous else { throw RemoraError(.internal, "an image was to be committed as previous") }
    try requireStorable(image, as: .image(name, slot))
    return try commitImage(try WrittenFile(image, of: name, in: directory), to: slot)
  }

  /// The same with an image that was written before.
  package func commitImage(_ written: WrittenFile, to slot: ImageSlot) throws(RemoraError) -> ImageBuffer {
    try commit(written) { (temporary, number) throws(RemoraError) in try install(temporary, as: slot, in: number) }
  }

  /// Gives a written file its name by `install`.
  private func commit(
    _ written: WrittenFile, _ install: (StoredFile, Int32) throws(RemoraError) -> Void
  ) throws(RemoraError) -> ImageBuffer {
    let number = try requireWritable()
    guard written.directory === directory, written.source == name else {
      throw RemoraError(.internal, "a file was to be committed with another source's lock")
    }
    try install(written.temporary, number)
    written.noteNamed()
    return written.content
  }

  /// Makes the staged image the live one; the live one becomes the previous one.
  ///
  /// - Throws: `.notFound` when nothing is staged; `.permission` when what is there is not ours; `.storage`.
  package func promoteStaged() throws(RemoraError) {
    let number = try requireWritable()
    let staged = StoredFile.image(name, .staged)
    guard try directory.openTrusted(staged, O_RDONLY) != nil else {
      throw RemoraError(.notFound, "\(directory.path(of: staged)) does not exist")
    }
    try install(staged, as: .live, in: number)
  }

  /// Removes a staged image that the live one has overtaken. Nobody waits for that: who finds it sees that it is older.
  package func removeOvertaken() {
    guard let number = try? requireWritable() else { return }
    _ = calls.remove(number, StoredFile.image(name, .staged).fileName)
  }

  /// Removes a damaged or unwanted image, so that the next commit does not keep it as the previous one.
  package func removeImage(_ slot: ImageSlot) throws(RemoraError) {
    let number = try requireWritable()
    try remove(.image(name, slot), in: number)
    try directory.syncDirectory(number)
  }

  /// Removes all images. The live one goes last: after a failure before that, the source is what it was.
  package func removeImages() throws(RemoraError) {
    let number = try requireWritable()
    for slot in [ImageSlot.previous, .staged, .live] { try remove(.image(name, slot), in: number) }
    try directory.syncDirectory(number)
  }

  /// Stores the overrides of a source, or removes them for nil. The lock is that of their name.
  ///
  /// - Throws: `.storage` with the system's words; the overrides stay what they were. Only when the last step fails, the
  ///   directory's sync, are they the new ones.
  package func commitOverrides(_ image: ImageBuffer?, of source: StorageName) throws(RemoraError) {
    let number = try requireWritable()
    guard name == source.ofOverrides else {
      throw RemoraError(.internal, "overrides were to be written with another source's lock")
    }
    let target = StoredFile.overrides(source)
    if let image {
      _ = try commit(WrittenFile(overrides: image, of: source, in: directory)) {
        (temporary, number) throws(RemoraError) in
        try rename(temporary, to: target, in: number)
      }
    } else {
      try remove(target, in: number)
      try directory.syncDirectory(number)
    }
  }

  // MARK: Seeds

  /// Puts an image where the next opening of the source finds it, in the place of an older one. The lock is that of the
  /// seed.
  ///
  /// - Throws: `.storage` with the system's words, `.tooLarge`, `.permission`; an older seed stays. Only when the last step
  ///   fails, the directory's sync, is it the new one.
  package func commitSeed(_ image: some StorableImage, of source: StorageName) throws(RemoraError) {
    _ = try requireWritable(seedOf: source)
    let target = StoredFile.seed(source)
    try requireStorable(image, as: target)
    _ = try commit(WrittenFile(image, of: name, in: directory)) { (temporary, number) throws(RemoraError) in
      try rename(temporary, to: target, in: number)
    }
  }

  /// Removes the seed of a source. A power cut may bring it back: who finds it again sees that it is not newer.
  package func removeSeed(of source: StorageName) throws(RemoraError) {
    try remove(.seed(source), in: requireWritable(seedOf: source))
  }

  private func requireStorable(_ image: some StorableImage, as target: StoredFile) throws(RemoraError) {
    let count = image.buffer.bytes.count
    guard count <= StorageDirectory.maximumImageSize else {
      throw .imageTooLarge(directory.path(of: target), bytes: count)
    }
  }

  private func requireWritable(seedOf source: StorageName) throws(RemoraError) -> Int32 {
    guard name == source.ofSeed else {
      throw RemoraError(.internal, "a seed was to be changed with another source's lock")
    }
    return try requireWritable()
  }

  // MARK: Files

  private var calls: SystemCalls { directory.calls }

  /// Gives a whole, synced file its final name. Between the two renames there is no live image; what was live is
  /// `previous` by then, and readers fall back to it.
  private func install(_ file: StoredFile, as slot: ImageSlot, in number: Int32) throws(RemoraError) {
    let target = StoredFile.image(name, slot)
    let kept = slot == .live ? try keepLive(in: number) : false
    let renamed = uninterrupted { calls.rename(number, file.fileName, target.fileName) }
    guard renamed == 0 else {
      if kept { _ = calls.rename(number, StoredFile.image(name, .previous).fileName, target.fileName) }
      throw directory.failure("rename", target, renamed)
    }
    try directory.syncDirectory(number)
  }

  /// Gives a whole, synced file a name that no reader asks for meanwhile.
  func rename(_ file: StoredFile, to target: StoredFile, in number: Int32) throws(RemoraError) {
    let renamed = uninterrupted { calls.rename(number, file.fileName, target.fileName) }
    guard renamed == 0 else { throw directory.failure("rename", target, renamed) }
    try directory.syncDirectory(number)
  }

  /// Renames live to previous. Answers whether there was one; what is not ours alone is not kept but replaced.
  private func keepLive(in number: Int32) throws(RemoraError) -> Bool {
    let live = StoredFile.image(name, .live)
    let status = calls.nameStatus(number, live.fileName)
    guard status.failure == 0, status.fileProblem(of: directory.owner) == nil else { return false }
    let previous = StoredFile.image(name, .previous)
    let renamed = uninterrupted { calls.rename(number, live.fileName, previous.fileName) }
    guard renamed == 0 else { throw directory.failure("rename", live, renamed) }
    return true
  }

  /// Removes a file that may be absent.
  func remove(_ file: StoredFile, in number: Int32) throws(RemoraError) {
    let removed = uninterrupted { calls.remove(number, file.fileName) }
    guard removed == 0 || removed == -ENOENT else { throw directory.failure("remove", file, removed) }
  }
}
