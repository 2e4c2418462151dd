// SPDX-License-Identifier: Apache-2.0
//
// The shell of a source's state: it passes inputs to the state, and does the resulting work in order. Only the shell
// changes the live snapshot.

/// The shell of a source's state.
final class SourceShell: SourcePart, Sendable {
  /// The data of the publication in progress.
  private struct Desk {
    /// The refresh whose outcome is being determined.
    var run: RefreshRun?
    /// The image of the refresh.
    var arriving: AcceptedImage?
    /// The image of the publication, mapped from a file that this or another process stored.
    var mapped: Image?
    /// The snapshot of the publication.
    var candidate: Candidate?
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

  /// Handles an input and does the resulting work.
  ///
  /// - Returns: The outcome of the refresh, if its result became visible; or else, without a refresh, of an adoption.
  @discardableResult
  func carryOut(_ input: SourceInput, _ right: Exclusive) -> Outcome? {
    var outcome: Outcome?
    let run = desk[right].run
    for work in lock.withLock({ core.apply(input, for: run, $0) }) { outcome = perform(work, right) ?? outcome }
    return outcome
  }

  /// Handles an input for a refresh, whose files' lock is used and whose result may be decided.
  @discardableResult
  func carryOut(_ input: SourceInput, for run: RefreshRun?, _ right: Exclusive) -> Outcome? {
    carryOut(input, bringing: nil, for: run, right)
  }

  /// Handles the new image of a refresh. This is the only way in which the state learns of such an image, so the image
  /// is always available for storing and composing.
  func carryOut(
    _ image: AcceptedImage, _ lifetime: ResponseLifetime, for run: RefreshRun, _ right: Exclusive
  ) -> Outcome? {
    let arrival = files.arrivingImage(of: image.image, isCompared: known.activation == .immediate, right)
    return carryOut(.compiled(arrival, lifetime), bringing: image, for: run, right)
  }

  private func carryOut(
    _ input: SourceInput, bringing image: AcceptedImage?, for run: RefreshRun?, _ right: Exclusive
  ) -> Outcome? {
    desk.with(right) { ($0.run, $0.arriving, $0.mapped) = (run, image, nil) }
    // An unpublished image must not stay mapped.
    defer { desk.with(right) { ($0.run, $0.arriving, $0.mapped) = (nil, nil, nil) } }
    return carryOut(input, right)
  }

  /// Handles an input that publishes a snapshot that was composed before.
  func show(_ candidate: Candidate, by input: SourceInput, _ right: Exclusive) {
    desk[right].candidate = candidate
    carryOut(input, right)
  }

  private func perform(_ work: SourceWork, _ right: Exclusive) -> Outcome? {
    switch work {
    case .endStoredOverrides(let keys): overrides.end(keys, right)
    case .store(.arriving, let slot): carryOut(storeArriving(as: slot, right), right)
    case .store(.newest, let slot): carryOut(storeNewest(as: slot, right), right)
    case .promote: carryOut(.promoted(files.promote(for: desk[right].run, right)), right)
    case .readFiles(let reader):
      let (found, image) = files.find()
      desk[right].mapped = image
      return carryOut(.found(found, reader: reader), right)
    case .compose(let how):
      let image = desk.with(right) { $0.mapped ?? $0.arriving?.image }
      let candidate = composer.compose(how, of: image, right)
      desk[right].candidate = candidate
    case .writeLedger: if let run = desk[right].run { files.writeLedger(of: run, right) }
    case .storeOverrides: overrides.write(withinMs: 0)
    case .publish: return publish(right)
    }
    return nil
  }

  // MARK: Storing

  /// Stores the image of the publication, which then uses the mapped file.
  private func storeArriving(as slot: ImageSlot, _ right: Exclusive) -> SourceInput {
    guard let image = desk[right].arriving else { return .notStored(isBusy: false) }
    return store(image, as: slot, right) { stored in desk[right].mapped = stored }
  }

