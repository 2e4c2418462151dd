// SPDX-License-Identifier: Apache-2.0
//
// Passes inputs to a source's state, and does the resulting work in order, which ends with a publication.
// Invariant: nothing else changes what readers see: the live cell, and the snapshots with their adjustments. A test
// checks this.

/// Stores, composes and publishes what the state of a source decides.
final class SourcePublisher: SourcePart, Sendable {
  private struct PendingPublication {
    /// The refresh whose outcome is being determined.
    var run: PublishingRun?
    var arriving: AcceptedImage?
    /// The image of the publication, mapped from a file that this or another process stored.
    var mapped: Image?
    /// What takes the place of a rejected image.
    var rest: Image?
    var composed: ComposedSnapshot?
  }

  let core: SourceCore
  let composer: SourceComposer
  let files: SourceFiles
  private let overrides: OverridesStore
  private let pending = Confined(PendingPublication())

  init(_ core: SourceCore, _ overrides: OverridesStore, _ composition: Composition) {
    self.core = core
    self.overrides = overrides
    composer = SourceComposer(core, composition)
    files = SourceFiles(core)
  }

  /// Handles an input and does the resulting work; for a refresh, whose files' lock is used and whose result may be
  /// decided.
  ///
  /// - Returns: The outcome of the refresh, if its result became visible; or else, without a refresh, of an adoption.
  @discardableResult
  func carryOut(_ input: SourceInput, for run: PublishingRun? = nil, _ exclusive: Exclusive) -> Outcome? {
    carryOut(input, with: PendingPublication(run: run), exclusive)
  }

  /// Accepts the new image of a refresh. This is the only way in which the state learns of such an image, so the image
  /// is always available for storing and composing.
  func accept(
    _ image: AcceptedImage, _ lifetime: ResponseLifetime, for run: PublishingRun, _ exclusive: Exclusive
  ) -> Outcome? {
    let arrival = files.arrivingImage(of: image.image, isCompared: known.isLiveAtOnce, exclusive)
    return carryOut(
      .compiled(arrival, lifetime), with: PendingPublication(run: run, arriving: image), exclusive)
  }

  /// Handles an input that publishes a snapshot that was composed before.
  func show(_ composed: ComposedSnapshot, by input: SourceInput, _ exclusive: Exclusive) {
    carryOut(input, with: PendingPublication(composed: composed), exclusive)
  }

  /// Replaces rejected data by what an opening would choose without it.
  func reject(_ image: Image, _ exclusive: Exclusive) {
    lock.withLock { core.snapshots[exclusive, $0].rejected.append(image) }
    let found = files.find(exclusive)
    let isRejected = { [dialect] (snapshot: Snapshot?) in
      snapshot?.base.hasContent(of: image, by: dialect.versions) == true
    }
    let judged = FoundRejection(
      ImageFacts(image), isLive: isRejected(live(exclusive)), isStaged: isRejected(staged(exclusive)),
      rest: LiveData(ImageFacts(found.rest.image), found.rest.origin))
    carryOut(
      .reject(judged, found.facts.health), with: PendingPublication(rest: found.rest.image), exclusive)
  }

  @discardableResult
  private func carryOut(
    _ input: SourceInput, with publication: PendingPublication, _ exclusive: Exclusive
  ) -> Outcome? {
    pending[exclusive] = publication
    // An unpublished image must not stay mapped.
    defer { pending[exclusive] = PendingPublication() }
    return proceed(input, exclusive)
  }

  /// Handles an input of the publication in progress, and does the resulting work. Not inlined: the compiler would
  /// repeat the recursion through `perform` in every caller.
  @inline(never) @discardableResult
  private func proceed(_ input: SourceInput, _ exclusive: Exclusive) -> Outcome? {
    var outcome: Outcome?
    let run = pending[exclusive].run
    for work in lock.withLock({ core.apply(input, for: run, $0) }) { outcome = perform(work, exclusive) ?? outcome }
    return outcome
  }

