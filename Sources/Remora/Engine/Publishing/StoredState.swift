// SPDX-License-Identifier: Apache-2.0
//
// The stored data of a source. The images are authoritative; the ledger is a hint, and corrected from them.

package struct StoredState {
  /// The newest image that was made live and passes its checks.
  package var image: Image?
  /// A newer image that is not activated yet.
  package var staged: Image?
  /// The newest image that a host has rejected. The other images have other content.
  package private(set) var rejected: Image?
  /// The ledger, corrected by the images.
  package var ledger: SourceLedger
  /// The generation in the stored ledger, before the correction; nil if the ledger was not read.
  private(set) var readGeneration: UInt64?
  /// Rejected images, which may not be stored as such yet.
  private let unwanted: [Image]
  private let rule: VersionRule
  /// The reason an image could not be used.
  private(set) var problem: RemoraError?
  var health = FilesHealth()

  var newest: Image? { staged ?? image }

  var rejections: [Image] { [rejected].compactMap(\.self) }

  /// Whether other processes may not know of the rejection, because a crash prevented the write of the ledger.
  var isRejectionUnreported: Bool { rejected.map { $0.metadata.generation >= readGeneration ?? 0 } ?? false }

  /// Reads the live image, or the previous one if a crash, damage or a rejection removed the live one; and the staged
  /// image.
  ///
  /// - Parameters:
  ///   - unwanted: Images that the host has rejected.
  ///   - rule: The rule by which rejected content is recognized.
  init(
    of identity: String, _ name: StorageName, in storage: StorageDirectory?, without unwanted: [Image] = [],
    by rule: VersionRule = .timestamps(maximumFutureMs: nil)
  ) {
    self.init(of: identity, name, in: storage, without: unwanted, by: rule) { slot throws(RemoraError) in
      try storage?.readImage(name, slot).map { buffer throws(RemoraError) in try Image(buffer) }
    }
  }

  /// Finds the data among images that `read` returns; it throws the reason an image cannot be used.
  package init(
    of identity: String, _ name: StorageName, in storage: StorageDirectory?, without unwanted: [Image] = [],
    by rule: VersionRule = .timestamps(maximumFutureMs: nil),
    _ read: (ImageSlot) throws(RemoraError) -> Image?
  ) {
    ledger = SourceLedger()
    self.unwanted = unwanted
    self.rule = rule
    guard let storage else { return }
    do throws(RemoraError) {
      ledger = try storage.findLedger(name) ?? ledger
      readGeneration = ledger.generation
    } catch {
      problem = error
      // The unreadable ledger may contain a reset.
      health.isUnread = error.code != .permission
    }
    // In the order in which another process may move an image meanwhile: from staged to live, and to previous or
    // rejected.
    staged = find(.staged, of: identity, read)
    image = find(.live, of: identity, read)
    rejected = find(.rejected, of: identity, read)
    let bad = rejections + unwanted
    let isWanted = { (image: Image) in !bad.contains { $0.hasContent(of: image, by: rule) } }
    staged = staged.flatMap { isWanted($0) ? $0 : nil }
    image = image.flatMap { isWanted($0) ? $0 : nil } ?? find(.previous, of: identity, read)
    image = image.flatMap { isWanted($0) ? $0 : nil }
    // A staged image may be older than the live one after a crash, and one of the two may be older than a reset.
    if let live = image?.metadata, let next = staged?.metadata {
      // Two processes may have used the same generation if one of them could not write the ledger.
      let isNewer = (next.epoch, next.generation, next.version) > (live.epoch, live.generation, live.version)
      if !isNewer { staged = nil } else if next.epoch > live.epoch { image = nil }
    }
    correctLedger()
  }

  /// Updates the ledger from the newest image: a crash may have lost the last write of the ledger.
  private mutating func correctLedger() {
    for image in [newest, rejected] { correctLedger(by: image) }
  }

  private mutating func correctLedger(by image: Image?) {
    guard let metadata = image?.metadata else { return }
    if metadata.epoch > ledger.epoch {
      ledger = SourceLedger()
      ledger.epoch = metadata.epoch
    }
    ledger.generation = max(ledger.generation, metadata.generation)
    ledger.floor = max(ledger.floor, metadata.version)
  }

  /// Reads the data of earlier identities if no image was made live under the present one: the newest image, and the
  /// parts of their ledgers that must be kept. Data of an epoch older than the newest was discarded by a reset.
  mutating func inherit(from identities: [String], in storage: StorageDirectory?) {
    guard let storage, image == nil else { return }
    let isStagedHere = staged != nil
    for identity in identities {
      let name = StorageName(hashing: identity)
      let earlier = StoredState(
        of: identity, name, in: storage, without: unwanted + rejections, by: rule)
      problem = problem ?? earlier.problem
      guard earlier.ledger.epoch >= ledger.epoch else { continue }
      if earlier.ledger.epoch > ledger.epoch {
        (ledger.epoch, ledger.floor) = (earlier.ledger.epoch, 0)
        (image, staged, rejected) = (nil, nil, nil)
      }
      if let other = earlier.rejected, other.metadata.version > rejected?.metadata.version ?? .min { rejected = other }
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

  /// Returns the newest epoch of a ledger in memory and of the stored ledgers of `identities`; a reset must exceed all
  /// of them.
  ///
  /// - Throws: `.storage` or `.permission` if a ledger cannot be read at present.
  static func newestEpoch(
    of identities: [String], in storage: StorageDirectory?, _ ledger: SourceLedger
  ) throws(RemoraError) -> UInt64 {
    var newest = ledger.epoch
    for identity in identities {
      newest = max(newest, try storage?.findLedger(StorageName(hashing: identity))?.epoch ?? 0)
    }
    return newest
  }

  /// Reads the image in a slot; nil if there is none, or it cannot be used.
  private mutating func find(
    _ slot: ImageSlot, of identity: String, _ read: (ImageSlot) throws(RemoraError) -> Image?
  ) -> Image? {
    do throws(RemoraError) {
      return try read(slot).flatMap { image throws(RemoraError) in try accept(image, of: identity) }
    } catch {
      problem = problem ?? error
      // Without a rejected image that is damaged, what was rejected may be fetched again.
      let isDamaged = [.corrupt, .permission].contains(error.code)
      if slot == .live, isDamaged { health.isLiveDamaged = true }
      if !isDamaged { health.isUnread = true }
      return nil
    }
  }

  /// Returns an image of this source; nil if a reset has discarded it.
  private func accept(_ image: Image, of identity: String) throws(RemoraError) -> Image? {
    guard image.metadata.identity == identity else {
      throw RemoraError(.corrupt, "the stored file belongs to another source")
    }
    // An image of an older epoch was discarded by a reset.
    return image.metadata.epoch >= ledger.epoch ? image : nil
  }
}
