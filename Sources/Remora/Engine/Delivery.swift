// SPDX-License-Identifier: Apache-2.0
//
// The queue of a client's callbacks and the thread that runs them: one at a time, in order of publication, with no
// lock held. Whatever a callback held is let go outside of the lock too.

/// The deliveries of one client.
///
/// Concurrency: everything below "State" is guarded by the process's lock, which is never held while a callback runs.
/// `@unchecked Sendable` for that reason.
package final class Delivery: @unchecked Sendable {
  /// An event on its way to one subscription. A class, so that a later update can merge into it.
  final class QueuedEvent {
    let subscription: Subscription
    var event: Event

    init(_ subscription: Subscription, _ event: Event) {
      self.subscription = subscription
      self.event = event
    }
  }

  /// One call to come: an event, or a completion or log line.
  private enum Item {
    case event(QueuedEvent)
    case call(owner: ObjectIdentifier?, @Sendable () -> Void)
  }

  /// Held by delivery threads outside of the process's lock and of the host's code; see `Worker.gate`.
  private static let gate = Lock()

  private let runtime: Runtime

  // State
  /// Calls to come, the next one first.
  private var queue: [Item] = []
  /// The thread, once something was to be delivered.
  private var thread: NamedThread?
  /// Whether the thread was given away to be joined.
  private var isThreadTaken = false
  /// Whether a callback is running now.
  private var isCalling = false
  /// The subscription, or the handle of the refresh, whose callback is running now. Not a reference: letting go of one
  /// calls the host.
  private var calling: ObjectIdentifier?
  /// Set once: nothing is called afterwards.
  private var isClosed = false

  init(runtime: Runtime) { self.runtime = runtime }

  // MARK: Inside the lock

  /// Starts the thread if there is none: at first need, and again in a forked child.
  func startIfNeeded() throws(RemoraError) {
    guard thread == nil, !isClosed else { return }
    try runtime.requireThreadsAllowed()
    thread = try NamedThread.start(name: "remora-events") { [self] in run() }
  }

  /// Queues an event; an update merges into one that this subscription has not read yet.
  func enqueue(_ event: Event, for subscription: Subscription) {
    guard !isClosed, subscription.sink != nil, subscription.wants(event) else { return }
    if event.isUpdate, let unread = subscription.unread {
      var merged = event
      merged.old = unread.event.old
      unread.event = merged
      return
    }
    let queued = QueuedEvent(subscription, event)
    subscription.unread = event.isUpdate ? queued : nil
    enqueue(.event(queued))
  }

  /// Queues the completion of a handle's refresh, or a log line.
  func enqueue(for owner: ObjectIdentifier? = nil, _ call: @escaping @Sendable () -> Void) {
    if isClosed {
      // Only at exit. Letting go of it here, inside the lock, might call the host.
      leak(call)
    } else {
      enqueue(.call(owner: owner, call))
    }
  }

  /// Ends the completions of a handle. What they held is in the result, to be let go outside of the lock.
  func endCalls(for handle: ObjectIdentifier) -> [Any] {
    var dropped: [Any] = []
    queue.removeAll { item in
      guard case .call(handle, let call) = item else { return false }
      dropped.append(call)
      return true
    }
    return dropped
  }

  /// Whether the calling thread is this client's.
  var isOnThisThread: Bool { thread?.isCurrent == true }

  /// Ends a subscription. What it held is in the result, to be let go outside of the lock.
  func end(_ subscription: Subscription) -> [Any] {
    var dropped: [Any] = [subscription.sink as Any]
    subscription.sink = nil
    subscription.unread = nil
    queue.removeAll { item in
      guard case .event(let queued) = item, queued.subscription === subscription else { return false }
      dropped.append(queued)
      return true
    }
    return dropped
  }

  /// Waits until the callback of a subscription or handle has ended; nil waits for any. Not for callers inside a callback.
  func waitForCallback(of owner: ObjectIdentifier?) {
    while isCalling, owner == nil || calling == owner { _ = runtime.lock.wait(untilMonotonicMs: nil) }
  }

  /// Closes the queue: nothing new begins. What it held is in the result, to be let go outside of the lock.
  func close() -> (dropped: [Any], thread: NamedThread?) {
    let dropped = queue
    queue = []
    return (dropped, stop())
  }

  /// Ends the thread after the call that is running, and gives it to join, once.
  func stop() -> NamedThread? {
    isClosed = true
    runtime.lock.broadcast()
    defer { isThreadTaken = true }
    return isThreadTaken ? nil : thread
  }

  /// After a fork, in the child: the thread and its callback do not exist here, and what waited stays with the parent.
  func resumeChild() {
    leak(queue)
    queue = []
    calling = nil
    isCalling = false
    isThreadTaken = false
    thread = nil
  }

  private func enqueue(_ item: Item) {
    queue.append(item)
    // Where the system has no thread to give, the item waits for one.
    try? startIfNeeded()
    runtime.lock.broadcast()
  }

  // MARK: Fork; the gate is taken before the process's lock

  static func prepareFork() { gate.prepareFork() }

  static func resumeParent() { gate.resumeParent() }

  static func resumeGateInChild() { gate.resumeChild() }

  // MARK: The thread

  /// Calls the host, on a delivery thread: nothing of ours is held.
  package static func callOut(_ host: () -> Void) { gate.withoutLock(host) }

  private func run() {
    let born = runtime.lock.withLock { runtime.forkGeneration }
    while true {
      // What the call holds goes with `call`, before it counts as ended, and outside of the lock.
      do {
        guard let call = next() else { return }
        Self.gate.withLock(call)
      }
      let isChild = runtime.lock.withLock {
        // A call that forked returns in the child as well, where this queue belongs to another thread.
        guard runtime.forkGeneration == born else { return true }
        isCalling = false
        calling = nil
        runtime.calling[ObjectIdentifier(self)] = nil
        runtime.lock.broadcast()
        return false
      }
      if isChild { return }
    }
  }

  /// Waits for the next call; nil ends the thread.
  private func next() -> (() -> Void)? {
    runtime.lock.withLock {
      while queue.isEmpty, !isClosed { _ = runtime.lock.wait(untilMonotonicMs: nil) }
      guard !isClosed else { return nil }
      isCalling = true
      runtime.calling[ObjectIdentifier(self)] = self
      switch queue.removeFirst() {
      case .call(let owner, let call):
        calling = owner
        return call
      case .event(let queued):
        let subscription = queued.subscription
        calling = ObjectIdentifier(subscription)
        if subscription.unread === queued { subscription.unread = nil }
        let sink = subscription.sink
        return { if let sink { subscription.deliver(queued.event, to: sink) } }
      }
    }
  }
}