  private func perform(_ work: SourceWork, _ exclusive: Exclusive) -> Outcome? {
    switch work {
    case .endStoredOverrides(let keys): overrides.end(keys, exclusive)
    case .store(.arriving, let slot): proceed(storeArriving(as: slot, exclusive), exclusive)
    case .store(.newest, let slot): proceed(storeNewest(as: slot, exclusive), exclusive)
    case .promote: proceed(.promoted(files.promote(exclusive)), exclusive)
    case .storeRejection: storeRejection(exclusive)
    case .readFiles(let reader): return adopt(files.find(exclusive), reader, exclusive)
    case .compose(let how): compose(how, exclusive)
    case .writeLedger: if let run = pending[exclusive].run { files.writeLedger(of: run, exclusive) }
    case .storeOverrides: overrides.write(withinMs: 0)
    case .publish: return publish(exclusive)
    }
    return nil
  }

  private func adopt(_ found: FilesContent, _ reader: FilesReader, _ exclusive: Exclusive) -> Outcome? {
    (pending[exclusive].mapped, pending[exclusive].rest) = (found.newest, found.rest.image)
    noteRejected(found, exclusive)
    return proceed(.found(found.facts, reader: reader), exclusive)
  }

  /// Notes the rejected image in the files, besides those whose rejection is not stored yet.
  private func noteRejected(_ found: FilesContent, _ exclusive: Exclusive) {
    let isReset = found.facts.ledger.epoch > ledger.epoch
    guard isReset || found.rejected != nil else { return }
    let pending = isReset || known.rejected?.isDue != true ? [] : core.snapshots[exclusive].rejected
    let others = pending.filter { $0.checksum != found.rejected?.checksum }
    lock.withLock { core.snapshots[exclusive, $0].rejected = others + [found.rejected].compactMap(\.self) }
  }

  // MARK: Storing

  private func storeRejection(_ exclusive: Exclusive) {
    guard let result = files.storeRejection(exclusive) else { return }
    lock.withLock { core.snapshots[exclusive, $0].rejected = result.image.map { [$0] } ?? [] }
    proceed(.rejectionStored(result.image.map(ImageFacts.init), seen: result.seen, stored: result.stored), exclusive)
  }

  /// Stores the image of the publication, which then uses the mapped file.
  private func storeArriving(as slot: ImageSlot, _ exclusive: Exclusive) -> SourceInput {
    guard let image = pending[exclusive].arriving else { return .notStored(isBusy: false) }
    return store(image, as: slot, exclusive) { stored in pending[exclusive].mapped = stored }
  }

  /// Stores the newest image, which an earlier problem kept in memory. The live snapshot keeps using the image in
  /// memory.
  private func storeNewest(as slot: ImageSlot, _ exclusive: Exclusive) -> SourceInput {
    let newest = newest(exclusive).flatMap { AcceptedImage($0, acceptedBefore: dialect) }
    guard let newest else { return .notStored(isBusy: false) }
    return store(newest, as: slot, exclusive) { _ in }
  }

  /// Stores an image. The publication continues on failure, and if another client or process holds the files' lock.
  ///
  /// - Parameter use: Receives the mapped file.
  private func store(
    _ image: AcceptedImage, as slot: ImageSlot, _ exclusive: Exclusive, use: (Image) -> Void
  ) -> SourceInput {
    guard core.usesStorage, let run = pending[exclusive].run else { return .notStored(isBusy: false) }
    do throws(RemoraError) {
      guard let filesLock = try files.currentLock(of: run, exclusive) else {
        let problem = run.files[exclusive].problem
        noteStorage(problem ?? .busyFiles, "the new settings are in memory until a later refresh stores them")
        return .notStored(isBusy: problem == nil)
      }
      // A staged file that is already live in this process must not be overwritten, and a rejected image must not
      // become the previous one.
      proceed(.promotionDue, exclusive)
      proceed(.rejectionDue, exclusive)
      // While an image is in memory only, the ledgers may not name what is stored: a commit of this process may have
      // failed at its last step, when the file already had its name, and another process may have failed to write.
      let newest = known.isNewestInMemoryOnly ? try files.newestStored(filesLock) : nil
      if let newest, dialect.versions.isBelow(image.image.metadata.version, floor: newest.version) {
        return .notStored(isBusy: false)
      }
      let stored = try files.commit(try successor(image, of: newest, exclusive), to: slot, filesLock)
      use(stored)
      return .stored(ImageFacts(stored), slot)
    } catch {
      noteStorage(error, "the new settings are kept in memory only")
      return .notStored(isBusy: false)
    }
  }

