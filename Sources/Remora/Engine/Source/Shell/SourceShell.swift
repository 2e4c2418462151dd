// SPDX-License-Identifier: Apache-2.0
//
// The shell around the state of a source: it takes inputs to the state, and does the work that follows, in order. It alone
// changes what is live.

/// The shell around the state of a source.
final class SourceShell: SourcePart, Sendable {
  /// What the publication under way works with.
  private struct Desk {
    /// The refresh whose outcome is worked out.
    var run: RefreshRun?
    /// The image that a refresh brings.
    var arriving: AcceptedImage?
    /// The image of the publication where it is mapped from a file: it was stored, here or by another process.
    var mapped: Image?
    /// The snapshot of the publication.
    var candidate: Snapshot?
  }

  let core: SourceCore
  let composer: SourceComposer
  let files: SourceFiles
  private let overrides: OverridesStore
  private let desk = Confined(Desk())

  init(_ core: SourceCore, _ overrides: OverridesStore, _ composition: Composition) {
    self.core = core
    self.overrides = overrides
    composer = SourceComposer(core, overrides, composition)
    files = SourceFiles(core: core)
  }

  /// Handles an input and does the work that follows.
  ///
  /// - Returns: What a refresh or an adoption came to, if it became visible.
  @discardableResult
  func carryOut(_ input: SourceInput, _ right: borrowing Exclusive) -> Outcome? {
    var outcome: Outcome?
    let run = desk.read(right, \.run)
    for work in lock.withLock({ core.apply(input, for: run, $0) }) { outcome = perform(work, right) ?? outcome }
    return outcome
  }

  /// Handles an input for a refresh, whose files it uses and whose result it may decide.
  @discardableResult
  func carryOut(_ input: SourceInput, for run: RefreshRun?, _ right: borrowing Exclusive) -> Outcome? {
    carryOut(input, bringing: nil, for: run, right)
  }

  /// Handles the image that a refresh brings. Only here the state learns of such an image, so that the image is always
  /// there to be stored and composed.
  func carryOut(
    _ image: AcceptedImage, _ lifetime: AnswerLifetime, for run: RefreshRun, _ right: borrowing Exclusive
  ) -> Outcome? {
    let arrival = files.arrivingImage(of: image.image, isCompared: known.activation == .immediate, right)
    return carryOut(.compiled(arrival, lifetime), bringing: image, for: run, right)
  }

  private func carryOut(
    _ input: SourceInput, bringing image: AcceptedImage?, for run: RefreshRun?, _ right: borrowing Exclusive
  ) -> Outcome? {
    desk.with(right) { ($0.run, $0.arriving, $0.mapped) = (run, image, nil) }
    // An image that was not published must not stay mapped.
    defer { desk.with(right) { ($0.run, $0.arriving, $0.mapped) = (nil, nil, nil) } }
    return carryOut(input, right)
  }

  /// Handles an input whose publication shows a snapshot that was composed before.
  func show(_ snapshot: Snapshot, by input: SourceInput, _ right: borrowing Exclusive) {
    desk.set(right, \.candidate, to: snapshot)
    carryOut(input, right)
  }

  private func perform(_ work: SourceWork, _ right: borrowing Exclusive) -> Outcome? {
    switch work {
    case .endStoredOverrides(let keys): overrides.end(keys, right)
    case .store(.arriving, let slot): carryOut(storeArriving(as: slot, right), right)
    case .store(.newest, let slot): carryOut(storeNewest(as: slot, right), right)
    case .promote: carryOut(.promoted(files.promote(for: desk.read(right, \.run), right)), right)
    case .readFiles(let reader):
      let (found, image) = files.find()
      desk.set(right, \.mapped, to: image)
      return carryOut(.found(found, reader: reader), right)
    case .compose(let how):
      let image = desk.with(right) { $0.mapped ?? $0.arriving?.image }
      let snapshot = composer.compose(how, of: image, right)
      desk.set(right, \.candidate, to: snapshot)
    case .writeLedger: if let run = desk.read(right, \.run) { files.writeLedger(of: run, right) }
    case .storeOverrides: overrides.write(patienceMs: 0)
    case .publish: return publish(right)
    }
    return nil
  }

