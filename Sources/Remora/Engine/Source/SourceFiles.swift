// SPDX-License-Identifier: Apache-2.0
//
// A source and its files: storing, promoting, and finding what another client or process stored.

extension Source {
  /// Stores the image of the publication; from then on the publication is of the mapped file.
  func storeArriving(as slot: ImageSlot, _ right: borrowing Exclusive) -> SourceInput {
    guard let image = desk.read(right, \.arriving), let stored = store(image, as: slot, right) else {
      return .notStored
    }
    desk.set(right, \.arriving, to: stored)
    return .stored(ImageFacts(stored), slot)
  }

  /// Stores the newest image, which an earlier problem kept in memory. What is live stays the image in memory.
  func storeNewest(as slot: ImageSlot, _ right: borrowing Exclusive) -> SourceInput {
    guard let image = newest(right), let stored = store(image, as: slot, right) else { return .notStored }
    return .stored(ImageFacts(stored), slot)
  }

  /// Stores an image. Nil while another client or process has the files, and after a failure: neither stops a
  /// publication.
  private func store(_ image: Image, as slot: ImageSlot, _ right: borrowing Exclusive) -> Image? {
    guard usesStorage, let run = desk.read(right, \.run) else { return nil }
    do throws(RemoraError) {
      guard let filesLock = try currentLock(of: run, right) else {
        if run.isForced { noteStorage(.busyFiles, "the new settings are in memory until a later refresh stores them") }
        return nil
      }
      // What is live here is not to be written over.
      handle(.promotionDue, right)
      if slot == .live { try removeDamagedLive(filesLock) }
      let stored = try Image(filesLock.commitImage(image.buffer.bytes, to: slot), trustingChecksum: true)
      if slot == .live { filesLock.removeOvertaken() }
      return stored
    } catch {
      noteStorage(error, "the new settings are kept in memory only")
      return nil
    }
  }

  /// Removes the live file if it was doubtful and is found damaged.
  ///
  /// - Throws: `.storage` while it cannot be read: it may be whole.
  private func removeDamagedLive(_ filesLock: SourceLock) throws(RemoraError) {
    guard known.liveFile == .doubtful else { return }
    do throws(RemoraError) {
      guard let buffer = try filesLock.directory.readImage(name, .live) else { return }
      if try Image(buffer).metadata.identity == dialect.identity { return }
    } catch {
      guard [.corrupt, .permission].contains(error.code) else { throw error }
    }
    try filesLock.removeImage(.live)
  }

  /// Writes the ledger of the publication.
  func writeLedger(_ right: borrowing Exclusive) {
    guard let run = desk.read(right, \.run), let next = known.publication?.ledger else { return }
    let filesLock = run.work.with(right) { work in
      work.attempt = .written
      return work.filesLock
    }
    do throws(RemoraError) {
      try filesLock?.writeLedger(next)
    } catch {
      noteStorage(error)
    }
  }