  /// Returns the image with a stamp after the stored ones, because another process may have stored an image since.
  private func successor(
    _ accepted: AcceptedImage, of newest: ImageFacts?, _ exclusive: Exclusive
  ) throws(RemoraError) -> AcceptedImage {
    let least = max(ledger.stamp, newest?.stamp ?? Stamp())
    guard ImageFacts(accepted.image).stamp <= least else { return accepted }
    return try accepted.restamped(
      epoch: least.epoch, generation: least.generation &+ 1, hashSeed: services.hashSeed)
  }

  // MARK: Composing and publishing

  /// Composes the snapshot of the publication. Its adjustments apply at once, because the work that stores the
  /// overrides comes before the work that publishes.
  private func compose(_ how: Composing, _ exclusive: Exclusive) {
    let now = pending[exclusive]
    let image = if case .restored = how { now.rest } else { now.mapped ?? now.arriving?.image }
    let composed = composer.compose(how, of: image, exclusive)
    pending[exclusive].composed = composed
    guard let next = composed?.adjustments else { return }
    let isChanged = core.snapshots[exclusive].adjustments.overrides != next.overrides
    adjust(to: next, exclusive) { locked in
      overrides.file[locked].noteRemoved(
        composed?.removedKeys ?? [], isChange: isChanged && options.persistsOverrides)
    }
  }

  /// Replaces the adjustments of the source. `note` records the change elsewhere, in the same hold of the engine lock.
  private func adjust(to next: Adjustments, _ exclusive: Exclusive, _ note: (Locked) -> Void) {
    lock.withLock { locked in
      core.snapshots[exclusive, locked].adjustments = next
      note(locked)
    }
  }

  /// Makes the publication visible: first for readers, then for code that takes the engine lock.
  private func publish(_ exclusive: Exclusive) -> Outcome? {
    guard let now = known.publication else { return nil }
    let run = pending[exclusive].run
    let snapshot = exchange(&pending[exclusive], PendingPublication(run: run)).composed?.snapshot
    assert(snapshot != nil || [.confirmation, .withoutStaged].contains(now.target), "a publication shows a snapshot")
    let (live, staged) = (live(exclusive), staged(exclusive))
    let goesLive = now.target.isLive(isStaged: staged != nil)
    if goesLive, let snapshot { core.cell.publish(snapshot) }
    lock.withLock { locked in
      if core.state[locked].data.rejected == nil { core.snapshots[exclusive, locked].rejected = [] }
      if now.clearsStaged { core.snapshots[exclusive, locked].staged = nil }
      if let snapshot {
        if goesLive {
          core.snapshots[exclusive, locked].live = snapshot
        } else {
          core.snapshots[exclusive, locked].staged = snapshot
        }
      }
      _ = core.apply(.published, since: live, for: run, locked)
    }
    withExtendedLifetime((live, staged)) {}
    return now.endsRefresh || (now.cause == .adopted && run == nil) ? now.outcome : nil
  }

  // MARK: A new context or override

  /// Composes all snapshots again, after the client's context has changed.
  func recompose(_ exclusive: Exclusive) {
    recomposeStaged(exclusive)
    let old = live(exclusive)
    let new = composer.recompose(exclusive)
    let isVisible = !old.hasSameValues(as: new.snapshot)
    guard isVisible || new.snapshot.filterFailures != old.filterFailures else { return }
    show(new, by: .recomposed(.context, isVisible: isVisible), exclusive)
  }

  /// Publishes a snapshot whose overrides differ from those of the live one. `note` records their change, in the same
  /// hold of the engine lock.
  func publish(overridden new: ComposedSnapshot, _ exclusive: Exclusive, _ note: (Locked) -> Void) {
    if let next = new.adjustments { adjust(to: next, exclusive, note) }
    // The staged snapshot first, because the event contains it too.
    recomposeStaged(exclusive)
    show(new, by: .recomposed(.override, isVisible: !live(exclusive).hasSameValues(as: new.snapshot)), exclusive)
  }

  /// Composes the staged snapshot again, after the adjustments or the context have changed.
  private func recomposeStaged(_ exclusive: Exclusive) {
    guard let old = staged(exclusive), let new = composer.recomposeStaged(exclusive) else { return }
    lock.withLock { locked in core.snapshots[exclusive, locked].staged = new.snapshot }
    withExtendedLifetime(old) {}
  }
}

extension Publication.Target {
  /// Whether the publication changes the live snapshot.
  fileprivate func isLive(isStaged: Bool) -> Bool {
    switch self {
    case .live: true
    case .staged, .withoutStaged: false
    case .confirmation: !isStaged
    }
  }
}
