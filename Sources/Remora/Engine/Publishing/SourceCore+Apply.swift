// SPDX-License-Identifier: Apache-2.0
//
// Applies inputs to a source's state, with their effects in memory: results of refreshes, and events.

extension SourceCore {
  /// Changes the state, with its effects in memory.
  ///
  /// - Parameters:
  ///   - old: The previous live snapshot; nil if it is unchanged.
  ///   - run: The refresh whose result may be decided.
  /// - Returns: The resulting work.
  func apply(
    _ input: SourceInput, since old: Snapshot? = nil, for run: PublishingRun? = nil, _ locked: Locked
  ) -> [SourceWork] {
    let step = state[locked].data.handle(input)
    for notice in step.notices {
      switch notice {
      case .decide(let outcome, let error): run?.waiters.decide(RefreshResult(outcome, error), locked)
      case .event(let cause, let outcome, let error):
        let live = live(locked)
        let problem = state[locked].data.problems.storage
        notify(Event(cause, outcome, old: old ?? live, new: live, error: error, storageError: problem), locked)
      }
    }
    return step.work
  }

  /// Queues an event for every subscriber that it concerns.
  private func notify(_ event: Event, _ locked: Locked) {
    guard !state[locked].data.isMuted else { return }
    var event = event
    event.staged = staged(locked)
    let experiments = subscribers.watchSource(locked) ? state[locked].data.pendingExperiments.take() : []
    subscribers.notify(event, announcing: experiments, locked)
  }

  /// Adds a subscription, which ends with `owner`; with `replay` it receives the current state at once.
  func add(_ subscription: Subscription, owner: ObjectIdentifier, replay: Bool, _ locked: Locked) {
    subscribers.add(subscription, owner: owner, locked)
    guard replay else { return }
    let live = live(locked)
    var event = Event(.opened, old: live, new: live, storageError: state[locked].data.problems.storage)
    event.staged = staged(locked)
    if subscription.key == nil { event.newExperimentIDs = state[locked].data.pendingExperiments.take() }
    services.delivery.enqueue(event, for: subscription, locked)
  }
}
