// SPDX-License-Identifier: Apache-2.0
//
// How an opening takes over a seed: it becomes the image that follows those that are stored.

/// A seed that was newer than what is stored.
struct TakenSeed {
  let version: Int64
  /// Whether nothing was there before.
  let isFirst: Bool
  /// Whether its image is stored now.
  fileprivate(set) var isStored = false
}

extension StoredState {
  /// Reads it all for an opening, earlier identities included, and takes over a seed.
  static func open(
    _ dialect: any Dialect, _ name: StorageName, in storage: StorageDirectory?, nowMs: Int64
  ) -> StoredState {
    // Before the images: who takes it over elsewhere stores its image before it goes.
    let seed = storage.flatMap { StoredSeed(of: dialect, name, in: $0) }
    // While it is busy, the seed is live in this process and stored by another opening.
    let files = Result { () throws(RemoraError) in seed == nil ? nil : try storage?.tryLock(name) }
    let filesLock = try? files.get()
    defer { filesLock?.unlock() }
    var state = StoredState(of: dialect.identity, name, in: storage)
    state.inherit(from: dialect.earlierIdentities, in: storage)
    guard let seed else { return state }
    state.seedProblem = seed.problem
    // An image that cannot be read now may be newer than the seed, which waits for another opening.
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
    // One that stays is found to be not newer next time.
    if seed.isSettled, let filesLock { try? seed.remove(of: dialect, with: filesLock) }
    return state
  }

  /// The seed as the image that follows those that are here; nil when it is not newer.
  private func successor(
    _ seed: AcceptedImage, _ dialect: any Dialect, in storage: StorageDirectory?, _ nowMs: Int64
  ) throws(RemoraError) -> AcceptedImage? {
    let limits = VersionLimits(floor: ledger.floor, rule: dialect.versions)
    guard let storage, try limits.isNewer(seed, than: newest, nowMs: nowMs) else { return nil }
    return try seed.restamped(
      epoch: ledger.epoch, generation: ledger.generation &+ 1, hashSeed: storage.hashSeed)
  }

  /// Makes a seed's image live where nothing is, and else the one that waits for its activation; stores it, with the
  /// right to the files.
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
