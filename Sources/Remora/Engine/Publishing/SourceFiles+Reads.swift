// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of a source, and describes images in comparison with them.

/// What the files of a source contain: the images, and the facts about them.
struct FilesContent {
  let facts: FoundFiles
  let newest: Image?
  let rejected: Image?
  /// What an opening would choose.
  let rest: (image: Image, origin: Origin)
}

extension SourceFiles {
  /// Reads the files.
  func find(_ exclusive: Exclusive) -> FilesContent {
    // A rejection that is not stored yet counts here.
    let stored = StoredState(
      of: dialect.identity, name, in: storage, without: core.snapshots[exclusive].rejected, by: dialect.versions)
    if let problem = stored.problem { note(.warning, "\(problem.message); the settings in memory are not affected") }
    var atOpening = stored
    atOpening.inherit(from: dialect.earlierIdentities, in: storage)
    let rest = options.choice(of: atOpening.image, services.nothing)
    var facts = FoundFiles(
      ledger: stored.ledger, readGeneration: stored.readGeneration ?? ledger.generation,
      newest: stored.newest.map(ImageFacts.init), isNewestStaged: stored.staged != nil, health: stored.health,
      problem: stored.problem, start: startData)
    if let rejected = stored.rejected {
      let (live, staged) = (live(exclusive).base, staged(exclusive)?.base)
      // Only the newest image may be in memory only.
      let isInMemoryOnly = known.isNewestInMemoryOnly
      facts.rejection = FoundRejection(
        ImageFacts(rejected),
        isLive: isRejected(live, isStored: staged != nil || !isInMemoryOnly, rejected, stored, rest: atOpening.image),
        isStaged: isRejected(staged, isStored: !isInMemoryOnly, rejected, stored, rest: atOpening.newest),
        rest: LiveData(ImageFacts(rest.image), rest.origin))
    }
    return FilesContent(facts: facts, newest: stored.newest, rejected: stored.rejected, rest: rest)
  }

  /// Whether an image in memory was rejected: it is the rejected one, or has a lower version and was removed. Nothing
  /// else removes the newest image, except a reset.
  ///
  /// - Parameters:
  ///   - isStored: Whether the image was stored, as far as is known.
  ///   - rest: The newest image of its kind, live or staged, that is stored now.
  private func isRejected(
    _ image: Image?, isStored: Bool, _ rejected: Image, _ stored: StoredState, rest: Image?
  ) -> Bool {
    guard let image else { return false }
    if image.hasContent(of: rejected, by: dialect.versions) { return true }
    let facts = ImageFacts(image)
    guard isStored, !image.metadata.isPackaged, stored.problem == nil, facts.stamp.epoch == stored.ledger.epoch else {
      return false
    }
    // An image whose activation waits for the files is in the slot of the staged one, or was superseded there.
    let isToBeLive = known.promotion?.image == facts
    if isToBeLive, let staged = stored.staged, ImageFacts(staged).stamp >= facts.stamp { return false }
    let isRemoved = rest.map { ImageFacts($0).stamp < facts.stamp } ?? true
    return isRemoved && facts.version < rejected.metadata.version
  }

  /// The data with which the source starts again after a reset.
  var startData: LiveData {
    let (image, origin) = options.start(services.nothing)
    return LiveData(ImageFacts(image), origin)
  }

  /// Describes an image of a refresh, with the changes that result when it becomes live.
  ///
  /// - Parameter isCompared: Whether the changes are needed now: comparing walks through both images.
  func arrivingImage(of image: Image, isCompared: Bool, _ exclusive: Exclusive) -> ArrivingImage {
    guard isCompared else { return ArrivingImage(ImageFacts(image)) }
    return ArrivingImage(
      ImageFacts(image), experiments: unreportedExperiments(in: image, exclusive),
      removedKeys: dialect.updates.removedKeys(in: image, after: live(exclusive).base))
  }

  /// Returns the experiments of an image that were not reported: those that the live image does not have. If another
  /// process reports the experiments of the live image here, the storage's live image is compared instead.
  private func unreportedExperiments(in image: Image, _ exclusive: Exclusive) -> [ExperimentID] {
    guard known.pendingExperiments.areLeftToOthers, let storage else {
      return dialect.newExperiments(in: image, since: live(exclusive).base)
    }
    return experiments(in: image, sinceLiveIn: storage)
  }

  /// Reads an image; nil if there is none, it is damaged, or a reset has discarded it.
  ///
  /// - Throws: `.storage` if it cannot be read at present: it may be the rejected one.
  func storedImage(_ slot: ImageSlot, _ filesLock: SourceLock) throws(RemoraError) -> Image? {
    do throws(RemoraError) {
      guard let buffer = try filesLock.directory.readImage(filesLock.name, slot) else { return nil }
      let image = try Image(buffer)
      return image.metadata.epoch >= ledger.epoch ? image : nil
    } catch {
      guard [.corrupt, .permission].contains(error.code) else { throw error }
      return nil
    }
  }

  /// The newest stored image of the present epoch that was not rejected.
  func newestStored(_ filesLock: SourceLock) throws(RemoraError) -> ImageFacts? {
    var found: [ImageFacts] = []
    for slot in [ImageSlot.live, .staged, .previous] {
      if let image = try storedImage(slot, filesLock) { found.append(ImageFacts(image)) }
    }
    return found.filter { $0.stamp.epoch == ledger.epoch }.max { $0.stamp < $1.stamp }
  }
}
