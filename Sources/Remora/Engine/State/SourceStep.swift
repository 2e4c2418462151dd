// SPDX-License-Identifier: Apache-2.0
//
// What the state of a source reacts to, and what follows from it.

/// What happens to a source's data.
package enum SourceInput: Sendable {
  // A refresh
  /// It sends its first request.
  case attempted(nowMs: Int64, jitter: UInt32)
  /// Its path has compiled a new image.
  case compiled(ArrivingImage, ServerWish)
  /// The server has what is newest here; the arrival is that image.
  case confirmed(ArrivingImage, ServerWish)
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

/// What an answer of the server says of its data.
package struct ServerWish: Sendable {
  package let nowMs: Int64
  /// How long the data is fresh, in seconds.
  package let maxAge: Int64?
  /// The entity tag of the data.
  package let tag: EntityTag?

  package init(nowMs: Int64, maxAge: Int64? = nil, tag: EntityTag? = nil) {
    self.nowMs = nowMs
    self.maxAge = maxAge
    self.tag = tag
  }
}

/// An entity tag, with the URL that it belongs to.
package struct EntityTag: Sendable {
  package let text: String
  /// The hash of the URL.
  package let url: UInt64

  package init(_ text: String, url: UInt64) {
    self.text = text
    self.url = url
  }
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

/// What follows from an input. Notices take effect in the same hold of the lock as the input; work is done behind it, in
/// order, and each answer is handled before the next piece of work.
package struct SourceStep: Sendable {
  package var notices: [SourceNotice] = []
  package var work: [SourceWork] = []
}

/// An effect in memory, which never waits.
package enum SourceNotice: Equatable, Sendable {
  /// The refresh has this outcome. A close cannot change it any more.
  case settle(Outcome, RemoraError?)
  /// An event for the subscribers.
  case event(Cause, Outcome, RemoraError?)
}

/// A piece of work on the files or the snapshots.
package enum SourceWork: Equatable, Sendable {
  /// Which image.
  package enum Subject: Equatable, Sendable {
    /// The image of the publication.
    case arriving
    /// The newest image, which is in memory only.
    case newest
  }

  /// Remove the stored overrides of keys, before their removal is stored.
  case endStoredOverrides([[UInt8]])
  /// Store an image in a slot.
  case store(Subject, ImageSlot)
  /// Make the staged file the live one.
  case promote
  /// Read the images.
  case readFiles(FilesReader)
  /// Compose the snapshot of the publication.
  case compose(Composing)
  /// Write the ledger of the publication.
  case writeLedger
  /// Store the overrides of now, unless they are stored.
  case storeOverrides
  /// Make the publication visible.
  case publish
}

/// How the snapshot of a publication is made.
package enum Composing: Equatable, Sendable {
  /// Of the arriving image, in the place of the live one: keys that it does not list may be carried over.
  case successor
  /// Of the arriving image, which waits.
  case waiting
  /// Of the staged snapshot, in the place of the live one.
  case staged
  /// Of what is there without any fetched data.
  case start
  /// Of the newest snapshot, which the server has confirmed.
  case confirmed
}