  /// Stores the newest image, which an earlier problem kept in memory. The live snapshot keeps using the image in
  /// memory.
  private func storeNewest(as slot: ImageSlot, _ right: Exclusive) -> SourceInput {
    let newest = newest(right).flatMap { AcceptedImage($0, acceptedBefore: dialect) }
    guard let newest else { return .notStored(isBusy: false) }
    return store(newest, as: slot, right) { _ in }
  }

  /// Stores an image. The publication continues on failure, and if another client or process holds the files' lock.
  ///
  /// - Parameter use: Receives the mapped file.
  private func store(
    _ image: AcceptedImage, as slot: ImageSlot, _ right: Exclusive, use: (Image) -> Void
  ) -> SourceInput {
    guard core.usesStorage, let run = desk[right].run else { return .notStored(isBusy: false) }
    do throws(RemoraError) {
      guard let filesLock = try files.currentLock(of: run, right) else {
        let problem = run.work[right].filesProblem
        noteStorage(problem ?? .busyFiles, "the new settings are in memory until a later refresh stores them")
        return .notStored(isBusy: problem == nil)
      }
      // A staged file that is already live in this process must not be overwritten.
      carryOut(.promotionDue, right)
      let stored = try files.commit(try successor(image, right), to: slot, filesLock)
      use(stored)
      return .stored(ImageFacts(stored), slot)
    } catch {
      noteStorage(error, "the new settings are kept in memory only")
      return .notStored(isBusy: false)
    }
  }

  /// Returns the image with a stamp after the stored ones, because another process may have stored an image since.
  private func successor(
    _ accepted: AcceptedImage, _ right: Exclusive
  ) throws(RemoraError) -> AcceptedImage {
    let ledger = ledger
    guard ImageFacts(accepted.image).stamp <= ledger.stamp else { return accepted }
    return try accepted.restamped(
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: services.hashSeed)
  }

  // MARK: Publishing

  /// Makes the publication visible: first for readers, then for code that takes the lock.
  private func publish(_ right: Exclusive) -> Outcome? {
    guard let now = known.publication else { return nil }
    let run = desk[right].run
    let snapshot = exchange(&desk[right], Desk(run: run)).candidate?.snapshot
    assert(snapshot != nil || now.target == .confirmation, "a publication shows a snapshot")
    let (live, staged) = (live(right), staged(right))
    let goesLive = now.target.isLive(isStaged: staged != nil)
    if goesLive, let snapshot { core.cell.publish(snapshot) }
    lock.withLock { locked in
      if now.clearsStaged { core.snapshots[right, locked].staged = nil }
      if let snapshot {
        if goesLive {
          core.snapshots[right, locked].live = snapshot
        } else {
          core.snapshots[right, locked].staged = snapshot
        }
      }
      _ = core.apply(.published, since: live, for: run, locked)
    }
    withExtendedLifetime((live, staged)) {}
    return now.endsRefresh || (now.cause == .adopted && run == nil) ? now.outcome : nil
  }
}

extension Publication.Target {
  /// Whether the publication changes the live snapshot.
  fileprivate func isLive(isStaged: Bool) -> Bool {
    switch self {
    case .live: true
    case .staged: false
    case .confirmation: !isStaged
    }
  }
}

// Composes the live snapshot again after the client's context or the overrides have changed.

extension SourceShell {
  /// Composes all snapshots again, after the client's context has changed.
  func recompose(_ right: Exclusive) {
    composer.recomposeStaged(right)
    let old = live(right)
    let new = composer.recompose(right)
    let isVisible = !old.hasSameValues(as: new.snapshot)
    guard isVisible || new.snapshot.filterFailures != old.filterFailures else { return }
    show(new, by: .recomposed(.context, isVisible: isVisible), right)
  }

  /// Publishes a snapshot whose overrides differ from those of the live one.
  func publish(overridden new: Candidate, _ right: Exclusive) {
    // The staged snapshot first, because the event contains it too.
    composer.recomposeStaged(right)
    show(new, by: .recomposed(.override, isVisible: !live(right).hasSameValues(as: new.snapshot)), right)
  }
}
