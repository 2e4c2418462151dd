// SPDX-License-Identifier: Apache-2.0
//
// A refresh, as far as publishing concerns it: its callers, and what it writes to the files of its source.

package typealias RefreshWaiter = Waiter<Never, RefreshResult>

typealias RefreshWaiters = Waiters<Never, RefreshResult>

/// The part of a refresh that publishing needs.
final class PublishingRun: Sendable {
  struct Files {
    /// The error of taking the files' lock; nil if it was taken or is busy.
    var problem: RemoraError?
    var attempt = AttemptNote.none
  }

  let waiters = RefreshWaiters()
  let files = Confined(Files())
}

/// The place where the attempt of a refresh is recorded.
enum AttemptNote {
  case none
  /// In memory. It is written with its outcome, or at the latest when the refresh ends.
  case noted
  /// In the ledger's file.
  case written
}
