// SPDX-License-Identifier: Apache-2.0
//
// The files of a source: their lock, storing and promoting.

final class SourceFiles: SourcePart, Sendable {
  /// The lock of the files, and the refreshes that share it; it is unlocked when the last one releases it. Without a
  /// lock, the refreshes wait for the one of a new directory.
  private struct HeldLock {
    var filesLock: SourceLock?
    var holders: [PublishingRun] = []
  }

  let core: SourceCore
  private let held = Confined(HeldLock())
  /// Whether the last attempt to store a rejection found the files locked by another process.
  let isRejectionBlocked = Confined(false)

  init(_ core: SourceCore) { self.core = core }

  // MARK: The lock

  /// Locks the files for a refresh without waiting. Returns false while another client or process holds the lock. An
  /// error is recorded, and the refresh continues without files.
  func take(for run: PublishingRun, _ exclusive: Exclusive) -> Bool {
    guard core.usesStorage, filesLock(of: run, exclusive) == nil else { return true }
    do throws(RemoraError) {
      if held[exclusive].filesLock == nil { held[exclusive].filesLock = try requireStorage()?.tryLock(name) }
      guard held[exclusive].filesLock != nil else { return false }
      if !isHolder(run, exclusive) { held[exclusive].holders.append(run) }
    } catch {
      noteStorage(error)
      run.files[exclusive].problem = error
    }
    return true
  }

  /// Returns the lock if a refresh holds it in this directory, which may have replaced the one of the refresh.
  func heldLock(in storage: StorageDirectory, _ exclusive: Exclusive) -> SourceLock? {
    held[exclusive].filesLock.flatMap { $0.directory === storage ? $0 : nil }
  }

  /// Returns the lock if this refresh holds it.
  func filesLock(of run: PublishingRun, _ exclusive: Exclusive) -> SourceLock? {
    isHolder(run, exclusive) ? held[exclusive].filesLock : nil
  }

  private func isHolder(_ run: PublishingRun, _ exclusive: Exclusive) -> Bool {
    held[exclusive].holders.contains { $0 === run }
  }

  /// Returns the lock of a refresh in the current directory; nil if another process holds it. Then the refreshes that
  /// shared the lock of an earlier directory try again when they store.
  func currentLock(of run: PublishingRun, _ exclusive: Exclusive) throws(RemoraError) -> SourceLock? {
    guard isHolder(run, exclusive), let storage = try requireStorage() else { return nil }
    if let filesLock = held[exclusive].filesLock, filesLock.directory === storage { return filesLock }
    held[exclusive].filesLock?.unlock()
    held[exclusive].filesLock = nil
    held[exclusive].filesLock = try storage.tryLock(name)
    return held[exclusive].filesLock
  }

  /// Releases the lock of a refresh, after writing its attempt to the ledger if that was not done yet.
  func release(_ run: PublishingRun, _ exclusive: Exclusive) {
    let isUnwritten = run.files[exclusive].attempt == .noted
    if isUnwritten { run.files[exclusive].attempt = .written }
    if isUnwritten, let filesLock = filesLock(of: run, exclusive) { write(ledger, filesLock) }
    held[exclusive].holders.removeAll { $0 === run }
    if held[exclusive].holders.isEmpty { held[exclusive].filesLock = nil }
  }

  /// Releases the lock of all refreshes: without knowing what others have stored, this process must not replace it.
  func releaseAll(_ exclusive: Exclusive) { held[exclusive] = HeldLock() }

  /// Called after a fork, in the child: the parent holds the lock.
  func resumeChild(_ exclusive: Exclusive) { leak(exchange(&held[exclusive], HeldLock())) }

  /// Reads the ledger of the source in a directory, by the files' lock if a refresh holds it.
  func findLedger(in storage: StorageDirectory, _ exclusive: Exclusive) throws(RemoraError) -> SourceLedger? {
    guard let held = heldLock(in: storage, exclusive) else { return try storage.findLedger(name) }
    return try held.findLedger()
  }

  // MARK: Changes

  /// Stores an image, and returns the mapped file.
  func commit(_ image: AcceptedImage, to slot: ImageSlot, _ filesLock: SourceLock) throws(RemoraError) -> Image {
    try requireReadFiles()
    if slot == .live { try removeDamagedLive(filesLock) }
    let stored = try image.commit(to: slot, filesLock)
    if slot == .live { filesLock.removeOvertaken() }
    return stored
  }

  /// - Throws: `.storage` while a file cannot be read, because it may be newer.
  private func requireReadFiles() throws(RemoraError) {
    guard !known.health.isUnread else {
      throw RemoraError(.storage, "the new data is not stored, because a stored file cannot be read and may be newer")
    }
  }