  /// Makes the staged file the live one, if it still is the image of the pending promotion.
  func promote(_ right: borrowing Exclusive) -> PromotionResult {
    guard let image = known.promotion?.image else { return .busy }
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return .failed }
      let held = heldFiles(right)
      let taken = held == nil ? try storage.tryLock(name) : nil
      guard let filesLock = held ?? taken else { return .busy }
      defer { taken?.unlock() }
      return try promote(image, filesLock, in: storage, right)
    } catch {
      noteStorage(error, "what was activated is staged again at the next open")
      return .failed
    }
  }

  private func promote(
    _ image: ImageFacts, _ filesLock: SourceLock, in storage: StorageDirectory, _ right: borrowing Exclusive
  ) throws(RemoraError) -> PromotionResult {
    // When there is none, it was never stored; or it was promoted, reset or overtaken in the meantime.
    guard let file = try storedImage(.staged, in: storage) else {
      return image.stamp.generation > known.ledger.generation ? .failed : .doneByOthers
    }
    try removeDamagedLive(filesLock)
    let before = storedLive(in: storage)
    if file.checksum == image.checksum {
      try filesLock.promoteStaged()
    } else if try isBetween(image, ImageFacts(file), in: storage), let own = self.image(of: image, right) {
      _ = try filesLock.commitImage(own.buffer.bytes, to: .live)
    } else {
      return .doneByOthers
    }
    return .done(dialect.newExperiments(in: self.image(of: image, right) ?? file, since: before))
  }

  /// The image whose experiments were announced by the processes that share the storage.
  private func storedLive(in storage: StorageDirectory) -> Image? {
    guard dialect.experiments != nil else { return nil }
    let stored = (try? storedImage(.live, in: storage)) ?? (try? storedImage(.previous, in: storage))
    return stored ?? options.packaged?.image
  }

  /// The image in memory that has these facts.
  private func image(of facts: ImageFacts, _ right: borrowing Exclusive) -> Image? {
    [staged(right)?.base, live(right).base].compactMap(\.self).first { ImageFacts($0) == facts }
  }

  /// The right to the files that a refresh holds, the one first whose outcome is worked out.
  func heldFiles(_ right: borrowing Exclusive) -> SourceLock? {
    if let filesLock = desk.read(right, \.run)?.work.read(right, \.filesLock) { return filesLock }
    return lock.withLock { state.read($0, \.runs) }.heldFiles(right)
  }

  /// Whether another process staged a newer image over this one, which is still newer than the live one.
  private func isBetween(
    _ mine: ImageFacts, _ next: ImageFacts, in storage: StorageDirectory
  ) throws(RemoraError) -> Bool {
    guard mine.stamp.epoch == next.stamp.epoch, mine.stamp < next.stamp else { return false }
    guard let stored = try storedImage(.live, in: storage) else { return true }
    return ImageFacts(stored).stamp < mine.stamp
  }

  private func storedImage(_ slot: ImageSlot, in storage: StorageDirectory) throws(RemoraError) -> Image? {
    guard let buffer = try storage.readImage(name, slot) else { return nil }
    return try Image(buffer, trustingChecksum: true)
  }

  /// Adopts what another client or process stored since.
  ///
  /// - Returns: What that came to; nil if there was no newer image.
  @discardableResult
  func adopt(for run: Run? = nil, _ right: borrowing Exclusive) -> Outcome? {
    guard let storage else { return nil }
    beginInNewStorage(right)
    do throws(RemoraError) {
      let ledger = try storage.findLedger(name) ?? SourceLedger()
      return handle(.sawLedger(ledger, reader: run == nil ? .look : .refresh), for: run, right)
    } catch {
      noteStorage(error)
      // Who does not know what others have stored must not replace it.
      for run in lock.withLock({ state.read($0, \.runs) }) { run.work.set(right, \.filesLock, to: nil) }
      return nil
    }
  }

  /// The once-a-second look; not while a run of this source holds the files. Returns what it came to, as `adopt`.
  @discardableResult
  func adoptIfNewer(_ right: borrowing Exclusive) -> Outcome? {
    let isIdle = lock.withLock { state.with($0) { $0.runs.isEmpty && !$0.openness.isEnded } }
    return isIdle ? adopt(right) : nil
  }

  /// Reads the files of this source.
  func readFiles(_ right: borrowing Exclusive) -> FoundFiles {
    let readGeneration = storage?.readLedger(name).generation ?? known.ledger.generation
    let stored = StoredState(of: dialect.identity, name, in: storage)
    if let problem = stored.problem { note(.warning, "\(problem.message); the settings in memory are not affected") }
    desk.set(right, \.arriving, to: stored.newest)
    return FoundFiles(
      ledger: stored.ledger, readGeneration: readGeneration, newest: stored.newest.map(ImageFacts.init),
      isNewestStaged: stored.staged != nil, liveFile: stored.liveFile, problem: stored.problem, start: startData)
  }

  /// What the source starts again from after a reset.
  var startData: LiveData {
    let (image, origin) = options.start(services.nothing)
    return LiveData(ImageFacts(image), origin)
  }

  /// An image that a refresh brings, with what changes when it becomes live.
  ///
  /// - Parameter isCompared: Whether that matters now: comparing walks through both images.
  func arrival(of image: Image, isCompared: Bool, _ right: borrowing Exclusive) -> ArrivingImage {
    guard isCompared else { return ArrivingImage(ImageFacts(image)) }
    return ArrivingImage(
      ImageFacts(image), experiments: dialect.newExperiments(in: image, since: announcedImage(right)),
      removedKeys: dialect.updates.removedKeys(in: image, after: live(right).base))
  }

  /// The image whose experiments were announced: the live one; or the live one of the storage, while another process
  /// announces those of the live one here.
  private func announcedImage(_ right: borrowing Exclusive) -> Image? {
    guard dialect.experiments != nil, known.announcements.areLeftToOthers, let storage else { return live(right).base }
    return storedLive(in: storage)
  }
}
