// SPDX-License-Identifier: Apache-2.0

/// The subscriptions of a source. Each belongs to the handle with which it was made, and ends with it. Events are
/// queued with the engine lock held, so all subscribers receive them in the order of publication.
final class Subscribers: Sendable {
  private let services: ClientServices
  private let subscriptions = Guarded<[(owner: ObjectIdentifier, subscription: Subscription)]>([])

  init(_ services: ClientServices) { self.services = services }

  func all(_ locked: Locked) -> [Subscription] {
    subscriptions[locked].map(\.subscription)
  }

  func isEmpty(_ locked: Locked) -> Bool { subscriptions[locked].isEmpty }

  /// Whether there is a subscriber to the whole source.
  func watchSource(_ locked: Locked) -> Bool {
    subscriptions[locked].contains { $0.subscription.key == nil }
  }

  func add(_ subscription: Subscription, owner: ObjectIdentifier, _ locked: Locked) {
    subscriptions[locked].append((owner, subscription))
  }

  /// Queues an event for every subscriber that it concerns. Subscribers to the whole source receive the experiments.
  func notify(_ event: Event, announcing experiments: [ExperimentID], _ locked: Locked) {
    var event = event
    for subscription in all(locked) {
      event.isOfKey = subscription.key != nil
      event.newExperimentIDs = event.isOfKey ? [] : experiments
      services.delivery.enqueue(event, for: subscription, locked)
    }
  }

  /// Ends a subscription, and waits for its callback unless the caller is inside one. Returns objects to be released
  /// after unlocking.
  func remove(_ subscription: Subscription, _ locked: Locked) -> [Any] {
    subscriptions[locked].removeAll { $0.subscription === subscription }
    let dropped = services.delivery.end(subscription, locked)
    waitForCallbacks(of: [subscription], locked)
    return dropped
  }

  /// Ends the subscriptions of a handle, or all. Returns them with their callbacks, to be released after unlocking.
  func removeAll(
    of owner: ObjectIdentifier? = nil, _ locked: Locked
  ) -> (ended: [Subscription], dropped: [Any]) {
    let ended = subscriptions.with(locked) { all in
      let ended = all.filter { owner == nil || $0.owner == owner }.map(\.subscription)
      all.removeAll { owner == nil || $0.owner == owner }
      return ended
    }
    return (ended, ended.flatMap { services.delivery.end($0, locked) })
  }

  /// Waits until none of the callbacks is running, unless the caller is inside one.
  func waitForCallbacks(
    of subscriptions: [Subscription], and handle: ObjectIdentifier? = nil, _ locked: Locked
  ) {
    guard !services.runtime.isInsideCallback(locked) else { return }
    for owner in subscriptions.map(ObjectIdentifier.init) + [handle].compactMap(\.self) {
      services.delivery.waitForCallback(of: owner, locked)
    }
  }
}
