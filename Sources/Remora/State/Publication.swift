// SPDX-License-Identifier: Apache-2.0

/// One change of the live or the staged image, from its cause to its event. Only `SourceState` creates one.
package struct Publication: Sendable {
  package enum Target: Equatable, Sendable {
    case live(Origin)
    case staged
    /// The staged image was rejected; the live data is unchanged.
    case withoutStaged
    /// The server confirmed the newest image; its data is unchanged.
    case confirmation
  }

  package let target: Target
  /// The cause of the event; nil for no event.
  package internal(set) var cause: Cause?
  package let outcome: Outcome
  package internal(set) var image: ImageFacts
  /// The ledger after the publication.
  package internal(set) var ledger: SourceLedger
  /// The new experiments for the event.
  package internal(set) var experiments: [ExperimentID] = []
  package let clearsStaged: Bool
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

  /// The outcome for the event: that of the refresh, or that an image is staged.
  var eventOutcome: Outcome { cause == .refreshed || target == .staged ? outcome : .none }
}
