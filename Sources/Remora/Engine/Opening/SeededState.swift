// SPDX-License-Identifier: Apache-2.0
//
// Reads the stored data of a source, and adopts the seed of an installer. Only for an opening: a seed that is stored
// later is adopted at the next opening.

/// A seed that was newer than the stored data.
struct TakenSeed {
  let version: Int64
  /// Whether there was no data before.
  let isFirst: Bool
  /// Whether its image is stored now.
  fileprivate(set) var isStored = false
}

/// The stored data of a source. A newer seed was adopted: it became the image that follows the stored ones.
struct SeededState {
  private(set) var stored: StoredState
  private(set) var seed: TakenSeed?
  /// The reason the seed was not adopted, or was adopted in this process only; nil if it was adopted and stored.
  private(set) var seedProblem: RemoraError?

  /// Reads all data for an opening, including that of earlier identities, and adopts a seed.
  ///
  /// - Parameter shape: What a seed must have to be adopted.
  init(
    _ dialect: any Dialect, _ name: StorageName, in storage: StorageDirectory?, shape: DocumentShape = DocumentShape(),
    nowMs: Int64
  ) {
    // Read before the images: another process that adopts the seed stores its image before it removes the seed.
    let found = storage.flatMap { StoredSeed(of: dialect, name, in: $0) }
    // If the files are busy, the seed is live in this process only, and another opening stores it.
    let files = Result { () throws(RemoraError) in found == nil ? nil : try storage?.tryLock(name) }
    let filesLock = try? files.get()
    defer { filesLock?.unlock() }
    stored = StoredState(of: dialect.identity, name, in: storage, by: dialect.versions)
    stored.inherit(from: dialect.earlierIdentities, in: storage)
    guard let found else { return }
    seedProblem = found.problem
    // An image that cannot be read now may be newer than the seed, which is left for another opening.
    guard stored.problem.map({ $0.code == .corrupt }) ?? true else { return }
    do throws(RemoraError) {
      if let accepted = found.accepted, let image = try successor(accepted, dialect, in: storage, nowMs) {
        try shape.check(Draft(of: image.image), after: nil, of: dialect)
        try take(image, files)
      }
    } catch {
      seedProblem = error
      guard error.code == .rejected else { return }
    }
    // If the seed cannot be removed, the next opening finds that it is not newer.
    if found.isSettled, let filesLock { try? found.remove(of: dialect, with: filesLock) }
  }

  /// Returns the seed as the image that follows the stored ones; nil if it is not newer.
  private func successor(
    _ seed: AcceptedImage, _ dialect: any Dialect, in storage: StorageDirectory?, _ nowMs: Int64
  ) throws(RemoraError) -> AcceptedImage? {
    let ledger = stored.ledger
    let limits = VersionLimits(
      floor: ledger.floor, rule: dialect.versions, rejected: stored.rejections)
    guard let storage, try limits.isNewer(seed, than: stored.newest, nowMs: nowMs) else { return nil }
    return try seed.restamped(
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: storage.hashSeed)
  }

  /// Makes a seed's image the live one if there is no data, else the staged one; stores it if the files' lock is held.
  private mutating func take(_ accepted: AcceptedImage, _ files: Result<SourceLock?, RemoraError>) throws(RemoraError) {
    let (next, isFirst) = (accepted.image, stored.newest == nil)
    seed = TakenSeed(version: next.metadata.version, isFirst: isFirst)
    keep(next, isFirst: isFirst)
    stored.ledger.floor = max(stored.ledger.floor, next.metadata.version)
    guard let filesLock = try files.get() else { return }
    if isFirst, stored.health.isLiveDamaged {
      try filesLock.removeImage(.live)
      stored.health.isLiveDamaged = false
    }
    keep(try accepted.commit(to: isFirst ? .live : .staged, filesLock), isFirst: isFirst)
    stored.ledger.generation = next.metadata.generation
    try filesLock.writeLedger(stored.ledger)
    seed?.isStored = true
  }

  private mutating func keep(_ image: Image, isFirst: Bool) {
    if isFirst { stored.image = image } else { stored.staged = image }
  }
}
