// SPDX-License-Identifier: Apache-2.0
//
// One refresh in progress. It is stopped early when its last caller leaves.

/// One caller of a refresh.
package typealias RefreshWaiter = Waiter<Never, RefreshResult>

/// The information about one source in a monitor's response.
struct Announcement: Sendable {
  /// The version, or 0.
  var version: Int64 = 0
  /// The backoff that the monitor's response requested. It begins after the refreshes that the response caused.
  var backoff = Backoff()
}

/// One refresh of a source, from its first request to its end.
final class RefreshRun: Sendable {
  struct State {
    /// The current transfer.
    var transfer: TransferID?
    /// The document of the current response, if a part of a large body has arrived.
    var arriving: ArrivingDocument?
    /// Set when the last response was received: later callers need a new refresh.
    var isAnswered = false
    /// Whether the run has ended; later responses are ignored. Set once.
    var isOver = false
    /// Whether the run was queued on the worker. Set once.
    var hasBegun = false
    /// Whether the worker has begun it, so that only the worker can end it. Set once, unless the run is over before.
    var hasWork = false
  }

  struct Work {
    /// The server's ledger at the start. Read once, so that the whole run uses the same time.
    var server = ServerLedger()
    /// The last backoff that its own responses requested.
    var ownBackoff = Backoff()
    /// The cost so far.
    var figures = Attempt.Figures()
    /// The place where the attempt is recorded.
    var attempt = AttemptNote.none
    /// The path; nil while the decoder has it.
    var path: RefreshPath?
    /// Whether a body was large, so that the following steps take long too.
    var isBig = false
    /// The lock of the source's files, held until the end. Runs of one source share it.
    var filesLock: SourceLock?
    /// The error of taking that lock; nil if it was taken or is busy.
    var filesProblem: RemoraError?
    /// The entity tag of the newest document.
    var tag: EntityTag?
    /// The freshness lifetime of the newest document, as the server stated it, in seconds.
    var maxAge: Int64?
    /// The age of the newest document when it arrived, in seconds.
    var age: Int64 = 0
    /// The monotonic time at which another client or process was found to hold the files' lock; nil if none did.
    var waitsSinceMs: Int64?
    /// Whether another client or process held the files' lock when the run was to begin.
    var hasWaited: Bool { waitsSinceMs != nil }
  }

  /// Whether it ignores the server's backoff, begins at once and is not joined by other callers.
  let isForced: Bool
  /// The announcement of a monitor, if any.
  let announced: Announcement
  /// The least version with which the refresh can end without a request of its own.
  var leastVersion: Int64 { announced.version > 0 ? announced.version : .min }
  /// The time of the last known attempt when the refresh was requested.
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

/// The place where the attempt of a refresh is recorded.
enum AttemptNote {
  /// There was no attempt yet.
  case none
  /// In memory. It is written with its outcome, or at the latest when the refresh ends.
  case noted
  /// In the ledger's file.
  case written
}

extension [RefreshRun] {
  /// Returns the files' lock that one of the runs holds.
  func heldFiles(_ right: Exclusive) -> SourceLock? {
    for run in self { if let filesLock = run.work[right].filesLock { return filesLock } }
    return nil
  }
}
