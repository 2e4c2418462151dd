// SPDX-License-Identifier: Apache-2.0
//
// The transitions of a source's state. There is one entry point: each input changes the state and returns the effects.

extension SourceState {
  /// Handles an input.
  package mutating func handle(_ input: SourceInput) -> SourceStep {
    switch input {
    case .attempted(let nowMs, let jitter): attempted(nowMs, jitter)
    case .compiled(let arrival, let lifetime): compiled(arrival, lifetime)
    case .confirmed(let arrival, let lifetime): confirmed(arrival, lifetime)
    case .offeredOlder: offeredOlder()
    case .failed(let error, let outcome, let isAttempt): failed(error, outcome, isAttempt: isAttempt)
    case .sawLedger(let seen, let reader): sawLedger(seen, reader)
    case .sawAttempt(let seen): sawAttempt(seen)
    case .found(let files, let reader): found(files, reader)
    case .lookDue: lookDue()
    case .promotionDue: promotionDue()
    case .storageReplaced: storageReplaced()
    case .activate(let arrival, let origin): activate(arrival, origin)
    case .reset(let next, let start): reset(next, start)
    case .recomposed(let cause, let isVisible): recomposed(cause, isVisible: isVisible)
    case .verifiedPackaged(let image): verifiedPackaged(image)
    case .mute: mute()
    case .stored(let image, let slot): stored(image, slot)
    case .notStored(let isBusy): notStored(isBusy: isBusy)
    case .promoted(let result): promoted(result)
    case .published: published()
    case .storageFailed(let error): storageFailed(error)
    case .storageWorks(let problem): storageWorks(since: problem)
    }
  }
}

// MARK: Refreshes

extension SourceState {
  private mutating func attempted(_ nowMs: Int64, _ jitter: UInt32) -> SourceStep {
    ledger.lastAttemptMs = nowMs
    ledger.jitter = jitter
    return SourceStep()
  }

  private mutating func compiled(_ arrival: ArrivingImage, _ lifetime: ResponseLifetime) -> SourceStep {
    announcements.areLeftToOthers = false
    var next = ledger.succeeded(lifetime, arrival.image)
    next.floor = max(next.floor, arrival.image.version)
    guard activation == .immediate else {
      publication = Publication(
        .staged, .refreshed, .staged, arrival.image, next, clearsStaged: false, endsRefresh: true)
      return SourceStep(
        work: [.store(.arriving, .staged), .writeLedger, .compose(.arrivingStaged), .storeOverrides, .publish])
    }
    publication = Publication(
      .live(.fetched), .refreshed, .updated, arrival.image, next, arrival.experiments, endsRefresh: true)
    return SourceStep(
      work: [
        .endStoredOverrides(arrival.removedKeys), .store(.arriving, .live), .writeLedger, .compose(.arrivingLive),
        .storeOverrides, .publish,
      ])
  }

  /// Also stores an image that an earlier storage problem kept in memory.
  private mutating func confirmed(_ arrival: ArrivingImage, _ lifetime: ResponseLifetime) -> SourceStep {
    let isStored = !isNewestInMemoryOnly
    let slot = staged == nil ? ImageSlot.live : .staged
    publication = Publication(
      .confirmation, .refreshed, .unchanged, arrival.image, ledger.succeeded(lifetime, arrival.image),
      isStored || slot == .staged ? [] : arrival.experiments, clearsStaged: false, endsRefresh: true)
    return SourceStep(
      work: (isStored ? [] : [.store(.newest, slot)]) + [.writeLedger, .storeOverrides, .compose(.confirmed), .publish])
  }

  private mutating func offeredOlder() -> SourceStep {
    ledger.failures = 0
    problems.refresh = nil
    return SourceStep(notices: [.decide(.notNewer, nil), .event(.refreshed, .notNewer, nil)])
  }

  private mutating func failed(_ error: RemoraError, _ outcome: Outcome, isAttempt: Bool) -> SourceStep {
    if isAttempt { ledger.failures = min(ledger.failures, .max - 1) + 1 }
    problems.refresh = error
    return SourceStep(notices: [.decide(outcome, error), .event(.refreshed, outcome, error)])
  }
}

