// SPDX-License-Identifier: Apache-2.0

/// An event that affects a source's data. `SourceState.handle` takes it, which is the only way to change the facts
/// about that data; ARCHITECTURE.md lists the work that follows.
package enum SourceInput: Sendable {
  // Refreshes
  /// The refresh sends its first request.
  case attempted(nowMs: Int64, jitter: UInt32)
  /// The refresh has compiled a new image.
  case compiled(ArrivingImage, ResponseLifetime)
  /// The server confirmed the newest image, which is the arrival.
  case confirmed(ArrivingImage, ResponseLifetime)
  /// The server offered a version that is not newer.
  case offeredNotNewer
  case failed(RemoraError, Outcome, isAttempt: Bool)

  // Files
  /// The ledger was read; `reader` is the purpose.
  case sawLedger(SourceLedger, reader: FilesReader)
  /// The ledger contains an attempt to refresh by another process.
  case sawAttempt(SourceLedger)
  /// The images were read, because the ledger is newer.
  case found(FoundFiles, reader: FilesReader)
  /// A file that could not be read may be readable again.
  case lookDue
  /// The pending promotion may be attempted.
  case promotionDue
  /// The pending rejection may be stored.
  case rejectionDue
  /// The client now uses another directory.
  case storageReplaced

  // Host
  /// The staged image becomes live; it is the arrival.
  case activate(ArrivingImage, Origin)
  case reset(SourceLedger, start: LiveData)
  /// The host rejects the live or the staged image; `rest` is what an opening would choose without it, if it can read
  /// the files.
  case reject(FoundRejection, FilesHealth)
  /// A new context or override has changed what the live snapshot is composed of.
  case recomposed(Cause, isVisible: Bool)
  /// The packaged data was verified; the facts are those of the verified image.
  case verifiedPackaged(ImageFacts)
  /// The host stopped the events of the source.
  case mute

  // Results of work
  /// An image was stored. `image` is the mapped file.
  case stored(ImageFacts, ImageSlot)
  /// An image stays in memory, because another process or client holds the files' lock, or storing failed.
  case notStored(isBusy: Bool)
  case promoted(PromotionResult)
  /// A rejection was stored: the image that is rejected now, the ledger that was read, and the one that was written.
  case rejectionStored(ImageFacts?, seen: SourceLedger, stored: SourceLedger)
  /// The publication became visible to readers.
  case published
  /// An operation on the files failed.
  case storageFailed(RemoraError)
  /// An operation that failed for this reason works now.
  case storageWorks(since: RemoraError)
}

package enum FilesReader: Equatable, Sendable {
  /// The periodic check, or a read in the background.
  case look
  /// A refresh that waited for another process; what that process stored is the outcome of the refresh, unless its
  /// version is below the one for which the refresh was requested.
  case refresh(least: Int64)
}

package struct FoundFiles: Sendable {
  /// The ledger, corrected by the images.
  package var ledger: SourceLedger
  /// The generation in the stored ledger, before the correction.
  package var readGeneration: UInt64
  /// The newest usable image; nil if there is none.
  package var newest: ImageFacts?
  package var isNewestStaged: Bool
  /// The rejected image; nil if there is none.
  package var rejection: FoundRejection?
  package var health: FilesHealth
  /// The reason an image could not be used.
  package var problem: RemoraError?
  /// The data with which the source starts again if it was reset.
  package var start: LiveData
}

package enum PromotionResult: Equatable, Sendable {
  /// Another process holds the files' lock.
  case busy
  /// This process made the image live in the storage; these experiments are new there.
  case done([ExperimentID])
  /// The image could not be made live in the storage, so no other process reports its experiments.
  case failed
  /// Another process made it live, or the storage was reset or has a newer image: that process reports the experiments.
  case doneByOthers
}
