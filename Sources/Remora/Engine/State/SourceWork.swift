// SPDX-License-Identifier: Apache-2.0
//
// What follows from an input: effects in memory, and work on files and snapshots.

/// What follows from an input. Notices take effect in the same hold of the lock as the input; work is done behind it, in
/// order, and each answer is handled before the next piece of work.
package struct SourceStep: Sendable {
  package var notices: [SourceNotice] = []
  package var work: [SourceWork] = []
}

/// An effect in memory, which never waits.
package enum SourceNotice: Equatable, Sendable {
  /// The refresh has this outcome. A close cannot change it any more.
  case decide(Outcome, RemoraError?)
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
