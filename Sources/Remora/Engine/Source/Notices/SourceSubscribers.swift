// SPDX-License-Identifier: Apache-2.0
//
// Who is told of a source's events. All of it inside the lock.

extension Source {
  /// Adds the subscriber that an opener brings; it is told the state at open.
  func add(first sink: @escaping EventSink, owner: OpenSource) {
    add(Subscription(key: nil, sink: sink), owner: owner, replay: dialect.openingEvent.comes(with: live.origin))
  }

  func add(_ subscription: Subscription, owner: OpenSource, replay: Bool) {
    subscriptions.append((ObjectIdentifier(owner), subscription))
    if replay {
      var event = Event(.opened, old: live, new: live, storageError: storageError)
      event.staged = staged
      if subscription.key == nil { event.newExperimentIDs = takeUntoldExperiments() }
      client.delivery.enqueue(event, for: subscription)
    }
  }

  /// Ends a subscription, and waits for its callback unless the caller is inside one.
  func remove(_ subscription: Subscription) -> [Any] {
    subscriptions.removeAll { $0.subscription === subscription }
    let dropped = client.delivery.end(subscription)
    if !runtime.isInsideCallback { client.delivery.waitForCallback(of: ObjectIdentifier(subscription)) }
    return dropped
  }

  /// Queues an event for everybody who wants it.
  func notify(_ event: Event) {
    guard !isMuted else { return }
    var event = event
    event.staged = staged
    let experiments = subscriptions.contains { $0.subscription.key == nil } ? takeUntoldExperiments() : []
    for (_, subscription) in subscriptions {
      event.newExperimentIDs = subscription.key == nil ? experiments : []
      client.delivery.enqueue(event, for: subscription)
    }
  }

  /// Whether anybody is told of events.
  var hasSubscribers: Bool { !subscriptions.isEmpty }
}
