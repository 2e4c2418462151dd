// SPDX-License-Identifier: Apache-2.0
//
// Commits images from memory to files. The order of the steps matters: see docs/storage.md.
// Invariants: at every instant, the live file or else the previous one has the complete newest committed image. The
// modification time of a live file is the time at which it became live.

internal import Glibc

extension SourceLock {
  /// Stores an image in a slot other than the previous one; a live image that it replaces becomes the previous one, if
  /// it was live for long enough.
  ///
  /// If a step before the last one fails, the slot is unchanged. If only the last step fails (syncing the directory),
  /// the new image is in its slot, but a power failure may still undo that.
  ///
  /// - Returns: The stored image, loaded from its file.
  /// - Throws: `.storage` with the system's message; `.tooLarge`; `.permission`; `.internal` for the previous slot.
  package func commitImage(
    _ image: some StorableImage, to slot: ImageSlot
  ) throws(RemoraError) -> ImageBuffer {
    _ = try requireWritable()
    guard slot != .previous else {
      throw .bug("a write to the previous version of a source's data was refused")
    }
    try requireStorable(image, as: .image(name, slot))
    return try commitImage(try WrittenFile(image, of: name, in: directory), to: slot)
  }

  /// Stores an image that was already written to a temporary file.
  package func commitImage(_ written: WrittenFile, to slot: ImageSlot) throws(RemoraError) -> ImageBuffer {
    try commit(written) { (temporary, number) throws(RemoraError) in try install(temporary, as: slot, in: number) }
  }

  /// Moves a written file to its final name by calling `install`.
  private func commit(
    _ written: WrittenFile, _ install: (StoredFile, Int32) throws(RemoraError) -> Void
  ) throws(RemoraError) -> ImageBuffer {
    let number = try requireWritable()
    guard written.directory === directory, written.source == name else {
      throw .bug("the wrong lock was used to store a file")
    }
    try install(written.temporary, number)
    written.noteNamed()
    return written.content
  }

  /// Makes the staged image the live one; the live one becomes the previous one, if it was live for long enough.
  ///
  /// - Throws: `.notFound` if no image is staged; `.permission` if the staged file is not trusted; `.storage`.
  package func promoteStaged() throws(RemoraError) {
    let number = try requireWritable()
    let staged = StoredFile.image(name, .staged)
    guard try directory.openTrusted(staged, O_RDONLY) != nil else {
      throw RemoraError(.notFound, "\(directory.path(of: staged)) does not exist")
    }
    try install(staged, as: .live, in: number)
  }

  /// Removes a staged image that is older than the live one. Not synced: if the file reappears, readers see that it is
  /// older.
  package func removeOvertaken() {
    guard let number = try? requireWritable() else { return }
    _ = calls.directories.remove(number, StoredFile.image(name, .staged).fileName)
  }

  /// Removes a damaged or unwanted image, so that the next commit does not keep it as the previous one.
  package func removeImage(_ slot: ImageSlot) throws(RemoraError) {
    let number = try requireWritable()
    try remove(.image(name, slot), in: number)
    try directory.syncDirectory(number)
  }

  /// Makes an image the rejected one, in one step: readers then fall back to the previous image, as after a crash
  /// between the renames of a commit.
  package func reject(_ slot: ImageSlot) throws(RemoraError) {
    try rename(.image(name, slot), to: .image(name, .rejected), in: requireWritable())
  }

  /// Removes all images. The live one is removed last: if a step before fails, the source is unchanged.
  package func removeImages() throws(RemoraError) {
    let number = try requireWritable()
    for slot in [ImageSlot.rejected, .previous, .staged, .live] { try remove(.image(name, slot), in: number) }
    try directory.syncDirectory(number)
  }

