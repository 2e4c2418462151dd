// SPDX-License-Identifier: Apache-2.0
//
// Stores rejections. The commit point is one rename: readers of the files then fall back to the previous image. The
// ledger is written afterwards, with a new generation, so that other processes read the files.

/// A rejection that was stored.
struct StoredRejection {
  /// The image that is rejected now; nil if there is none.
  var image: Image?
  let seen: SourceLedger
  var stored: SourceLedger
}

extension SourceFiles {
  /// Stores the pending rejections; nil if another process holds the files' lock or has reset the source, or the
  /// storage has a problem.
  func storeRejection(_ exclusive: Exclusive) -> StoredRejection? {
    let rejected = core.snapshots[exclusive].rejected
    isRejectionBlocked[exclusive] = false
    guard core.usesStorage else {
      return StoredRejection(image: rejected.max(by: { $0.isOlder(than: $1) }), seen: ledger, stored: ledger)
    }
    do throws(RemoraError) {
      guard let storage = try requireStorage() else { return nil }
      let held = heldLock(in: storage, exclusive)
      let taken = held == nil ? try storage.tryLock(name) : nil
      guard let filesLock = held ?? taken else {
        isRejectionBlocked[exclusive] = true
        return nil
      }
      defer { taken?.unlock() }
      guard let result = try store(rejected, filesLock, exclusive) else { return nil }
      if let problem = known.problems.storage { lock.withLock { _ = core.apply(.storageWorks(since: problem), $0) } }
      return result
    } catch {
      if known.problems.storage != error { noteStorage(error, "the rejection is in memory only, and stored later") }
      return nil
    }
  }

  /// Stores rejections; nil after a reset by another process, which forgets them once it is read.
  private func store(
    _ rejected: [Image], _ filesLock: SourceLock, _ exclusive: Exclusive
  ) throws(RemoraError) -> StoredRejection? {
    let seen = try filesLock.findLedger() ?? ledger
    guard seen.epoch <= ledger.epoch else { return nil }
    var newest = try storedImage(.rejected, filesLock)
    for image in rejected { newest = try store(image, over: newest, filesLock, exclusive) }
    var next = seen
    next.raise(over: ledger, rejected)
    if rejected.contains(where: { $0.checksum == next.etagImage }) {
      (next.etag, next.etagURL, next.etagImage) = ("", 0, 0)
    }
    try filesLock.writeLedger(next)
    return StoredRejection(image: newest, seen: seen, stored: next)
  }

  /// Stores one rejection. Returns the image in the slot of rejected ones, which has the highest version.
  private func store(
    _ rejected: Image, over former: Image?, _ filesLock: SourceLock, _ exclusive: Exclusive
  ) throws(RemoraError) -> Image {
    var isFound = former?.hasContent(of: rejected, by: dialect.versions) == true
    let isNewest = former.map { !rejected.isOlder(than: $0) } ?? true
    // The live image first: it is what readers see.
    for slot in [ImageSlot.live, .staged, .previous]
    where try storedImage(slot, filesLock)?.hasContent(of: rejected, by: dialect.versions) == true {
      if isNewest, !isFound { try filesLock.reject(slot) } else { try filesLock.removeImage(slot) }
      isFound = true
    }
    if !isFound { isFound = try rejectEarlier(rejected, in: filesLock.directory, exclusive) }
    if !isFound, isNewest, let accepted = AcceptedImage(rejected, acceptedBefore: dialect) {
      // It could not be stored when it was fetched.
      _ = try accepted.commit(to: .rejected, filesLock)
    }
    return isNewest ? rejected : former ?? rejected
  }

  /// Rejects an image that was stored under an earlier identity of the source. Returns whether it was found.
  private func rejectEarlier(
    _ rejected: Image, in storage: StorageDirectory, _ exclusive: Exclusive
  ) throws(RemoraError) -> Bool {
    for name in dialect.earlierIdentities.map(StorageName.init(hashing:)) {
      guard let earlier = try storage.tryLock(name) else {
        isRejectionBlocked[exclusive] = true
        throw .busyFiles
      }
      defer { earlier.unlock() }
      for slot in [ImageSlot.live, .staged, .previous]
      where try storedImage(slot, earlier)?.hasContent(of: rejected, by: dialect.versions) == true {
        try earlier.reject(slot)
        var next = try earlier.findLedger() ?? SourceLedger()
        next.raise(over: next)
        try earlier.writeLedger(next)
        return true
      }
    }
    return false
  }
}

extension SourceLedger {
  /// Makes the ledger newer than another one of the same epoch, and than images: one may be stored although its commit
  /// has failed, and then the ledgers do not have its generation.
  fileprivate mutating func raise(over other: SourceLedger, _ images: [Image] = []) {
    generation = images.map(\.metadata.generation).reduce(max(generation, other.generation), max) &+ 1
    floor = max(floor, other.floor)
  }
}
