// SPDX-License-Identifier: Apache-2.0
//
// The callbacks of a client: one at a time, in order of publication, with no lock held. Here they are queued, withdrawn
// and stopped; `DeliveryLoop.swift` runs them. What a callback held is released with no lock held too.

internal import Glibc

/// Where a client's callbacks run.
package enum CallbackPlace: Sendable {
  /// On a thread of the client.
  case thread
  /// Inside `Delivery.dispatch`, on the thread that calls it.
  case dispatch
}

/// The deliveries of one client. No callback runs in its functions that need the lock.
package final class Delivery: RunningCallback, Sendable {
  /// How far the end has come.
  enum Phase {
    case open
    /// Accepts nothing. The log lines that were queued before are still delivered, but not while the process exits.
    case lastLines
    /// Accepts nothing and delivers nothing.
    case closed
  }

  /// The callback that is running.
  struct RunningCall {
    /// Its subscription, or the handle of its refresh. Not a reference: to release one may call the host.
    var owner: ObjectIdentifier?
    /// The event that it receives.
    var event: QueuedEvent?
  }

  struct State {
    var queue = CallQueue()
    /// The thread, once something was to be delivered.
    var thread: NamedThread?
    /// Whether the thread was returned to be joined.
    var isThreadTaken = false
    /// The thread that is inside `dispatch` now.
    var dispatcher: pthread_t?
    /// What a host's loop waits for, once it asked.
    var wakeup: Wakeup?
    var running: RunningCall?
    var phase = Phase.open
  }

  /// Log lines that find so many calls waiting are dropped: a host that never dispatches must not fill the memory.
  static let mostWaitingForLog = 1000

  let runtime: Runtime
  let place: CallbackPlace
  let state = Guarded(State())

  init(_ place: CallbackPlace, runtime: Runtime) {
    self.place = place
    self.runtime = runtime
  }

  // MARK: Queueing

  /// Starts the thread if this client has one and it is not there: at first need, and again in a forked child.
  func startIfNeeded(_ locked: borrowing Locked) throws(RemoraError) {
    let isNeeded = state.with(locked) { $0.thread == nil && $0.phase == .open }
    guard place == .thread, isNeeded else { return }
    try runtime.requireThreadsAllowed(locked)
    let thread = try NamedThread.start(name: "remora-events") { [self] in run() }
    state.with(locked) { $0.thread = thread }
  }

  /// As `startIfNeeded`, in a forked child with calls that were kept for it.
  func startIfWaitedFor(_ locked: borrowing Locked) throws(RemoraError) {
    if hasCalls(locked) { try startIfNeeded(locked) }
  }

  /// Queues an event; an update merges into one of the same cause and outcome that this subscription has not read yet.
  /// Others stay by themselves: whoever waits for the outcome of a refresh must not be told of an override instead.
  func enqueue(_ event: Event, for subscription: Subscription, _ locked: borrowing Locked) {
    guard isOpen(locked), subscription.sink(locked) != nil, subscription.wants(event) else { return }
    if event.isUpdate, let unread = subscription.unread(locked), unread.event.isLike(event) {
      var merged = event
      merged.old = unread.event.old
      merged.newExperimentIDs = unread.event.newExperimentIDs
      merged.newExperimentIDs.add(event.newExperimentIDs)
      unread.event = merged
      return
    }
    let queued = QueuedEvent(subscription, event)
    subscription.setUnread(event.isUpdate ? queued : nil, locked)
    enqueue(.event(queued), locked)
  }

  /// Queues the completion of a handle's refresh.
  func enqueue(for owner: ObjectIdentifier? = nil, _ locked: borrowing Locked, _ call: @escaping @Sendable () -> Void) {
    enqueueIfOpen(.call(owner: owner, call), locked)
  }

  /// Queues a log line.
  func enqueueLine(_ locked: borrowing Locked, _ call: @escaping @Sendable () -> Void) {
    enqueueIfOpen(.line(call), locked)
  }

  private func enqueueIfOpen(_ item: CallQueue.Item, _ locked: borrowing Locked) {
    if isOpen(locked) {
      enqueue(item, locked)
    } else {
      // Only at exit. To release it here might call the host.
      leak(item)
    }
  }

  private func enqueue(_ item: CallQueue.Item, _ locked: borrowing Locked) {
    state.with(locked) { $0.queue.append(item) }
    // Where the system has no thread to give, the item waits for one.
    try? startIfNeeded(locked)
    state.read(locked, \.wakeup)?.wake()
    runtime.lock.broadcast()
  }

  func isOpen(_ locked: borrowing Locked) -> Bool { state.read(locked, \.phase) == .open }

  /// Whether calls wait.
  func hasCalls(_ locked: borrowing Locked) -> Bool { state.with(locked) { !$0.queue.isEmpty } }

  /// Whether a log line may join the queue.
  func hasRoomForLog(_ locked: borrowing Locked) -> Bool {
    state.with(locked) { $0.queue.count < Self.mostWaitingForLog }
  }

  // MARK: Withdrawing

  /// Ends the completions of a handle. Returns what they held, to be released after unlocking.
  func endCalls(for handle: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    state.with(locked) { $0.queue.removeCalls(of: handle) }
  }

  /// Ends a subscription. Returns what it held, to be released after unlocking.
  func end(_ subscription: Subscription, _ locked: borrowing Locked) -> [Any] {
    [subscription.end(locked) as Any] + drop(of: subscription, locked)
  }

  /// Drops the events that a subscription has not received yet. Returns them, to be released after unlocking.
  func drop(of subscription: Subscription, _ locked: borrowing Locked) -> [Any] {
    subscription.setUnread(nil, locked)
    return state.with(locked) { $0.queue.removeEvents(of: subscription) }
  }

  /// Whether the calling thread is the one that runs this client's calls.
  func isOnThisThread(_ locked: borrowing Locked) -> Bool {
    if let dispatcher = state.read(locked, \.dispatcher) { return pthread_equal(dispatcher, pthread_self()) != 0 }
    return state.read(locked, \.thread)?.isCurrent == true
  }

  /// Waits until the callback of a subscription or handle has ended; nil waits for any. Not for callers inside a
  /// callback.
  func waitForCallback(of owner: ObjectIdentifier?, _ locked: borrowing Locked) {
    while let running = state.read(locked, \.running), owner == nil || running.owner == owner {
      _ = runtime.lock.wait(untilMonotonicMs: nil, locked)
    }
  }

  // MARK: Ends

  /// Closes the queue. Log lines stay in it if they are to be delivered: by the thread before it ends, or else by
  /// `deliverLastLines`. Returns everything else that it held, to be released after unlocking, and the thread to join.
  func close(keepingLines keepsLines: Bool, _ locked: borrowing Locked) -> (dropped: [Any], thread: NamedThread?) {
    let dropped = state.with(locked) { state in
      state.wakeup?.close()
      state.wakeup = nil
      return state.queue.removeAll(keepingLines: keepsLines)
    }
    return (dropped, stop(.lastLines, locked))
  }

  /// Ends the thread after the call that is running. The first call returns the thread, to be joined.
  func stop(_ locked: borrowing Locked) -> NamedThread? { stop(.closed, locked) }

  private func stop(_ phase: Phase, _ locked: borrowing Locked) -> NamedThread? {
    runtime.lock.broadcast()
    return state.with(locked) { state in
      defer { (state.phase, state.isThreadTaken) = (phase, true) }
      return state.isThreadTaken ? nil : state.thread
    }
  }

  /// After a fork, in the child: the thread and its callback do not exist here. Calls of the parent's stay with it;
  /// what the subscribers here have not been told of the live snapshot, they are told here too.
  func resumeChild(_ locked: borrowing Locked) {
    let isHere = isOnThisThread(locked)
    state.with(locked) { state in
      // Another thread was telling it, and has not got to the end here.
      let unfinished = state.running?.event.flatMap { $0.event.tellsState && !isHere ? $0 : nil }
      leak(state.queue.removeParentsCalls(keeping: unfinished))
      leak(state.running?.event)
      state.wakeup?.close()
      state = State(queue: state.queue, phase: state.phase)
    }
  }
}