// MARK: The files

extension SourceState {
  private mutating func sawLedger(_ seen: SourceLedger, _ reader: FilesReader) -> SourceStep {
    if seen.stamp > ledger.stamp { return SourceStep(work: [.readFiles(reader)]) }
    return seen.epoch == ledger.epoch ? sawSuccess(seen) : SourceStep()
  }

  /// Records what other processes found out about the same data: a floor without an image, if packaged data was
  /// verified, and the server's confirmation.
  private mutating func sawSuccess(_ seen: SourceLedger) -> SourceStep {
    ledger.floor = max(ledger.floor, seen.floor)
    guard seen.generation == ledger.generation, seen.lastSuccessMs > ledger.lastSuccessMs else { return SourceStep() }
    var next = ledger
    (next.lastSuccessMs, next.freshUntilMs) = (seen.lastSuccessMs, seen.freshUntilMs)
    publication = Publication(
      .confirmation, nil, .unchanged, newest ?? live.image, next, clearsStaged: false, endsRefresh: false)
    return SourceStep(work: [.compose(.confirmed), .publish])
  }

  private mutating func sawAttempt(_ seen: SourceLedger) -> SourceStep {
    guard seen.epoch == ledger.epoch, seen.lastAttemptMs > ledger.lastAttemptMs else { return SourceStep() }
    ledger.lastAttemptMs = seen.lastAttemptMs
    if seen.lastSuccessMs >= ledger.lastSuccessMs {
      (ledger.lastSuccessMs, ledger.freshUntilMs) = (seen.lastSuccessMs, seen.freshUntilMs)
    }
    (ledger.jitter, ledger.failures) = (seen.jitter, seen.failures)
    return SourceStep()
  }

  private mutating func found(_ files: FoundFiles, _ reader: FilesReader) -> SourceStep {
    health = files.health
    // A live file that could not be read before is newer than the staged file that was to replace it.
    if let due = promotion, let image = files.newest, !files.isNewestStaged, image.stamp > due.image.stamp {
      promotion = nil
    }
    let isReset = files.ledger.epoch > ledger.epoch
    guard let image = files.newest, isReset || mayFollow(image) else {
      guard isReset else {
        // The files are of no use, and are read again only when newer. A lost ledger has no generation.
        ledger.generation = max(files.readGeneration, generation(of: files.newest))
        if files.ledger.epoch == ledger.epoch { ledger.floor = max(ledger.floor, files.ledger.floor) }
        // Until the newest image is stored, the problem that keeps it in memory stays.
        if !isNewestInMemoryOnly { problems.storage = files.problem }
        return SourceStep()
      }
      problems.storage = files.problem
      return startAgain(files.ledger, files.start)
    }
    problems.storage = files.problem
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

  private mutating func adopt(_ image: ImageFacts, _ files: FoundFiles, _ reader: FilesReader) -> SourceStep {
    announcements.areLeftToOthers = files.isNewestStaged
    isNewestInMemoryOnly = false
    let isImmediate = activation == .immediate
    publication = Publication(
      isImmediate ? .live(.fetched) : .staged, reader == .refresh ? .refreshed : .adopted,
      isImmediate ? .updated : .staged, image, files.ledger, clearsStaged: isImmediate, endsRefresh: reader == .refresh)
    return SourceStep(work: [.compose(isImmediate ? .arrivingLive : .arrivingStaged), .publish, .storeOverrides])
  }

  private func lookDue() -> SourceStep {
    SourceStep(work: health.isUnread ? [.readFiles(.look)] : [])
  }

  private mutating func promotionDue() -> SourceStep {
    guard let due = promotion else { return SourceStep() }
    promotion?.removedKeys = []
    // First, because once the file is live, it is unknown which keys it removed.
    return SourceStep(work: [.endStoredOverrides(due.removedKeys), .promote])
  }

  private mutating func promoted(_ result: PromotionResult) -> SourceStep {
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
      announcements.pending.add(experiments)
    } else {
      publication?.experiments.add(experiments)
    }
    return SourceStep()
  }

