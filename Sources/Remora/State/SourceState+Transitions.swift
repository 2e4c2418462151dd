// SPDX-License-Identifier: Apache-2.0
//
// The transitions of a source's state. There is one entry point: each input changes the state, and returns
// the work and the notices. `SourceState+Files.swift` has the transitions that concern the files.

extension SourceState {
  /// Handles an input.
  package mutating func handle(_ input: SourceInput) -> SourceStep {
    switch input {
    case .attempted(let nowMs, let jitter): attempted(nowMs, jitter)
    case .compiled(let arrival, let lifetime): compiled(arrival, lifetime)
    case .confirmed(let arrival, let lifetime): confirmed(arrival, lifetime)
    case .offeredNotNewer: offeredNotNewer()
    case .failed(let error, let outcome, let isAttempt): failed(error, outcome, isAttempt: isAttempt)
    case .sawLedger(let seen, let reader): sawLedger(seen, reader)
    case .sawAttempt(let seen): sawAttempt(seen)
    case .found(let files, let reader): found(files, reader)
    case .lookDue: lookDue()
    case .promotionDue: promotionDue()
    case .rejectionDue: rejectionDue()
    case .storageReplaced: storageReplaced()
    case .activate(let arrival, let origin): activate(arrival, origin)
    case .reset(let next, let start): reset(next, start)
    case .reject(let judged, let health): reject(judged, health)
    case .recomposed(let cause, let isVisible): recomposed(cause, isVisible: isVisible)
    case .verifiedPackaged(let image): verifiedPackaged(image)
    case .mute: mute()
    case .stored(let image, let slot): stored(image, slot)
    case .notStored(let isBusy): notStored(isBusy: isBusy)
    case .promoted(let result): promoted(result)
    case .rejectionStored(let image, let seen, let stored): rejectionStored(image, seen: seen, stored: stored)
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
    pendingExperiments.areLeftToOthers = false
    var next = ledger.succeeded(lifetime, arrival.image)
    next.floor = max(next.floor, arrival.image.version)
    guard isLiveAtOnce else {
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

  /// Whether a new image becomes live without an activation. A source that has no data at all does not wait for the
  /// next setup, because its host would run on its defaults until then.
  var isLiveAtOnce: Bool { activation == .immediate || activation == .nextSetup && newest == nil && !isMuted }

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

  private mutating func offeredNotNewer() -> SourceStep {
    ledger.failures = 0
    problems.refresh = nil
    return SourceStep(notices: [.decide(.notNewer, nil), .event(.refreshed, .notNewer, nil)])
  }

  private mutating func failed(_ error: RemoraError, _ outcome: Outcome, isAttempt: Bool) -> SourceStep {
    // While a server still offers what was rejected, requests follow at the usual interval.
    if error.code == .rejected {
      ledger.failures = 0
    } else if isAttempt {
      ledger.failures = min(ledger.failures, .max - 1) + 1
    }
    problems.refresh = error
    return SourceStep(notices: [.decide(outcome, error), .event(.refreshed, outcome, error)])
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
    rejected = nil
    return startAgain(next, start)
  }

  mutating func startAgain(_ next: SourceLedger, _ start: LiveData) -> SourceStep {
    // The image that could not be stored is discarded too.
    if problems.storage == problems.image { problems.storage = nil }
    problems.image = nil
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
    case .withoutStaged: break
    case .confirmation: if staged == nil, live.origin == .cached { live.origin = .fetched }
    }
    if now.clearsStaged { staged = nil }
    pendingExperiments.ids.add(now.experiments)
    var step = SourceStep()
    if now.endsRefresh {
      problems.refresh = nil
      step.notices.append(.decide(now.outcome, nil))
    }
    if let cause = now.cause { step.notices.append(.event(cause, now.eventOutcome, nil)) }
    return step
  }
}
