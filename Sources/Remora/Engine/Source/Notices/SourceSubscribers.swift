// SPDX-License-Identifier: Apache-2.0
//
// The subscribers of a source's events.

extension Source {
  /// Adds the subscriber that an opener brings; it is told the state at open.
  func add(first sink: @escaping EventSink, owner: ObjectIdentifier, _ locked: borrowing Locked) {
    let subscription = Subscription(key: nil, sink: sink)
    add(subscription, owner: owner, replay: dialect.openingEvent.comes(with: live(locked).origin), locked)
  }

  func add(_ subscription: Subscription, owner: ObjectIdentifier, replay: Bool, _ locked: borrowing Locked) {
    state.with(locked) { $0.listeners.subscriptions.append((owner, subscription)) }
    if replay {
      let live = live(locked)
      var event = Event(.opened, old: live, new: live, storageError: state.read(locked, \.data.problems.storage))
      event.staged = snapshots.read(locked, \.staged)
      if subscription.key == nil { event.newExperimentIDs = state.with(locked) { $0.data.takeExperiments() } }
      services.delivery.enqueue(event, for: subscription, locked)
    }
  }

  /// Ends a subscription, and waits for its callback unless the caller is inside one.
  func remove(_ subscription: Subscription, _ locked: borrowing Locked) -> [Any] {
    state.with(locked) { $0.listeners.subscriptions.removeAll { $0.subscription === subscription } }
    let dropped = services.delivery.end(subscription, locked)
    if !runtime.isInsideCallback(locked) {
      services.delivery.waitForCallback(of: ObjectIdentifier(subscription), locked)
    }
    return dropped
  }

  /// Queues an event for everybody who wants it.
  func notify(_ event: Event, _ locked: borrowing Locked) {
    guard !state.read(locked, \.data.isSilenced) else { return }
    var event = event
    event.staged = snapshots.read(locked, \.staged)
    let subscriptions = state.read(locked, \.listeners.subscriptions).map(\.subscription)
    let experiments =
      subscriptions.contains { $0.key == nil } ? state.with(locked) { $0.data.takeExperiments() } : []
    for subscription in subscriptions {
      event.newExperimentIDs = subscription.key == nil ? experiments : []
      services.delivery.enqueue(event, for: subscription, locked)
    }
  }

  /// Whether anybody is told of events.
  func hasSubscribers(_ locked: borrowing Locked) -> Bool {
    !state.read(locked, \.listeners.subscriptions.isEmpty)
  }
}
