// SPDX-License-Identifier: Apache-2.0
//
// One refresh in progress, which is stopped early when its last caller leaves; the options of a caller, which decide
// whether the caller can share it; and the refreshes of a source.

/// The information about one source in a monitor's response.
struct Announcement: Sendable {
  var version: Int64 = 0
  /// The backoff that the monitor's response requested. It begins after the refreshes that the response caused.
  var backoff = Backoff()

  /// Whether the refreshes that the response caused may send requests during this backoff: it is that of the response,
  /// or one that was requested later and is not longer. Many servers send the same header with each response.
  func allows(_ other: Backoff) -> Bool {
    other.fromMs >= backoff.fromMs && other.lengthMs <= backoff.lengthMs
  }
}

/// The options of a caller for a refresh.
package struct RefreshManner: Sendable {
  /// Whether to send a request although the server asked for a pause, the data is fresh or a monitor lists it as
  /// unchanged, and not to share the request.
  package private(set) var isForced = false
  /// Whether any data of the source satisfies the caller.
  package private(set) var isOnlyIfEmpty = false
  /// Whether fresh data satisfies the caller, and a response that was already received.
  var acceptsFresh = false
  /// The announcement that led to the refresh; its version is 0 if there was none.
  var announced = Announcement()
  /// Whether the caller received the announcement itself: a request without that version might return older data.
  private(set) var isPushed = false

  package init() {}

  /// Creates the options of a host.
  ///
  /// - Parameter expected: The version in the announcement, or 0.
  /// - Throws: `.invalidArgument` naming the option.
  package init(isForced: Bool = false, isOnlyIfEmpty: Bool = false, expected: Int64 = 0) throws(RemoraError) {
    guard !isForced || !isOnlyIfEmpty else {
      throw .invalidArgument("only_if_empty", "must not be set for a forced refresh")
    }
    self.isForced = isForced
    self.isOnlyIfEmpty = isOnlyIfEmpty
    announced.version = try requireNotNegative(expected, "expected_version")
    isPushed = expected > 0
  }

  /// Creates the options of a fetch in a sync.
  init(announced: Announcement, isForced: Bool) {
    self.announced = announced
    self.isForced = isForced
  }

  /// Checks that the kind of the source accepts the options.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  func requireAccepted(by dialect: any Dialect) throws(RemoraError) {
    guard !isPushed || dialect.acceptsExpectedVersion else {
      throw .invalidArgument("expected_version", "must not be set: only collections have expected versions")
    }
  }
}

/// One refresh of a source, from its first request to its end.
final class RefreshRun: Sendable {
  struct State {
    var transfer: TransferID?
    /// The document of the current response, if a part of a large body has arrived.
    var arriving: ArrivingDocument?
    /// Set when the last response was received: later callers need a new refresh.
    var isAnswered = false
    /// Whether the run has ended; later responses are ignored. Set once.
    var isOver = false
    /// Whether the run was queued as a job. Set once.
    var hasBegun = false
    /// Whether a job has begun it, so that only a job can end it. Set once, unless the run is over before.
    var hasWork = false
  }

  struct Work {
    /// The server's ledger at the start, so that the clock of the whole run has the same lower bound. The backoff is
    /// read again before each further request.
    var server = ServerLedger()
    /// The last backoff that its own responses requested.
    var ownBackoff = Backoff()
    var figures = Attempt.Figures()
    /// The path; nil while the decoder has it.
    var path: RefreshPath?
    /// Whether a body was large, so that the following steps take long too.
    var isBig = false
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
  let publishing = PublishingRun()
  let state = Guarded(State())
  let work = Confined(Work())

  var waiters: RefreshWaiters { publishing.waiters }

  init(isForced: Bool, announced: Announcement, attemptBeforeMs: Int64) {
    self.isForced = isForced
    self.announced = announced
    self.attemptBeforeMs = attemptBeforeMs
  }
}

/// The refreshes of a source in progress, the running one first.
final class RefreshRuns: Sendable {
  private let runs = Guarded<[RefreshRun]>([])

  func all(_ locked: Locked) -> [RefreshRun] { runs[locked] }

  func isEmpty(_ locked: Locked) -> Bool { runs[locked].isEmpty }

  func add(_ run: RefreshRun, _ locked: Locked) { runs[locked].append(run) }

  func remove(_ run: RefreshRun, _ locked: Locked) {
    if let index = runs[locked].firstIndex(where: { $0 === run }) { runs[locked].remove(at: index) }
  }

  /// Returns a run that has not ended and that the caller may join; nil if there is none. An ended run stays in the
  /// list until a job has released its files, but no longer notifies callers.
  func runToJoin(_ how: RefreshManner, _ locked: Locked) -> RefreshRun? {
    guard !how.isForced else { return nil }
    return runs[locked].first { run in
      guard !run.isForced, !how.isPushed || run.announced.version >= how.announced.version else { return false }
      return !run.state[locked].isOver && (how.acceptsFresh || !run.state[locked].isAnswered)
    }
  }

  /// Returns the runs that may begin: the first one, and the last one if it is forced. Earlier forced runs were the
  /// last ones before.
  func mayBegin(_ locked: Locked) -> [RefreshRun] {
    let (first, last) = (runs[locked].first, runs[locked].last)
    return [first, last].compactMap(\.self).filter { $0 === first || $0.isForced }
  }

  /// Called after a fork, in the child: the runs belong to the parent.
  func resumeChild(_ locked: Locked) { leak(exchange(&runs[locked], [])) }
}
