// SPDX-License-Identifier: Apache-2.0
//
// A source and its files: storing, and adopting what another process stored; and publishing, which both share.

/// More seconds than this are as good as for ever.
private let longestMaxAge: Int64 = 1 << 31

extension Source {
  /// Stores an image and gives the one to publish or stage: the stored file's, or the compiled one when that failed.
  func store(_ compiled: Image, _ run: Run, as slot: ImageSlot, _ right: borrowing Exclusive) -> Image {
    guard usesStorage else { return compiled }
    do throws(RemoraError) {
      guard let filesLock = try currentLock(of: run, right) else {
        if run.isForced { noteStorage(.busyFiles, "the new settings are in memory until a later refresh stores them") }
        return compiled
      }
      // What is live here is not to be written over.
      settlePromotion(filesLock, right)
      if slot == .live {
        if isLiveDamaged { try filesLock.removeImage(.live) }
        isLiveDamaged = false
      }
      let stored = try Image(filesLock.commitImage(compiled.buffer.bytes, to: slot), trustingChecksum: true)
      if slot == .live { filesLock.removeOvertaken() }
      lock.withLock { _ in storageError = nil }
      return stored
    } catch {
      noteStorage(error, "the new settings are kept in memory only")
      return compiled
    }
  }

  /// Notes an attempt. It is written with what it came to, and at the latest when the run lets its files go.
  func noteAttempt(_ run: Run, nowMs: Int64, _ right: borrowing Exclusive) {
    lock.withLock { _ in
      ledger.lastAttemptMs = nowMs
      ledger.jitter = client.options.random()
    }
    run.work.set(right, \.owesAttempt, to: true)
  }

  /// Lets the files of a run go, with its attempt in the ledger.
  func letGoOfFiles(_ run: Run, _ right: borrowing Exclusive) {
    guard let filesLock = run.work.read(right, \.filesLock) else { return }
    if run.work.set(right, \.owesAttempt, to: false) {
      do throws(RemoraError) {
        try filesLock.writeLedger(ledger)
      } catch {
        noteStorage(error)
      }
    }
    // The last reference unlocks.
    run.work.set(right, \.filesLock, to: nil)
  }

  /// Notes a success in a ledger, and writes it.
  func note(
    success next: inout SourceLedger, of image: Image, _ run: Run, nowMs: Int64, _ right: borrowing Exclusive
  ) {
    let (maxAge, etag, filesLock) = run.work.with(right) { ($0.maxAge, $0.etag, $0.filesLock) }
    next.lastSuccessMs = nowMs
    next.freshUntilMs = maxAge.map { max(1, nowMs.addingClamped(min($0, longestMaxAge) * 1000)) } ?? 0
    if let etag {
      next.etag = etag.tag
      next.etagURL = etag.url
      next.etagImage = image.checksum
    }
    run.work.set(right, \.owesAttempt, to: false)
    do throws(RemoraError) {
      try filesLock?.writeLedger(next)
    } catch {
      noteStorage(error)
    }
    // Those of an earlier identity, and what a full disk kept in memory.
    storeOverrides(patienceMs: 0)
  }

  /// Remembers and logs a storage failure.
  func noteStorage(_ error: RemoraError, _ consequence: StaticString = "the settings in memory are not affected") {
    note(.warning, "\(error.message); \(consequence)")
    lock.withLock { _ in storageError = error }
  }

  /// Makes a snapshot live and queues the event of it, if there is one.
  func publish(
    _ snapshot: Snapshot, _ next: SourceLedger, _ right: borrowing Exclusive,
    _ event: (Snapshot, Snapshot, borrowing Locked) -> Event?
  ) {
    cell.publish(snapshot)
    firstRequest = nil
    let old = lock.withLock { locked in
      let old = live
      live = snapshot
      ledger = next
      if let event = event(old, snapshot, locked) { notify(event, locked) }
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Counts the newest cached data as fetched, because the server has confirmed it. Returns the snapshot to publish;
  /// nil when the live one does not change.
  func confirmNewest(_ right: borrowing Exclusive) -> Snapshot? {
    guard let waiting = staged else { return live.confirmed }
    lock.withLock { _ in staged = waiting.confirmed ?? waiting }
    return nil
  }

  /// Notes what others found out about the same data: a floor without an image, where packaged data was verified, and the
  /// server's confirmation.
  private func noteSuccess(ofOthers stored: SourceLedger, _ right: borrowing Exclusive) {
    if stored.floor > ledger.floor { lock.withLock { _ in ledger.floor = stored.floor } }
    guard stored.generation == ledger.generation, stored.lastSuccessMs > ledger.lastSuccessMs else { return }
    var next = ledger
    (next.lastSuccessMs, next.freshUntilMs) = (stored.lastSuccessMs, stored.freshUntilMs)
    if let confirmed = confirmNewest(right) {
      publish(confirmed, next, right) { _, _, _ in nil }
    } else {
      lock.withLock { _ in ledger = next }
    }
  }

  /// Adopts what another client or process stored since, and queues the event of it: the outcome of `run`, if that
  /// waited for it. Returns that outcome; nil if there was no newer image.
  @discardableResult
  func adopt(for run: Run? = nil, _ right: borrowing Exclusive) -> Outcome? {
    guard let storage else { return nil }
    beginInNewStorage(right)
    let newest = storage.readLedger(name)
    guard (newest.epoch, newest.generation) > (ledger.epoch, ledger.generation) else {
      if newest.epoch == ledger.epoch { noteSuccess(ofOthers: newest, right) }
      return nil
    }
    let stored = StoredState(of: dialect.identity, name, in: storage)
    isLiveDamaged = stored.isLiveDamaged
    if let problem = stored.problem { noteStorage(problem) } else { lock.withLock { _ in storageError = nil } }
    let isReset = stored.ledger.epoch > ledger.epoch
    guard let image = stored.newest, isReset || !dialect.versions.isBelow(image.metadata.version, floor: ledger.floor)
    else {
      guard isReset else {
        // Looked at and of no use: not again before there is something newer.
        lock.withLock { _ in ledger.generation = newest.generation }
        return nil
      }
      startAgain(stored.ledger, right)
      return nil
    }
    // The same seed, taken over here while another process did that.
    if image.checksum == self.newest?.checksum {
      lock.withLock { _ in ledger = stored.ledger }
      return nil
    }
    // What was live until the reset must not wait for an activation to go.
    if isReset, activation != .immediate { startAgain(stored.ledger, right) }
    isLiveUntold = image === stored.staged
    let cause = run == nil ? Cause.adopted : .refreshed
    let outcome = take(composeNext(image, right), stored.ledger, cause, right) { [self] outcome, locked in
      guard let run else { return }
      lastError = nil
      run.state.set(locked, \.result, to: RefreshResult(outcome))
    }
    // Those of a key that it removed are gone.
    storeOverrides(patienceMs: 0)
    return outcome
  }

  /// The once-a-second look; not while a run of this source holds the files. Returns what it came to, as `adopt`.
  @discardableResult
  func adoptIfNewer(_ right: borrowing Exclusive) -> Outcome? {
    lock.withLock { _ in runs.isEmpty && !isEnded } ? adopt(right) : nil
  }
}
