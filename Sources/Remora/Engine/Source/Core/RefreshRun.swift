// SPDX-License-Identifier: Apache-2.0
//
// One refresh that is under way. It ends with its last caller.

/// One caller of a refresh.
package typealias RefreshWaiter = Waiter<Never, RefreshResult>

/// What a monitor said of a source.
struct Announcement: Sendable {
  /// The version, or 0.
  var version: Int64 = 0
  /// Where the pause ends that its own answer asked for: that begins behind what the answer leads to.
  var backoffUntilMs: Int64 = 0
}

/// One refresh of a source, from its first request to its end.
final class RefreshRun: Sendable {
  struct State {
    /// The transfer under way.
    var transfer: TransferID?
    /// Set once the last answer is in: who asks from now on wants another one.
    var isAnswered = false
    /// Set once: a late answer then changes nothing.
    var isOver = false
    /// Set once, when it was handed to the worker.
    var hasBegun = false
  }

  struct Work {
    /// What was known of the server when it began: read once, so that all of it happens at one time.
    var server = ServerLedger()
    /// Where the pause ends that its own answers asked for.
    var ownBackoffUntilMs: Int64 = 0
    /// What it cost so far.
    var figures = Attempt.Figures()
    /// Its attempt, in the ledger.
    var attempt = AttemptNote.none
    /// Where it is on the path; nil while the decoder has it.
    var path: RefreshPath?
    /// Whether a body was big: what follows it takes long too.
    var isBig = false
    /// The right to change the source's files, held until the end. Runs of one source share it.
    var filesLock: SourceLock?
    /// Why it has none, if that is a failure.
    var filesProblem: RemoraError?
    /// The entity tag of the newest document.
    var tag: EntityTag?
    /// How long the newest document is fresh by what the server said, in seconds.
    var maxAge: Int64?
    /// When it found that another client or process held the files, by the monotonic clock; nil if none did.
    var waitsSinceMs: Int64?
    /// Whether another client or process held the files when it wanted to begin.
    var hasWaited: Bool { waitsSinceMs != nil }
  }

  /// Whether it ignores the server's backoff, begins at once and is not joined.
  let isForced: Bool
  /// What a monitor said, if one did.
  let announced: Announcement
  /// The last attempt that was known when it was asked for.
  let attemptBeforeMs: Int64
  let waiters = Waiters<Never, RefreshResult>()
  let state = Guarded(State())
  let work = Confined(Work())

  init(isForced: Bool, announced: Announcement, attemptBeforeMs: Int64) {
    self.isForced = isForced
    self.announced = announced
    self.attemptBeforeMs = attemptBeforeMs
  }
}

/// Where the attempt of a refresh is noted.
enum AttemptNote {
  /// Nothing was attempted yet.
  case none
  /// In memory. It is written with what it comes to, and at the latest when the refresh ends.
  case noted
  /// In the ledger's file.
  case written
}

extension [RefreshRun] {
  /// The right to the files that one of them holds.
  func heldFiles(_ right: borrowing Exclusive) -> SourceLock? {
    for run in self { if let filesLock = run.work.read(right, \.filesLock) { return filesLock } }
    return nil
  }
}
