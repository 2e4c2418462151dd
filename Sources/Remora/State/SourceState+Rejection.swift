// SPDX-License-Identifier: Apache-2.0
//
// The transitions of a source's state that concern rejections: a host has found that an image is bad. It is replaced by
// what an opening would choose without it, and not accepted again.

/// An image that a host has rejected, as this process knows it.
package struct RejectedImage: Equatable, Sendable {
  package internal(set) var image: ImageFacts
  /// Whether the rejection is to be stored as soon as this process holds the files' lock.
  package internal(set) var isDue: Bool

  package init(_ image: ImageFacts, isDue: Bool) { (self.image, self.isDue) = (image, isDue) }
}

/// What the files of a source show of rejections.
package struct FoundRejection: Sendable {
  /// The newest rejected image.
  package var image: ImageFacts
  /// Whether it is live, or staged, in this process.
  package var isLive: Bool
  package var isStaged: Bool
  /// What an opening would choose now.
  package var rest: LiveData

  package init(_ image: ImageFacts, isLive: Bool, isStaged: Bool, rest: LiveData) {
    (self.image, self.isLive, self.isStaged, self.rest) = (image, isLive, isStaged, rest)
  }
}

extension SourceState {
  /// The host rejects the live or the staged image. Takes effect in memory first: a slow request of another process may
  /// keep the files locked for long.
  mutating func reject(_ judged: FoundRejection, _ health: FilesHealth) -> SourceStep {
    self.health = health
    let (image, known) = (judged.image, rejected?.image)
    let newest = known.map { $0.version > image.version ? $0 : image } ?? image
    rejected = RejectedImage(newest, isDue: true)
    var next = ledger
    // A server must not confirm the rejected image by its tag.
    if next.etagImage == image.checksum { (next.etag, next.etagURL, next.etagImage) = ("", 0, 0) }
    var step = remove(judged, next)
    step.work.append(.storeRejection)
    return step
  }

  /// Another process has rejected the live or the staged image of this process; nil if it has not.
  mutating func followRejection(
    _ found: FoundRejection, _ next: SourceLedger, _ reader: FilesReader
  ) -> SourceStep? {
    if rejected?.isDue != true { rejected = RejectedImage(found.image, isDue: false) }
    guard found.isLive || found.isStaged else { return nil }
    var step = remove(found, next)
    // A newer image that was stored since is found again, and adopted.
    step.work.append(.readFiles(reader))
    return step
  }

  private mutating func remove(_ found: FoundRejection, _ next: SourceLedger) -> SourceStep {
    found.isLive ? replaceLive(by: found.rest, clearsStaged: found.isStaged, next) : withoutStaged(next)
  }

  private mutating func withoutStaged(_ next: SourceLedger) -> SourceStep {
    forgetMemoryOnly()
    publication = Publication(.withoutStaged, .rejected, .none, live.image, next, endsRefresh: false)
    return SourceStep(work: [.publish])
  }

  /// Replaces the live data by older data.
  private mutating func replaceLive(by rest: LiveData, clearsStaged: Bool, _ next: SourceLedger) -> SourceStep {
    if promotion?.image.checksum == live.image.checksum { promotion = nil }
    if staged == nil || clearsStaged { forgetMemoryOnly() }
    // Another process may have made the staged image live.
    let isStagedLive = staged.map { $0.stamp <= rest.image.stamp } == true
    publication = Publication(
      .live(rest.origin), .rejected, .none, rest.image, next, clearsStaged: clearsStaged || isStagedLive,
      endsRefresh: false)
    return SourceStep(work: [.compose(.restored(rest.origin)), .publish])
  }

  /// The newest image is discarded, also if it could not be stored.
  private mutating func forgetMemoryOnly() {
    if problems.storage == problems.image { problems.storage = nil }
    problems.image = nil
    isNewestInMemoryOnly = false
  }

  func rejectionDue() -> SourceStep { SourceStep(work: rejected?.isDue == true ? [.storeRejection] : []) }

  /// A rejection was stored; `seen` is the ledger before, and `stored` the one that other processes will see.
  mutating func rejectionStored(_ image: ImageFacts?, seen: SourceLedger, stored: SourceLedger) -> SourceStep {
    rejected = image.map { RejectedImage($0, isDue: false) }
    // What others have stored since is still to be read.
    guard seen.stamp <= ledger.stamp else { return SourceStep() }
    ledger.generation = max(ledger.generation, stored.generation)
    return SourceStep()
  }
}