  /// Removes the live file if it was damaged and still is.
  ///
  /// - Throws: `.storage` if it cannot be read at present, because it may be valid.
  private func removeDamagedLive(_ filesLock: SourceLock) throws(RemoraError) {
    guard known.health.isLiveDamaged else { return }
    do throws(RemoraError) {
      guard let buffer = try filesLock.directory.readImage(name, .live) else { return }
      if try Image(buffer).metadata.identity == dialect.identity { return }
    } catch {
      guard [.corrupt, .permission].contains(error.code) else { throw error }
    }
    try filesLock.removeImage(.live)
  }

  func writeLedger(of run: PublishingRun, _ exclusive: Exclusive) {
    guard let next = known.publication?.ledger else { return }
    run.files[exclusive].attempt = .written
    if let filesLock = filesLock(of: run, exclusive) { write(next, filesLock) }
  }

  private func write(_ ledger: SourceLedger, _ filesLock: SourceLock) {
    do throws(RemoraError) {
      try filesLock.writeLedger(ledger)
    } catch {
      noteStorage(error)
    }
  }

  /// Makes the staged file the live one, if it still is the image of the pending promotion.
  func promote(_ exclusive: Exclusive) -> PromotionResult {
    guard let image = known.promotion?.image else { return .busy }
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return .failed }
      let held = heldLock(in: storage, exclusive)
      let taken = held == nil ? try storage.tryLock(name) : nil
      guard let filesLock = held ?? taken else { return .busy }
      defer { taken?.unlock() }
      return try promote(image, filesLock, in: storage, exclusive)
    } catch {
      noteStorage(error, "the activation is not stored: open the source again, and activate it again")
      return .failed
    }
  }

  private func promote(
    _ image: ImageFacts, _ filesLock: SourceLock, in storage: StorageDirectory, _ exclusive: Exclusive
  ) throws(RemoraError) -> PromotionResult {
    // If there is no staged file, it was never stored; or it was promoted, reset or superseded in the meantime.
    guard let file = try storedImage(.staged, in: storage) else {
      let seen = try filesLock.findLedger()?.stamp ?? Stamp()
      return image.stamp > max(seen, ledger.stamp) ? .failed : .doneByOthers
    }
    try requireReadFiles()
    try removeDamagedLive(filesLock)
    let experiments = self.experiments(in: self.image(of: image, exclusive) ?? file, sinceLiveIn: storage)
    if file.checksum == image.checksum {
      try filesLock.promoteStaged()
    } else if try isBetween(image, ImageFacts(file), in: storage), let own = self.image(of: image, exclusive),
      let accepted = AcceptedImage(own, acceptedBefore: dialect), try !mayBeRejected(own, in: storage)
    {
      _ = try accepted.commit(to: .live, filesLock)
    } else {
      return .doneByOthers
    }
    return .done(experiments)
  }

  /// Returns the experiments of an image that the storage's live image does not have; the live image's experiments were
  /// reported before. Returns none if the live image cannot be read.
  func experiments(in image: Image, sinceLiveIn storage: StorageDirectory) -> [ExperimentID] {
    guard dialect.experiments != nil else { return [] }
    do throws(RemoraError) {
      var before = try storedImage(.live, in: storage)
      if before == nil { before = try storedImage(.previous, in: storage) }
      return dialect.newExperiments(in: image, since: before ?? options.packaged?.image)
    } catch {
      note(.warning, "\(error.message); no event will list the new A/B experiments of the activated settings")
      return []
    }
  }

  /// Returns the image in memory with these facts.
  private func image(of facts: ImageFacts, _ exclusive: Exclusive) -> Image? {
    [staged(exclusive)?.base, live(exclusive).base].compactMap(\.self).first { ImageFacts($0) == facts }
  }

  /// Whether another process staged a newer image over this one, which is still newer than the live one.
  private func isBetween(
    _ mine: ImageFacts, _ next: ImageFacts, in storage: StorageDirectory
  ) throws(RemoraError) -> Bool {
    guard mine.stamp.epoch == next.stamp.epoch, mine.stamp < next.stamp else { return false }
    guard let stored = try storedImage(.live, in: storage) else { return true }
    return ImageFacts(stored).stamp < mine.stamp
  }

  /// Whether another process may have rejected an image that is not stored any more: the newest rejected image is this
  /// one or a newer one.
  private func mayBeRejected(_ own: Image, in storage: StorageDirectory) throws(RemoraError) -> Bool {
    guard let rejected = try storedImage(.rejected, in: storage), rejected.metadata.epoch >= own.metadata.epoch else {
      return false
    }
    return rejected.hasContent(of: own, by: dialect.versions) || own.isOlder(than: rejected)
  }

  private func storedImage(_ slot: ImageSlot, in storage: StorageDirectory) throws(RemoraError) -> Image? {
    guard let buffer = try storage.readImage(name, slot) else { return nil }
    return try Image(buffer, trustingChecksum: true)
  }
}

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
