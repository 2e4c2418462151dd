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
    reportFreshness(locked)
    return step.work
  }

  /// Queues an event for every subscriber that it concerns.
  private func notify(_ event: Event, _ locked: Locked) {
    guard !state[locked].data.isMuted else { return }
    var event = event
    if event.cause != .freshness { event.freshness = unchangedFreshness(locked) }
    event.staged = staged(locked)
    let experiments = subscribers.watchSource(locked) ? state[locked].data.pendingExperiments.take() : []
    subscribers.notify(event, announcing: experiments, locked)
  }

  /// Adds a subscription, which ends with `owner`; with `replay` it receives the current state at once.
  func add(_ subscription: Subscription, owner: ObjectIdentifier, replay: Bool, _ locked: Locked) {
    if subscribers.isEmpty(locked) {
      state[locked].reportedFreshness = freshness(locked)
    } else {
      reportFreshness(locked)
    }
    subscribers.add(subscription, owner: owner, locked)
    guard replay else { return }
    let live = live(locked)
    var event = Event(.opened, old: live, new: live, storageError: state[locked].data.problems.storage)
    event.staged = staged(locked)
    event.freshness = unchangedFreshness(locked)
    event.isOfKey = subscription.key != nil
    if !event.isOfKey { event.newExperimentIDs = state[locked].data.pendingExperiments.take() }
    services.delivery.enqueue(event, for: subscription, locked)
  }
}

// MARK: Freshness

extension SourceCore {
  /// Returns the freshness now, by the last success that this process knows.
  func freshness(_ locked: Locked) -> Freshness {
    let options = services.options
    let limit = dialect.serverIdentity == nil ? nil : options.maxStaleMs
    return Freshness(of: state[locked].data.ledger, limitMs: limit, nowMs: options.clock.nowMs)
  }

  /// Queues an event if the freshness is another one than subscribers know: after a change of the state, and once a
  /// second.
  func reportFreshness(_ locked: Locked) {
    guard services.options.maxStaleMs != nil, isOpen(locked), !subscribers.isEmpty(locked) else { return }
    let change = FreshnessChange(state[locked].reportedFreshness, freshness(locked))
    guard change.old != change.new else { return }
    state[locked].reportedFreshness = change.new
    let live = live(locked)
    var event = Event(.freshness, old: live, new: live, storageError: state[locked].data.problems.storage)
    event.freshness = change
    notify(event, locked)
  }

  private func unchangedFreshness(_ locked: Locked) -> FreshnessChange {
    let now = freshness(locked)
    return FreshnessChange(now, now)
  }
}
