// SPDX-License-Identifier: Apache-2.0
//
// The events of subscribers and the results of callers of a refresh.

/// A change of a source, or the outcome of a refresh.
package struct Event: Sendable {
  package let cause: Cause
  package let outcome: Outcome
  package var old: Snapshot
  package let new: Snapshot
  package var staged: Snapshot?
  /// Whether the subscriber watches one key, and so receives neither experiments nor a configuration.
  var isOfKey = false
  /// The experiments that no event has reported before.
  var newExperimentIDs: [ExperimentID] = []
  package var freshness = FreshnessChange(.none, .none)
  /// The error, if the outcome is refused or failed.
  package let error: RemoraError?
  /// The reason the data could not be stored and is in memory only.
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

  package var isUpdate: Bool { old !== new }

  /// Returns this event and a later one as one, if both are updates with the same cause and outcome; otherwise nil.
  /// Undelivered updates of that kind are merged.
  package func merged(with later: Event) -> Event? {
    guard isUpdate, later.isUpdate, cause == later.cause, outcome == later.outcome else { return nil }
    var merged = later
    merged.old = old
    merged.newExperimentIDs = newExperimentIDs
    merged.newExperimentIDs.add(later.newExperimentIDs)
    return merged
  }

  /// Whether a subscriber needs the event to know the live or the staged snapshot.
  var carriesState: Bool { isUpdate || cause == .opened || cause == .rejected || outcome == .staged }
}

/// The result of one caller's refresh.
package struct RefreshResult: Sendable {
  package let outcome: Outcome
  package let error: RemoraError?

  package init(_ outcome: Outcome, _ error: RemoraError? = nil) {
    self.outcome = outcome
    self.error = error
  }

  /// Creates the result for an error: refused if a response failed a check, none if nothing was attempted, else failed.
  package init(_ error: RemoraError) {
    self.init(error.code == .invalidArgument ? .none : error.isRefusal ? .refused : .failed, error)
  }
}

extension RemoraError {
  /// Whether a response was received and failed a check.
  fileprivate var isRefusal: Bool {
    switch code {
    case .parse, .format, .rejected, .schema, .future, .equivocation, .signatureMissing, .signatureMalformed,
      .signatureMismatch, .chainMalformed, .chainInvalid, .certificateExpired, .certificateSubject, .rootMismatch,
      .chainLocation, .attachmentMismatch:
      true
    case .invalidArgument, .notFound, .wrongType, .timeout, .cancelled, .closed, .busy, .network, .tls, .http,
      .redirect, .tooLarge, .unavailable, .backoff, .storage, .permission, .corrupt, .internal:
      false
    }
  }
}

extension Event {
  /// The new experiments, in the order of `new` and valid as long as `new`. Those that are no longer live are omitted.
  package var newExperiments: [Experiment] {
    guard !newExperimentIDs.isEmpty else { return [] }
    let wanted = Set(newExperimentIDs)
    var found: [Experiment] = []
    Experiments(of: new.reader.pointee)?.forEach { experiment in
      if wanted.contains(ExperimentID(experiment)) { found.append(experiment) }
      return true
    }
    return found
  }
}
