// SPDX-License-Identifier: Apache-2.0
//
// When a fetched image becomes the live one. Until then it is staged: kept beside the live one, in memory and on disk,
// and what the next refresh asks and merges over.

/// When a fetched image becomes the live one; raw values are those of the header.
package enum Activation: Int32, Sendable {
  /// At once.
  case immediate = 1
  /// When the source is opened by another client.
  case nextSetup
  /// When the host says so.
  case manual
}

extension Source {
  /// The newest data; nil while there is none.
  var newest: Image? { staged?.base ?? (live.origin == .none ? nil : live.base) }

  /// The snapshot of a newer image, for `take`.
  func composeNext(_ image: Image, _ right: borrowing Exclusive) -> Snapshot {
    activation == .immediate ? compose(successor: image, right) : compose(image, .fetched, right)
  }

  /// Makes what was composed live or stages it, as the activation says, and queues the event of it. `atOnce` is called
  /// with the outcome when that becomes visible.
  @discardableResult
  func take(
    _ snapshot: Snapshot, _ next: SourceLedger, _ cause: Cause, bringing experiments: [ExperimentID] = [],
    _ right: borrowing Exclusive, atOnce: (Outcome, borrowing Locked) -> Void = { _, _ in }
  ) -> Outcome {
    guard activation == .immediate else {
      stage(snapshot, next, cause, right, atOnce: atOnce)
      return .staged
    }
    publish(snapshot, next, right) { [self] old, new, locked in
      staged = nil
      untoldExperiments.add(experiments)
      atOnce(.updated, locked)
      guard cause == .refreshed else { return Event(cause, old: old, new: new) }
      return Event(cause, .updated, old: old, new: new, storageError: storageError)
    }
    return .updated
  }

  private func stage(
    _ snapshot: Snapshot, _ next: SourceLedger, _ cause: Cause, _ right: borrowing Exclusive,
    atOnce: (Outcome, borrowing Locked) -> Void
  ) {
    firstRequest = nil
    let old = lock.withLock { locked in
      let old = staged
      staged = snapshot
      ledger = next
      atOnce(.staged, locked)
      notify(Event(cause, .staged, old: live, new: live, storageError: storageError), locked)
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Composes what is staged anew, after the layers or the context have changed.
  func recomposeStaged(_ right: borrowing Exclusive) {
    guard let old = staged else { return }
    let new = compose(old.base, old.origin, right)
    lock.withLock { _ in staged = new }
    withExtendedLifetime(old) {}
  }

  /// Makes the staged image live, in this process and for those that open the source from now on.
  ///
  /// - Returns: `.updated`; `.unchanged` when none is staged.
  /// - Throws: `.closed`.
  package func activate() throws(RemoraError) -> Outcome {
    try runtime.worker.perform { right throws(RemoraError) in
      let (staged, runs) = try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        return (self.staged, self.runs)
      }
      guard let staged else { return .unchanged }
      endStoredOverrides(dialect.updates.removedKeys(in: staged.base, after: live.base), right)
      owedPromotion = OwedPromotion(
        image: staged.base, experiments: dialect.newExperiments(in: staged.base, since: live.base), removedKeys: [])
      let experiments = promote(runs.heldFiles(right), right)
      // Busy files are asked for again by the worker.
      if owedPromotion != nil { lock.withLock { try? runtime.startWorker($0) } }
      publish(compose(successor: staged, right), ledger, right) { [self] old, new, _ in
        self.staged = nil
        untoldExperiments.add(experiments)
        return Event(.activated, old: old, new: new, storageError: storageError)
      }
      storeOverrides(patienceMs: 0)
      return .updated
    }
  }

  /// Makes the staged file the live one, if it still is the image that became live here. With the right to the files,
  /// if the caller has it; while another process has it, nothing happens, and a later call tries again.
  func settlePromotion(_ held: SourceLock?, _ right: borrowing Exclusive) {
    guard let owed = owedPromotion else { return }
    // First: once it is the live one, nobody knows any more what it removed.
    owedPromotion?.removedKeys = []
    endStoredOverrides(owed.removedKeys, right)
    let experiments = promote(held, right)
    lock.withLock { _ in untoldExperiments.add(experiments) }
  }

  /// The same; returns what is to be announced, if it was done here.
  private func promote(_ held: SourceLock?, _ right: borrowing Exclusive) -> [ExperimentID] {
    guard let owed = owedPromotion else { return [] }
    let image = owed.image
    do throws(RemoraError) {
      guard let storage = try requireStorage() else {
        owedPromotion = nil
        return owed.experiments
      }
      let taken = held == nil ? try storage.tryLock(name) : nil
      guard let filesLock = held ?? taken else { return [] }
      defer { taken?.unlock() }
      owedPromotion = nil
      // When there is none, it was never stored; or it was promoted, reset or overtaken in the meantime.
      guard let staged = try storedImage(.staged, in: storage) else {
        return image.metadata.generation > ledger.generation ? owed.experiments : []
      }
      if isLiveDamaged { try filesLock.removeImage(.live) }
      isLiveDamaged = false
      if staged.checksum == image.checksum {
        try filesLock.promoteStaged()
      } else if try isBetween(image, staged, in: storage) {
        _ = try filesLock.commitImage(image.buffer.bytes, to: .live)
      } else {
        return []
      }
    } catch {
      owedPromotion = nil
      noteStorage(error, "what was activated is staged again at the next open")
    }
    return owed.experiments
  }

  /// Whether another process staged a newer image over this one, which is still newer than the live one.
  private func isBetween(_ image: Image, _ staged: Image, in storage: StorageDirectory) throws(RemoraError) -> Bool {
    let (mine, next) = (image.metadata, staged.metadata)
    guard mine.epoch == next.epoch, mine.generation < next.generation else { return false }
    guard let live = try storedImage(.live, in: storage)?.metadata else { return true }
    return (live.epoch, live.generation) < (mine.epoch, mine.generation)
  }

  func storedImage(_ slot: ImageSlot, in storage: StorageDirectory) throws(RemoraError) -> Image? {
    guard let buffer = try storage.readImage(name, slot) else { return nil }
    return try Image(buffer, trustingChecksum: true)
  }

  /// From now on nothing becomes live by itself in this client, and no subscriber is told of anything; what is fetched
  /// is stored. When this returns no event's callback is running, unless the caller is inside a callback.
  ///
  /// - Throws: `.closed`.
  package func stopListening() throws(RemoraError) {
    let (muted, dropped) = try runtime.worker.perform { _ throws(RemoraError) in
      try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        client.state.with(locked) { _ = $0.silenced.insert(name) }
        activation = .nextSetup
        isMuted = true
        let muted = subscriptions.map(\.subscription)
        return (muted, muted.flatMap { client.delivery.drop(of: $0, locked) })
      }
    }
    withExtendedLifetime(dropped) {}
    // After the job: a callback may be waiting for the worker.
    lock.withLock { locked in
      guard !runtime.isInsideCallback(locked) else { return }
      for subscription in muted { client.delivery.waitForCallback(of: ObjectIdentifier(subscription), locked) }
    }
  }
}
