// SPDX-License-Identifier: Apache-2.0
//
// The transitions of a source's state that concern its files: what was found in them, and whether storing worked.

extension SourceState {
  mutating func sawLedger(_ seen: SourceLedger, _ reader: FilesReader) -> SourceStep {
    if seen.stamp > ledger.stamp { return SourceStep(work: [.readFiles(reader)]) }
    return seen.epoch == ledger.epoch ? sawSuccess(seen) : SourceStep()
  }

  /// Records what other processes found out about the same data: a floor without an image, if packaged data was
  /// verified, and the server's confirmation.
  private mutating func sawSuccess(_ seen: SourceLedger) -> SourceStep {
    ledger.floor = max(ledger.floor, seen.floor)
    ledger.ignoresSince = ledger.ignoresSince || seen.ignoresSince
    guard seen.generation == ledger.generation, seen.lastSuccessMs > ledger.lastSuccessMs else { return SourceStep() }
    var next = ledger
    next.takeSuccess(of: seen)
    publication = Publication(
      .confirmation, nil, .unchanged, newest ?? live.image, next, clearsStaged: false, endsRefresh: false)
    return SourceStep(work: [.compose(.confirmed), .publish])
  }

  mutating func sawAttempt(_ seen: SourceLedger) -> SourceStep {
    guard seen.epoch == ledger.epoch, seen.lastAttemptMs > ledger.lastAttemptMs else { return SourceStep() }
    ledger.lastAttemptMs = seen.lastAttemptMs
    if seen.lastSuccessMs >= ledger.lastSuccessMs {
      ledger.takeSuccess(of: seen)
    }
    (ledger.jitter, ledger.failures) = (seen.jitter, seen.failures)
    return SourceStep()
  }

  mutating func found(_ files: FoundFiles, _ reader: FilesReader) -> SourceStep {
    health = files.health
    // A live file that could not be read before is newer than the staged file that was to replace it.
    if let due = promotion, let image = files.newest, !files.isNewestStaged, image.stamp > due.image.stamp {
      promotion = nil
    }
    let isReset = files.ledger.epoch > ledger.epoch
    if let found = files.rejection, !isReset, let step = followRejection(found, files.ledger, reader) {
      return step
    }
    guard isReset || files.newest.map(mayFollow) == true else { return ignore(files) }
    if isReset { rejected = files.rejection.map { RejectedImage($0.image, isDue: false) } }
    problems.storage = files.problem
    guard let image = files.newest else { return startAgain(files.ledger, files.start) }
    // Another process has stored the same seed that this process uses.
    if image.checksum == newest?.checksum {
      ledger = files.ledger
      isNewestInMemoryOnly = false
      return SourceStep()
    }
    if isReset, activation != .immediate {
      // The image that was live before the reset must not stay live. The new image is found again, and staged.
      let step = startAgain(files.ledger, files.start)
      return SourceStep(notices: step.notices, work: step.work + [.readFiles(reader)])
    }
    return adopt(image, files, reader)
  }

  /// Records files without an image that may replace the newest one. They are read again only when newer.
  private mutating func ignore(_ files: FoundFiles) -> SourceStep {
    // A lost ledger has no generation.
    ledger.generation = max(files.readGeneration, generation(of: files.newest))
    if files.ledger.epoch == ledger.epoch { ledger.floor = max(ledger.floor, files.ledger.floor) }
    // Until the newest image is stored, the problem that keeps it in memory stays.
    if !isNewestInMemoryOnly { problems.storage = files.problem }
    return SourceStep()
  }

  private mutating func adopt(_ image: ImageFacts, _ files: FoundFiles, _ reader: FilesReader) -> SourceStep {
    pendingExperiments.areLeftToOthers = files.isNewestStaged
    isNewestInMemoryOnly = false
    let isImmediate = isLiveAtOnce
    let endsRefresh = if case .refresh(let least) = reader { image.version >= least } else { false }
    publication = Publication(
      isImmediate ? .live(.fetched) : .staged, endsRefresh ? .refreshed : .adopted, isImmediate ? .updated : .staged,
      image, files.ledger, clearsStaged: isImmediate, endsRefresh: endsRefresh)
    return SourceStep(work: [.compose(isImmediate ? .arrivingLive : .arrivingStaged), .publish, .storeOverrides])
  }

  func lookDue() -> SourceStep {
    SourceStep(work: health.isUnread ? [.readFiles(.look)] : [])
  }

  mutating func promotionDue() -> SourceStep {
    guard let due = promotion else { return SourceStep() }
    promotion?.removedKeys = []
    // First, because once the file is live, it is unknown which keys it removed.
    return SourceStep(work: [.endStoredOverrides(due.removedKeys), .promote])
  }

  mutating func promoted(_ result: PromotionResult) -> SourceStep {
    guard let due = promotion, result != .busy else { return SourceStep() }
    promotion = nil
    let experiments: [ExperimentID]
    switch result {
    case .done(let brought):
      // The damaged file was replaced.
      if health.isLiveDamaged, !isNewestInMemoryOnly, problems.storage?.code == .corrupt { problems.storage = nil }
      health.isLiveDamaged = false
      // Experiments that were already live in this process have been reported before.
      experiments = brought.filter(due.experiments.contains)
    case .failed: experiments = due.experiments
    case .doneByOthers, .busy: return SourceStep()
    }
    if publication == nil {
      pendingExperiments.ids.add(experiments)
    } else {
      publication?.experiments.add(experiments)
    }
    return SourceStep()
  }

  /// Treats any image in the new directory as newer. An image in memory is stored there by the next refresh.
  mutating func storageReplaced() -> SourceStep {
    ledger.generation = 0
    isNewestInMemoryOnly = (newest?.stamp.generation ?? 0) > 0
    return SourceStep()
  }

  mutating func stored(_ image: ImageFacts, _ slot: ImageSlot) -> SourceStep {
    (problems.storage, problems.image) = (nil, nil)
    isNewestInMemoryOnly = false
    publication?.ledger.generation = image.stamp.generation
    if publication?.target != .confirmation { publication?.image = image }
    if slot == .live {
      health.isLiveDamaged = false
      pendingExperiments.areLeftToOthers = false
    }
    return SourceStep()
  }

  mutating func notStored(isBusy: Bool) -> SourceStep {
    isNewestInMemoryOnly = true
    problems.image = problems.storage
    // The experiments are reported when the holder of the lock stores the same image, or when this process stores it
    // later.
    if isBusy { pendingExperiments.areLeftToOthers = true }
    if isBusy || publication?.target == .confirmation { publication?.experiments = [] }
    return SourceStep()
  }

  mutating func storageFailed(_ error: RemoraError) -> SourceStep {
    problems.storage = error
    return SourceStep()
  }

  mutating func storageWorks(since problem: RemoraError) -> SourceStep {
    guard problems.storage == problem else { return SourceStep() }
    problems.storage = isNewestInMemoryOnly ? problems.image : nil
    return SourceStep()
  }
}
