// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a source's state.

/// An event that affects a source's data.
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
  /// The refresh failed or was refused.
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
  /// The client now uses another directory.
  case storageReplaced

  // Host
  /// The staged image becomes live; it is the arrival.
  case activate(ArrivingImage, Origin)
  /// The files were reset.
  case reset(SourceLedger, start: LiveData)
  /// The live snapshot was composed again.
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
  /// The pending promotion was attempted.
  case promoted(PromotionResult)
  /// The publication became visible to readers.
  case published
  /// An operation on the files failed.
  case storageFailed(RemoraError)
  /// An operation that failed for this reason works now.
  case storageWorks(since: RemoraError)
}

/// The purpose of reading the files.
package enum FilesReader: Equatable, Sendable {
  /// The periodic check, or a read in the background.
  case look
  /// A refresh that waited for another process; what that process stored is the outcome of the refresh, unless its
  /// version is below the one for which the refresh was requested.
  case refresh(least: Int64)
}

/// The content of a source's files.
package struct FoundFiles: Sendable {
  /// The ledger, corrected by the images.
  package var ledger: SourceLedger
  /// The generation in the stored ledger, before the correction.
  package var readGeneration: UInt64
  /// The newest usable image.
  package var newest: ImageFacts?
  /// Whether the newest image is the staged file.
  package var isNewestStaged: Bool
  package var health: FilesHealth
  /// The reason an image could not be used.
  package var problem: RemoraError?
  /// The data with which the source starts again if it was reset.
  package var start: LiveData
}

/// The result of a pending promotion.
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

// The results of an input: effects in memory, and work on files and snapshots.

/// The result of an input. Notices take effect while the lock is still held for the input. Work is done afterwards, in
/// order; the result of each piece is handled before the next piece.
package struct SourceStep: Sendable {
  package var notices: [SourceNotice] = []
  package var work: [SourceWork] = []
}

/// An effect in memory, which never waits.
package enum SourceNotice: Equatable, Sendable {
  /// The refresh has this outcome. Closing the source cannot change it any more.
  case decide(Outcome, RemoraError?)
  /// An event for the subscribers.
  case event(Cause, Outcome, RemoraError?)
}

/// A piece of work on the files or the snapshots.
package enum SourceWork: Equatable, Sendable {
  /// The image to store.
  package enum Subject: Equatable, Sendable {
    /// The image of the publication.
    case arriving
    /// The newest image, which is in memory only.
    case newest
  }

  /// Removes the stored overrides of keys, before the removal of the keys is stored.
  case endStoredOverrides([[UInt8]])
  /// Stores an image in a slot.
  case store(Subject, ImageSlot)
  /// Makes the staged file the live one.
  case promote
  /// Reads the images.
  case readFiles(FilesReader)
  /// Composes the snapshot of the publication.
  case compose(Composing)
  /// Writes the ledger of the publication.
  case writeLedger
  /// Stores the current overrides, unless they are stored.
  case storeOverrides
  /// Makes the publication visible.
  case publish
}

/// The way in which the snapshot of a publication is composed.
package enum Composing: Equatable, Sendable {
  /// From the arriving image, to replace the live one: keys that it does not list may be carried over.
  case arrivingLive
  /// From the arriving image, to be staged.
  case arrivingStaged
  /// From the staged snapshot, to replace the live one.
  case stagedLive
  /// From the data that exists without any fetch.
  case start
  /// From the newest snapshot, which the server has confirmed.
  case confirmed
}
