// SPDX-License-Identifier: Apache-2.0
//
// What subscribers and callers are told of a source.

/// What a refresh did; raw values are those of the header.
package enum Outcome: Int32, Sendable {
  case none = 0
  case updated = 1
  case unchanged = 2
  case notNewer = 3
  case staged = 4
  case refused = 5
  case failed = 6
}

/// Why an event comes; raw values are those of the header.
package enum Cause: Int32, Sendable {
  case opened = 1
  case refreshed, adopted, reset, context, override, activated
}

/// One thing that happened to a source.
package struct Event: Sendable {
  package let cause: Cause
  package let outcome: Outcome
  /// What was live before.
  package var old: Snapshot
  /// What is live now.
  package let new: Snapshot
  /// What waits for its activation.
  package var staged: Snapshot?
  /// Experiments that nobody was told of before.
  var newExperimentIDs: [ExperimentID] = []
  /// Why the outcome is refused or failed.
  package let error: RemoraError?
  /// Why the data is in memory only.
  package let storageError: RemoraError?

  package init(
    _ cause: Cause, _ outcome: Outcome = .none, old: Snapshot, new: Snapshot, error: RemoraError? = nil,
    storageError: RemoraError? = nil
  ) {
    self.cause = cause
    self.outcome = outcome
    self.old = old
    self.new = new
    self.error = error
    self.storageError = storageError
  }

  /// Whether the event moved the live snapshot.
  package var isUpdate: Bool { old !== new }

  /// Whether both come of the same; two such updates that nobody has read yet become one.
  func isLike(_ other: Event) -> Bool { cause == other.cause && outcome == other.outcome }

  /// Whether a subscriber that never hears of it takes another snapshot for the live one, or for the staged one.
  var tellsState: Bool { isUpdate || cause == .opened || outcome == .staged }
}

/// The end of one caller's refresh.
package struct RefreshResult: Sendable {
  package let outcome: Outcome
  package let error: RemoraError?

  package init(_ outcome: Outcome, _ error: RemoraError? = nil) {
    self.outcome = outcome
    self.error = error
  }

  /// The end by an error: refused when an answer came and failed a check, none when nothing was tried, else failed.
  package init(_ error: RemoraError) {
    self.init(error.code == .invalidArgument ? .none : error.isRefusal ? .refused : .failed, error)
  }
}

extension RemoraError {
  /// Whether an answer came and was turned down.
  fileprivate var isRefusal: Bool {
    switch code {
    case .parse, .format, .future, .equivocation, .signatureMissing, .signatureMalformed,
      .signatureMismatch, .chainMalformed, .chainInvalid, .certificateExpired, .certificateSubject, .rootMismatch,
      .chainLocation, .attachmentMismatch:
      true
    case .invalidArgument, .notFound, .wrongType, .timeout, .cancelled, .closed, .busy, .network, .tls, .http,
      .redirect, .tooLarge, .unavailable, .backoff, .storage, .permission, .corrupt, .internal:
      false
    }
  }
}