  // MARK: Storing

  /// Stores the image of the publication; from then on the publication is of the mapped file.
  private func storeArriving(as slot: ImageSlot, _ right: borrowing Exclusive) -> SourceInput {
    guard let image = desk.read(right, \.arriving) else { return .notStored(isBusy: false) }
    return store(image, as: slot, right) { stored in desk.with(right) { $0.mapped = stored } }
  }

  /// Stores the newest image, which an earlier problem kept in memory. What is live stays the image in memory.
  private func storeNewest(as slot: ImageSlot, _ right: borrowing Exclusive) -> SourceInput {
    let newest = newest(right).flatMap { AcceptedImage($0, acceptedBefore: dialect) }
    guard let newest else { return .notStored(isBusy: false) }
    return store(newest, as: slot, right) { _ in }
  }

  /// Stores an image. Neither a failure nor another client or process that has the files stops a publication.
  ///
  /// - Parameter use: Receives the mapped file.
  private func store(
    _ image: AcceptedImage, as slot: ImageSlot, _ right: borrowing Exclusive, use: (Image) -> Void
  ) -> SourceInput {
    guard core.usesStorage, let run = desk.read(right, \.run) else { return .notStored(isBusy: false) }
    do throws(RemoraError) {
      guard let filesLock = try files.currentLock(of: run, right) else {
        let problem = run.work.read(right, \.filesProblem)
        noteStorage(problem ?? .busyFiles, "the new settings are in memory until a later refresh stores them")
        return .notStored(isBusy: problem == nil)
      }
      // What is live here is not to be written over.
      carryOut(.promotionDue, right)
      let stored = try files.commit(try successor(image, right), to: slot, filesLock)
      use(stored)
      return .stored(ImageFacts(stored), slot)
    } catch {
      noteStorage(error, "the new settings are kept in memory only")
      return .notStored(isBusy: false)
    }
  }

  /// The image as one that comes after what the storage has: another process may have stored an image since.
  private func successor(
    _ accepted: AcceptedImage, _ right: borrowing Exclusive
  ) throws(RemoraError) -> AcceptedImage {
    let ledger = ledger
    guard ImageFacts(accepted.image).stamp <= ledger.stamp else { return accepted }
    return try accepted.restamped(
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: services.hashSeed)
  }

  // MARK: Publishing

  /// Makes the publication visible: for readers first, and then for everybody who takes the lock.
  private func publish(_ right: borrowing Exclusive) -> Outcome? {
    guard let now = known.publication else { return nil }
    let (candidate, run) = desk.with(right) { desk in
      defer { (desk.candidate, desk.arriving, desk.mapped) = (nil, nil, nil) }
      return (desk.candidate, desk.run)
    }
    assert(candidate != nil || now.target == .confirmation, "a publication shows a snapshot")
    let goesLive = now.target.isLive(isStaged: staged(right) != nil)
    if goesLive, let candidate { core.cell.publish(candidate) }
    let replaced = lock.withLock { locked in
      let replaced = core.snapshots.change(right, locked) { shown in
        let replaced = (live: shown.live, staged: shown.staged)
        if now.clearsStaged { shown.staged = nil }
        if let candidate {
          if goesLive { shown.live = candidate } else { shown.staged = candidate }
        }
        return replaced
      }
      _ = core.apply(.published, since: replaced.live, for: run, locked)
      return replaced
    }
    withExtendedLifetime(replaced) {}
    return now.cause == .refreshed || now.cause == .adopted ? now.outcome : nil
  }
}

extension Publication.Target {
  /// Whether it changes what is live, beside something that is staged or nothing.
  fileprivate func isLive(isStaged: Bool) -> Bool {
    switch self {
    case .live: true
    case .staged: false
    case .confirmation: !isStaged
    }
  }
}
