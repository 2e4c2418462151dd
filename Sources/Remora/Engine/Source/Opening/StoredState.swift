// SPDX-License-Identifier: Apache-2.0
//
// What a storage directory holds of a source. The images are the truth; the ledger is a hint, and rebuilt from them.

/// A source as it was stored.
struct StoredState {
  /// The newest image that was made live and passes its checks.
  var image: Image?
  /// A newer one that waits for its activation.
  var staged: Image?
  /// The ledger, corrected by the images.
  var ledger: SourceLedger
  /// The generation of the ledger as it was read; nil when it was not.
  private(set) var readGeneration: UInt64?
  /// Why an image could not be used.
  private(set) var problem: RemoraError?
  var health = FilesHealth()
  /// The seed that was taken over, if one was.
  var seed: TakenSeed?
  /// Why a seed was not, or only for this process.
  var seedProblem: RemoraError?

  /// The newest image.
  var newest: Image? { staged ?? image }

  /// Reads the live image, or the previous one where a crash or damage took the live one; and the staged one.
  init(of identity: String, _ name: StorageName, in storage: StorageDirectory?) {
    ledger = SourceLedger()
    guard let storage else { return }
    do throws(RemoraError) {
      ledger = try storage.findLedger(name) ?? ledger
      readGeneration = ledger.generation
    } catch {
      problem = error
      // It may know of a reset.
      health.isUnread = error.code != .permission
    }
    // First: another process may make it the live one meanwhile, which is then found there.
    staged = find(.staged, of: identity, name, in: storage)
    image = find(.live, of: identity, name, in: storage) ?? find(.previous, of: identity, name, in: storage)
    // A live one overtook it, and a crash left it where it was; or a reset forgot one of them.
    if let live = image?.metadata, let next = staged?.metadata {
      // Two processes may use one generation: one of them could not write the ledger.
      let isNewer = (next.epoch, next.generation, next.version) > (live.epoch, live.generation, live.version)
      if !isNewer { staged = nil } else if next.epoch > live.epoch { image = nil }
    }
    correctLedger()
  }

  /// Raises the ledger to what the newest image shows: a crash may have lost the last write of the ledger.
  private mutating func correctLedger() {
    guard let metadata = newest?.metadata else { return }
    if metadata.epoch > ledger.epoch {
      ledger = SourceLedger()
      ledger.epoch = metadata.epoch
    }
    ledger.generation = max(ledger.generation, metadata.generation)
    ledger.floor = max(ledger.floor, metadata.version)
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

  /// The newest epoch of a ledger in memory and of those that are stored under some identities: a reset ends them all.
  ///
  /// - Throws: `.storage` or `.permission` when one cannot be read now.
  static func newestEpoch(
    of identities: [String], in storage: StorageDirectory?, _ ledger: SourceLedger
  ) throws(RemoraError) -> UInt64 {
    var newest = ledger.epoch
    for identity in identities {
      newest = max(newest, try storage?.findLedger(StorageName(hashing: identity))?.epoch ?? 0)
    }
    return newest
  }

  /// The image in a slot; nil when there is none, or it cannot be used.
  private mutating func find(
    _ slot: ImageSlot, of identity: String, _ name: StorageName, in storage: StorageDirectory
  ) -> Image? {
    do throws(RemoraError) {
      return try read(slot, of: identity, name, in: storage)
    } catch {
      problem = problem ?? error
      let isDamaged = [.corrupt, .permission].contains(error.code)
      if slot == .live, isDamaged { health.isLiveDamaged = true }
      if !isDamaged { health.isUnread = true }
      return nil
    }
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
