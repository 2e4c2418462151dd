// SPDX-License-Identifier: Apache-2.0
//
// What a storage directory holds of a source. The images are the truth; the ledger is a hint, and rebuilt from them.

/// A seed that was newer than what is stored.
struct TakenSeed {
  let version: Int64
  /// Whether nothing was there before.
  let isFirst: Bool
  /// Whether its image is stored now.
  fileprivate(set) var isStored = false
}

/// A source as it was stored.
struct StoredState {
  /// The newest image that was made live and passes its checks.
  private(set) var image: Image?
  /// A newer one that waits for its activation.
  private(set) var staged: Image?
  /// The ledger, corrected by the images.
  private(set) var ledger: SourceLedger
  /// Why an image could not be used.
  private(set) var problem: RemoraError?
  /// Whether that was the live one.
  private(set) var isLiveDamaged = false
  /// The seed that was taken over, if one was.
  private(set) var seed: TakenSeed?
  /// Why a seed was not, or only for this process.
  private(set) var seedProblem: RemoraError?

  /// The newest image.
  var newest: Image? { staged ?? image }

  /// Reads the live image, or the previous one where a crash or damage took the live one; and the staged one.
  init(of identity: String, _ name: StorageName, in storage: StorageDirectory?) {
    ledger = storage?.readLedger(name) ?? SourceLedger()
    guard let storage else { return }
    do throws(RemoraError) {
      image = try read(.live, of: identity, name, in: storage)
    } catch {
      problem = error
      isLiveDamaged = true
    }
    if image == nil {
      do throws(RemoraError) {
        image = try read(.previous, of: identity, name, in: storage)
      } catch {
        problem = problem ?? error
      }
    }
    do throws(RemoraError) {
      staged = try read(.staged, of: identity, name, in: storage)
    } catch {
      problem = problem ?? error
    }
    // A live one overtook it, and a crash left it where it was; or a reset forgot one of them.
    if let live = image?.metadata, let next = staged?.metadata {
      let isNewer = (next.epoch, next.generation) > (live.epoch, live.generation)
      if !isNewer { staged = nil } else if next.epoch > live.epoch { image = nil }
    }
    guard let metadata = newest?.metadata else { return }
    if metadata.epoch > ledger.epoch {
      ledger = SourceLedger()
      ledger.epoch = metadata.epoch
    }
    ledger.generation = max(ledger.generation, metadata.generation)
    ledger.floor = max(ledger.floor, metadata.version)
  }

  /// Reads it all for an opening, earlier identities included, and takes over a seed.
  init(opening dialect: any Dialect, _ name: StorageName, in storage: StorageDirectory?, nowMs: Int64) {
    // Before the images: who takes it over elsewhere stores its image before it goes.
    let seed = storage.flatMap { StoredSeed(of: dialect, name, in: $0) }
    // While it is busy, the seed is live in this process and stored by another opening.
    let files = Result { () throws(RemoraError) in seed == nil ? nil : try storage?.tryLock(name) }
    let filesLock = try? files.get()
    defer { filesLock?.unlock() }
    self.init(of: dialect.identity, name, in: storage)
    inherit(from: dialect.earlierIdentities, in: storage)
    guard let seed else { return }
    seedProblem = seed.problem
    do throws(RemoraError) {
      if let image = try seed.image.flatMap({ seed throws(RemoraError) in
        try successor(seed, dialect, in: storage, nowMs)
      }) {
        try take(image, files)
      }
    } catch {
      seedProblem = error
      return
    }
    // One that stays is found to be not newer next time.
    if seed.isSettled { try? filesLock?.removeSeed(seed, of: dialect) }
  }

  /// The seed as the image that follows those that are here; nil when it is not newer.
  private func successor(
    _ seed: Image, _ dialect: any Dialect, in storage: StorageDirectory?, _ nowMs: Int64
  ) throws(RemoraError) -> Image? {
    let limits = FreshnessLimits(floor: ledger.floor, rule: dialect.versions)
    guard let storage, try limits.judge(seed: seed, newest: newest, nowMs: nowMs) == .newer else { return nil }
    return try seed.restamped(
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: storage.hashSeed)
  }

  /// Makes a seed's image live where nothing is, and else the one that waits for its activation; stores it, with the
  /// right to the files.
  private mutating func take(_ next: Image, _ files: Result<SourceLock?, RemoraError>) throws(RemoraError) {
    let isFirst = newest == nil
    seed = TakenSeed(version: next.metadata.version, isFirst: isFirst)
    if isFirst { image = next } else { staged = next }
    ledger.floor = max(ledger.floor, next.metadata.version)
    guard let filesLock = try files.get() else { return }
    if isFirst, isLiveDamaged {
      try filesLock.removeImage(.live)
      isLiveDamaged = false
    }
    let buffer = try filesLock.commitImage(next.buffer.bytes, to: isFirst ? .live : .staged)
    let stored = try Image(buffer, trustingChecksum: true)
    if isFirst { image = stored } else { staged = stored }
    ledger.generation = next.metadata.generation
    try filesLock.writeLedger(ledger)
    seed?.isStored = true
  }

  /// Looks under earlier identities while none was made live under the present one: the newest image there, and what
  /// must not be forgotten of their ledgers. An epoch that is older than the newest was forgotten by a reset.
  mutating func inherit(from identities: [String], in storage: StorageDirectory?) {
    guard let storage, image == nil else { return }
    let isStagedHere = staged != nil
    for identity in identities {
      let name = StorageName(hashing: identity)
      let earlier = StoredState(of: identity, name, in: storage)
      problem = problem ?? earlier.problem
      guard earlier.ledger.epoch >= ledger.epoch else { continue }
      if earlier.ledger.epoch > ledger.epoch {
        (ledger.epoch, ledger.floor) = (earlier.ledger.epoch, 0)
        image = nil
        staged = nil
      }
      ledger.floor = max(ledger.floor, earlier.ledger.floor)
      ledger.lastAttemptMs = max(ledger.lastAttemptMs, earlier.ledger.lastAttemptMs)
      ledger.lastSuccessMs = max(ledger.lastSuccessMs, earlier.ledger.lastSuccessMs)
      guard let candidate = earlier.newest else { continue }
      if isStagedHere {
        image = image ?? earlier.image
        continue
      }
      if let newest, newest.metadata.version >= candidate.metadata.version { continue }
      (image, staged) = (earlier.image, earlier.staged)
    }
  }

  /// The newest epoch of a ledger and of what is stored under earlier identities: a reset ends them all.
  static func newestEpoch(
    of identities: [String], in storage: StorageDirectory?, _ ledger: SourceLedger
  ) -> UInt64 {
    guard let storage else { return ledger.epoch }
    return identities.reduce(ledger.epoch) { max($0, storage.readLedger(StorageName(hashing: $1)).epoch) }
  }

  /// The image in a slot; nil when there is none.
  private func read(
    _ slot: ImageSlot, of identity: String, _ name: StorageName, in storage: StorageDirectory
  ) throws(RemoraError) -> Image? {
    guard let buffer = try storage.readImage(name, slot) else { return nil }
    let image = try Image(buffer)
    guard image.metadata.identity == identity else {
      throw RemoraError(.corrupt, "the image belongs to another source")
    }
    // A previous image of an older epoch was forgotten by a reset.
    return image.metadata.epoch >= ledger.epoch ? image : nil
  }
}
