// SPDX-License-Identifier: Apache-2.0
//
// Adopts a seed at an opening: it becomes the image that follows the stored ones.

/// A seed that was newer than the stored data.
struct TakenSeed {
  let version: Int64
  /// Whether there was no data before.
  let isFirst: Bool
  /// Whether its image is stored now.
  fileprivate(set) var isStored = false
}

extension StoredState {
  /// Reads all data for an opening, including that of earlier identities, and adopts a seed.
  static func open(
    _ dialect: any Dialect, _ name: StorageName, in storage: StorageDirectory?, nowMs: Int64
  ) -> StoredState {
    // Read before the images: another process that adopts the seed stores its image before it removes the seed.
    let seed = storage.flatMap { StoredSeed(of: dialect, name, in: $0) }
    // If the files are busy, the seed is live in this process only, and another opening stores it.
    let files = Result { () throws(RemoraError) in seed == nil ? nil : try storage?.tryLock(name) }
    let filesLock = try? files.get()
    defer { filesLock?.unlock() }
    var state = StoredState(of: dialect.identity, name, in: storage)
    state.inherit(from: dialect.earlierIdentities, in: storage)
    guard let seed else { return state }
    state.seedProblem = seed.problem
    // An image that cannot be read now may be newer than the seed, which is left for another opening.
    guard state.problem.map({ $0.code == .corrupt }) ?? true else { return state }
    do throws(RemoraError) {
      if let image = try seed.accepted.flatMap({ seed throws(RemoraError) in
        try state.successor(seed, dialect, in: storage, nowMs)
      }) {
        try state.take(image, files)
      }
    } catch {
      state.seedProblem = error
      return state
    }
    // If the seed cannot be removed, the next opening finds that it is not newer.
    if seed.isSettled, let filesLock { try? seed.remove(of: dialect, with: filesLock) }
    return state
  }

  /// Returns the seed as the image that follows the stored ones; nil if it is not newer.
  private func successor(
    _ seed: AcceptedImage, _ dialect: any Dialect, in storage: StorageDirectory?, _ nowMs: Int64
  ) throws(RemoraError) -> AcceptedImage? {
    let limits = VersionLimits(floor: ledger.floor, rule: dialect.versions)
    guard let storage, try limits.isNewer(seed, than: newest, nowMs: nowMs) else { return nil }
    return try seed.restamped(
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: storage.hashSeed)
  }

  /// Makes a seed's image the live one if there is no data, else the staged one; stores it if the files' lock is held.
  private mutating func take(_ accepted: AcceptedImage, _ files: Result<SourceLock?, RemoraError>) throws(RemoraError) {
    let (next, isFirst) = (accepted.image, newest == nil)
    seed = TakenSeed(version: next.metadata.version, isFirst: isFirst)
    if isFirst { image = next } else { staged = next }
    ledger.floor = max(ledger.floor, next.metadata.version)
    guard let filesLock = try files.get() else { return }
    if isFirst, health.isLiveDamaged {
      try filesLock.removeImage(.live)
      health.isLiveDamaged = false
    }
    let stored = try accepted.commit(to: isFirst ? .live : .staged, filesLock)
    if isFirst { image = stored } else { staged = stored }
    ledger.generation = next.metadata.generation
    try filesLock.writeLedger(ledger)
    seed?.isStored = true
  }
}
