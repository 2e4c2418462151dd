// SPDX-License-Identifier: Apache-2.0
//
// What becomes live or staged, and what its event says.

/// One change of what is live or staged, from its cause to its event.
package struct Publication: Sendable {
  /// What changes.
  package enum Target: Equatable, Sendable {
    case live(Origin)
    case staged
    /// The server confirmed the newest image; its data stays.
    case confirmation
  }

  package let target: Target
  /// Its event; nil for none.
  package internal(set) var cause: Cause?
  package let outcome: Outcome
  package internal(set) var image: ImageFacts
  /// What is known with it.
  package internal(set) var ledger: SourceLedger
  /// What its event announces.
  package internal(set) var experiments: [ExperimentID] = []
  /// Whether nothing is staged afterwards.
  package let clearsStaged: Bool
  /// Whether it answers a refresh.
  let endsRefresh: Bool
}

extension Publication {
  init(
    _ target: Target, _ cause: Cause?, _ outcome: Outcome, _ image: ImageFacts, _ ledger: SourceLedger,
    _ experiments: [ExperimentID] = [], clearsStaged: Bool = true, endsRefresh: Bool
  ) {
    self.target = target
    self.cause = cause
    self.outcome = outcome
    self.image = image
    self.ledger = ledger
    self.experiments = experiments
    self.clearsStaged = clearsStaged
    self.endsRefresh = endsRefresh
  }

  /// The outcome in its event: that of a refresh, or that something is staged.
  var eventOutcome: Outcome { cause == .refreshed || target == .staged ? outcome : .none }
}