  /// Stores the overrides of a source; nil removes them. Requires the lock of `ofOverrides`.
  ///
  /// - Throws: `.storage` with the system's message; the stored overrides are unchanged, unless only the last step
  ///   failed (syncing the directory).
  package func commitOverrides(_ image: ImageBuffer?, of source: StorageName) throws(RemoraError) {
    let number = try requireWritable()
    guard name == source.ofOverrides else {
      throw .bug("the wrong lock was used to store overrides")
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

  /// Stores a seed, which the next opening of the source reads; replaces an older seed. Requires the lock of `ofSeed`.
  ///
  /// - Throws: `.storage` with the system's message, `.tooLarge`, `.permission`; an older seed stays, unless only the
  ///   last step failed (syncing the directory).
  package func commitSeed(_ image: some StorableImage, of source: StorageName) throws(RemoraError) {
    _ = try requireWritable(seedOf: source)
    let target = StoredFile.seed(source)
    try requireStorable(image, as: target)
    _ = try commit(WrittenFile(image, of: name, in: directory)) { (temporary, number) throws(RemoraError) in
      try rename(temporary, to: target, in: number)
    }
  }

  /// Removes the seed of a source. After a power failure it may reappear; it is ignored then because it is not newer.
  package func removeSeed(of source: StorageName) throws(RemoraError) {
    try remove(.seed(source), in: requireWritable(seedOf: source))
  }

  /// Stores the image of packaged data; removes older ones of the source. Requires the lock of `ofPackaged`.
  ///
  /// Nothing is synced: after a power failure the file may be absent or damaged, and the data is compiled again.
  ///
  /// - Parameter parts: The content of the file, in order.
  /// - Returns: The content, loaded from the file.
  /// - Throws: `.storage` with the system's message; `.tooLarge`. No image of packaged data may be left then.
  package func commitPackaged(
    _ parts: [ImageBuffer], digest: String, of source: StorageName
  ) throws(RemoraError) -> ImageBuffer {
    _ = try requireWritable()
    guard name == source.ofPackaged else {
      throw .bug("the wrong lock was used to store packaged data")
    }
    return try commit(WrittenFile(packaged: parts, of: source, in: directory)) {
      (temporary, number) throws(RemoraError) in
      // Removed first, so that at most one image is left if the process is killed.
      for case .packaged(source, let other) in directory.storedFiles() where other != digest {
        try remove(.packaged(source, digest: other), in: number)
      }
      try move(temporary, to: .packaged(source, digest: digest), in: number)
    }
  }

  private func requireStorable(_ image: some StorableImage, as target: StoredFile) throws(RemoraError) {
    let count = image.buffer.bytes.count
    guard count <= StorageDirectory.maximumImageSize else {
      throw .imageTooLarge(directory.path(of: target), bytes: count)
    }
  }

  private func requireWritable(seedOf source: StorageName) throws(RemoraError) -> Int32 {
    guard name == source.ofSeed else {
      throw .bug("the wrong lock was used to change a seed (data that an installer saves)")
    }
    return try requireWritable()
  }

  // MARK: Files

  private var calls: SystemCalls { directory.calls }

  /// A live image that is replaced sooner is not kept as the previous one, unless there is none: several bad versions
  /// in a short time must not displace the one that was live before them.
  package static var shortestLiveMs: Int64 { 600_000 }

  /// Moves a complete, synced file to its final name. If the former live image is kept, there is no live image between
  /// the two renames; the former one is `previous` then, and readers fall back to it.
  private func install(_ file: StoredFile, as slot: ImageSlot, in number: Int32) throws(RemoraError) {
    let target = StoredFile.image(name, slot)
    let kept = slot == .live ? try keepLive(in: number) : false
    // If it fails, the file keeps the time at which it was written.
    if slot == .live { _ = calls.directories.touch(number, file.fileName, directory.nowMs) }
    let renamed = uninterrupted { calls.directories.rename(number, file.fileName, target.fileName) }
    guard renamed == 0 else {
      if kept { _ = calls.directories.rename(number, StoredFile.image(name, .previous).fileName, target.fileName) }
      throw directory.failure("rename", target, renamed)
    }
    try directory.syncDirectory(number)
  }

  /// Moves a complete, synced file to its final name in one step, and syncs the directory.
  func rename(_ file: StoredFile, to target: StoredFile, in number: Int32) throws(RemoraError) {
    try move(file, to: target, in: number)
    try directory.syncDirectory(number)
  }

  private func move(_ file: StoredFile, to target: StoredFile, in number: Int32) throws(RemoraError) {
    let renamed = uninterrupted { calls.directories.rename(number, file.fileName, target.fileName) }
    guard renamed == 0 else { throw directory.failure("rename", target, renamed) }
  }

  /// Renames live to previous. Returns whether there was a live file to keep. One that is not trusted, or was not live
  /// for long enough, is replaced instead.
  private func keepLive(in number: Int32) throws(RemoraError) -> Bool {
    let live = StoredFile.image(name, .live)
    let status = calls.directories.nameStatus(number, live.fileName)
    guard status.failure == 0 else { return false }
    if status.fileProblem(of: directory.owner) != nil {
      // Opening the file restores its mode if that is the problem.
      do { guard try directory.openTrusted(live, O_RDONLY) != nil else { return false } } catch { return false }
    }
    let previous = StoredFile.image(name, .previous)
    let ageMs = directory.nowMs &- status.modifiedMs
    if (0..<Self.shortestLiveMs).contains(ageMs),
      calls.directories.nameStatus(number, previous.fileName).failure == 0
    {
      return false
    }
    let renamed = uninterrupted { calls.directories.rename(number, live.fileName, previous.fileName) }
    guard renamed == 0 else { throw directory.failure("rename", live, renamed) }
    return true
  }

  /// Removes a file that may be absent.
  func remove(_ file: StoredFile, in number: Int32) throws(RemoraError) {
    let removed = uninterrupted { calls.directories.remove(number, file.fileName) }
    guard removed == 0 || removed == -ENOENT else { throw directory.failure("remove", file, removed) }
  }
}