  /// Treats any image in the new directory as newer. An image in memory is stored there by the next refresh.
  private mutating func storageReplaced() -> SourceStep {
    ledger.generation = 0
    isNewestInMemoryOnly = (newest?.stamp.generation ?? 0) > 0
    return SourceStep()
  }

  private mutating func stored(_ image: ImageFacts, _ slot: ImageSlot) -> SourceStep {
    (problems.storage, problems.image) = (nil, nil)
    isNewestInMemoryOnly = false
    publication?.ledger.generation = image.stamp.generation
    if publication?.target != .confirmation { publication?.image = image }
    if slot == .live {
      health.isLiveDamaged = false
      announcements.areLeftToOthers = false
    }
    return SourceStep()
  }

  private mutating func notStored(isBusy: Bool) -> SourceStep {
    isNewestInMemoryOnly = true
    problems.image = problems.storage
    // The experiments are reported when the holder of the lock stores the same image, or when this process stores it
    // later.
    if isBusy { announcements.areLeftToOthers = true }
    if isBusy || publication?.target == .confirmation { publication?.experiments = [] }
    return SourceStep()
  }

  private mutating func storageFailed(_ error: RemoraError) -> SourceStep {
    problems.storage = error
    return SourceStep()
  }

  private mutating func storageWorks(since problem: RemoraError) -> SourceStep {
    guard problems.storage == problem else { return SourceStep() }
    problems.storage = isNewestInMemoryOnly ? problems.image : nil
    return SourceStep()
  }
}

// MARK: The host

extension SourceState {
  private mutating func activate(_ arrival: ArrivingImage, _ origin: Origin) -> SourceStep {
    promotion = PendingPromotion(ArrivingImage(arrival.image, experiments: arrival.experiments))
    publication = Publication(.live(origin), .activated, .updated, arrival.image, ledger, endsRefresh: false)
    return SourceStep(
      work: [.endStoredOverrides(arrival.removedKeys), .promote, .compose(.stagedLive), .publish, .storeOverrides])
  }

  private mutating func reset(_ next: SourceLedger, _ start: LiveData) -> SourceStep {
    problems.refresh = nil
    return startAgain(next, start)
  }

  /// Discards the fetched data.
  private mutating func startAgain(_ next: SourceLedger, _ start: LiveData) -> SourceStep {
    promotion = nil
    isNewestInMemoryOnly = false
    publication = Publication(.live(start.origin), .reset, .updated, start.image, next, endsRefresh: false)
    return SourceStep(work: [.compose(.start), .publish])
  }

  private mutating func recomposed(_ cause: Cause, isVisible: Bool) -> SourceStep {
    publication = Publication(
      .live(live.origin), isVisible ? cause : nil, .updated, live.image, ledger, clearsStaged: false,
      endsRefresh: false)
    return SourceStep(work: [.publish])
  }

  private mutating func verifiedPackaged(_ image: ImageFacts) -> SourceStep {
    var next = ledger
    next.floor = max(next.floor, image.version)
    publication = Publication(
      .live(live.origin), nil, .updated, image, next, clearsStaged: false, endsRefresh: false)
    return SourceStep(work: [.publish])
  }

  private mutating func mute() -> SourceStep {
    isMuted = true
    activation = .nextSetup
    return SourceStep()
  }
}

// MARK: Publication

extension SourceState {
  /// The only place where the live or the staged image changes.
  private mutating func published() -> SourceStep {
    guard let now = publication else { return SourceStep() }
    publication = nil
    ledger = now.ledger
    switch now.target {
    case .live(let origin): live = LiveData(now.image, origin)
    case .staged: staged = now.image
    case .confirmation: if staged == nil, live.origin == .cached { live.origin = .fetched }
    }
    if now.clearsStaged { staged = nil }
    announcements.pending.add(now.experiments)
    var step = SourceStep()
    if now.endsRefresh {
      problems.refresh = nil
      step.notices.append(.decide(now.outcome, nil))
    }
    if let cause = now.cause { step.notices.append(.event(cause, now.eventOutcome, nil)) }
    return step
  }
}
