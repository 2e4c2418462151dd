// SPDX-License-Identifier: Apache-2.0
//
// A source and its files: the right to them, storing, promoting, and reading.

/// The files of a source.
struct SourceFiles: SourcePart, Sendable {
  let core: SourceCore

  // MARK: The right to change them

  /// The right to the files that a refresh holds: this one first, if there is one.
  func held(by run: RefreshRun? = nil, _ right: borrowing Exclusive) -> SourceLock? {
    if let filesLock = run?.work.read(right, \.filesLock) { return filesLock }
    return lock.withLock { core.runs.read($0, \.self) }.heldFiles(right)
  }

  /// The right of a run to change the files where they are now; nil if another process has it.
  func currentLock(of run: RefreshRun, _ right: borrowing Exclusive) throws(RemoraError) -> SourceLock? {
    let held = run.work.read(right, \.filesLock)
    guard let held, let storage = try requireStorage(), held.directory !== storage else { return held }
    held.unlock()
    let all = lock.withLock { core.runs.read($0, \.self) }.compactMap { $0.work.read(right, \.filesLock) }
    let shared = all.first { $0.directory === storage }
    let current = if let shared { shared } else { try storage.tryLock(name) }
    run.work.set(right, \.filesLock, to: current)
    return current
  }

  /// The ledger of the source in a directory, with the right to its files if a refresh holds it.
  func findLedger(in storage: StorageDirectory, _ right: borrowing Exclusive) throws(RemoraError) -> SourceLedger? {
    guard let held = held(right), held.directory === storage else { return try storage.findLedger(name) }
    return try held.findLedger()
  }

  // MARK: Changes

  /// Writes an image, and returns the mapped file.
  func commit(_ image: AcceptedImage, to slot: ImageSlot, _ filesLock: SourceLock) throws(RemoraError) -> Image {
    try requireReadFiles()
    if slot == .live { try removeDamagedLive(filesLock) }
    let stored = try image.commit(to: slot, filesLock)
    if slot == .live { filesLock.removeOvertaken() }
    return stored
  }

  /// - Throws: `.storage` while a file cannot be read: it may be newer.
  private func requireReadFiles() throws(RemoraError) {
    guard !known.health.isUnread else {
      throw RemoraError(.storage, "a stored image cannot be read; it may be newer than what would replace it")
    }
  }

  /// Removes the live file if it was damaged and still is.
  ///
  /// - Throws: `.storage` if it cannot be read now: it may be whole.
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

  /// Writes the ledger of the publication.
  func writeLedger(of run: RefreshRun, _ right: borrowing Exclusive) {
    guard let next = known.publication?.ledger else { return }
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
  func promote(for run: RefreshRun?, _ right: borrowing Exclusive) -> PromotionResult {
    guard let image = known.promotion?.image else { return .busy }
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return .failed }
      let held = held(by: run, right)
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
      let seen = try filesLock.findLedger()?.stamp ?? Stamp()
      return image.stamp > max(seen, ledger.stamp) ? .failed : .doneByOthers
    }
    try requireReadFiles()
    try removeDamagedLive(filesLock)
    let experiments = self.experiments(in: self.image(of: image, right) ?? file, sinceLiveIn: storage)
    if file.checksum == image.checksum {
      try filesLock.promoteStaged()
    } else if try isBetween(image, ImageFacts(file), in: storage), let own = self.image(of: image, right),
      let accepted = AcceptedImage(own, acceptedBefore: dialect)
    {
      _ = try accepted.commit(to: .live, filesLock)
    } else {
      return .doneByOthers
    }
    return .done(experiments)
  }

  /// The experiments of an image that the live one of the storage has not: those of that one were announced. None while
  /// it cannot be read.
  private func experiments(in image: Image, sinceLiveIn storage: StorageDirectory) -> [ExperimentID] {
    guard dialect.experiments != nil else { return [] }
    do throws(RemoraError) {
      var before = try storedImage(.live, in: storage)
      if before == nil { before = try storedImage(.previous, in: storage) }
      return dialect.newExperiments(in: image, since: before ?? options.packaged?.image)
    } catch {
      note(.warning, "\(error.message); new experiments of the settings that become live are not announced")
      return []
    }
  }

  /// The image in memory that has these facts.
  private func image(of facts: ImageFacts, _ right: borrowing Exclusive) -> Image? {
    [staged(right)?.base, live(right).base].compactMap(\.self).first { ImageFacts($0) == facts }
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

  // MARK: Reads

  /// Reads the files. Returns what they hold, with the newest image.
  func find() -> (FoundFiles, Image?) {
    let stored = StoredState(of: dialect.identity, name, in: storage)
    if let problem = stored.problem { note(.warning, "\(problem.message); the settings in memory are not affected") }
    let found = FoundFiles(
      ledger: stored.ledger, readGeneration: stored.readGeneration ?? ledger.generation,
      newest: stored.newest.map(ImageFacts.init), isNewestStaged: stored.staged != nil, health: stored.health,
      problem: stored.problem, start: startData)
    return (found, stored.newest)
  }

  /// What the source starts again from after a reset.
  var startData: LiveData {
    let (image, origin) = options.start(services.nothing)
    return LiveData(ImageFacts(image), origin)
  }

  /// An image that a refresh brings, with what changes when it becomes live.
  ///
  /// - Parameter isCompared: Whether that matters now: comparing walks through both images.
  func arrivingImage(of image: Image, isCompared: Bool, _ right: borrowing Exclusive) -> ArrivingImage {
    guard isCompared else { return ArrivingImage(ImageFacts(image)) }
    return ArrivingImage(
      ImageFacts(image), experiments: unannouncedExperiments(in: image, right),
      removedKeys: dialect.updates.removedKeys(in: image, after: live(right).base))
  }

  /// The experiments of an image that were not announced: those that the live one has not; or the live one of the storage,
  /// while another process announces those of the live one here.
  private func unannouncedExperiments(in image: Image, _ right: borrowing Exclusive) -> [ExperimentID] {
    guard known.announcements.areLeftToOthers, let storage else {
      return dialect.newExperiments(in: image, since: live(right).base)
    }
    return experiments(in: image, sinceLiveIn: storage)
  }
}
