// SPDX-License-Identifier: Apache-2.0
//
// What the state of a source reacts to.

/// What happens to a source's data.
package enum SourceInput: Sendable {
  // A refresh
  /// It sends its first request.
  case attempted(nowMs: Int64, jitter: UInt32)
  /// Its path has compiled a new image.
  case compiled(ArrivingImage, AnswerLifetime)
  /// The server has what is newest here; the arrival is that image.
  case confirmed(ArrivingImage, AnswerLifetime)
  /// The server offered something older.
  case offeredOlder
  /// It failed or was refused.
  case failed(RemoraError, Outcome, isAttempt: Bool)

  // The files
  /// Their ledger was read; `reader` says for whom.
  case sawLedger(SourceLedger, reader: FilesReader)
  /// The ledger has an attempt to refresh by another process.
  case sawAttempt(SourceLedger)
  /// The images were read, because the ledger is newer.
  case found(FoundFiles, reader: FilesReader)
  /// A file that could not be read may be read again.
  case lookDue
  /// The pending promotion may be tried.
  case promotionDue
  /// The client uses another directory than before.
  case storageReplaced

  // The host
  /// The staged image becomes live; the arrival is that image.
  case activate(ArrivingImage, Origin)
  /// The files are reset.
  case reset(SourceLedger, start: LiveData)
  /// What is live was composed anew.
  case recomposed(Cause, isVisible: Bool)
  /// The packaged data is verified; the facts are those of the verified image.
  case verifiedPackaged(ImageFacts)
  /// The host stops listening.
  case silence

  // Answers to work
  /// An image is stored. `image` is the mapped file.
  case stored(ImageFacts, ImageSlot)
  /// An image stays in memory: another process or client has the files, or storing failed.
  case notStored(isBusy: Bool)
  /// The pending promotion was tried.
  case promoted(PromotionResult)
  /// The publication is visible to readers.
  case published
  /// Something about the files failed.
  case storageFailed(RemoraError)
  /// What failed for this reason works now.
  case storageWorks(since: RemoraError)
}

/// Who looks at the files.
package enum FilesReader: Equatable, Sendable {
  /// The periodic look, or a read that nobody waits for.
  case look
  /// A refresh that has waited for another process: what that one stored is its outcome.
  case refresh
}

/// What the files of a source hold.
package struct FoundFiles: Sendable {
  /// The ledger, corrected by the images.
  package var ledger: SourceLedger
  /// The generation of the ledger as it was read.
  package var readGeneration: UInt64
  /// The newest usable image.
  package var newest: ImageFacts?
  /// Whether that is the staged file.
  package var isNewestStaged: Bool
  package var health: FilesHealth
  /// Why an image could not be used.
  package var problem: RemoraError?
  /// What the source starts again from, if it was reset.
  package var start: LiveData
}

/// What became of a pending promotion.
package enum PromotionResult: Equatable, Sendable {
  /// Another process has the files.
  case busy
  /// This process made the image live in the storage, which had none of these experiments before.
  case done([ExperimentID])
  /// It could not be made live there: nobody else announces what it brings.
  case failed
  /// Another process made it live, or the storage was reset or overtaken: that process announces it.
  case doneByOthers
}
