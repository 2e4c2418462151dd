// SPDX-License-Identifier: Apache-2.0
//
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
  case event(Cause, Outcome, RemoraError?)
}

/// A piece of work on the files or the snapshots.
package enum SourceWork: Equatable, Sendable {
  package enum Subject: Equatable, Sendable {
    /// The image of the publication.
    case arriving
    /// The newest image, which is in memory only.
    case newest
  }

  /// Removes the stored overrides of keys, before the removal of the keys is stored.
  case endStoredOverrides([[UInt8]])
  case store(Subject, ImageSlot)
  /// Makes the staged file the live one.
  case promote
  /// Renames the file of the rejected image, and raises the generation in the ledger for other processes.
  case storeRejection
  case readFiles(FilesReader)
  case compose(Composing)
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
  case arrivingStaged
  /// From the staged snapshot, to replace the live one.
  case stagedLive
  /// From the data that exists without any fetch.
  case start
  /// From the data that is left after a rejection, without keys that were carried over.
  case restored(Origin)
  /// From the newest snapshot, which the server has confirmed.
  case confirmed
}
