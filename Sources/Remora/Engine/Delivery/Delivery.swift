// SPDX-License-Identifier: Apache-2.0
//
// The callbacks of a client: one at a time, in order of publication, with no lock held. This file queues, withdraws and
// stops them; `Delivery+Loop.swift` runs them. Objects that a callback captured are released with no lock held too.

internal import Glibc

/// Where callbacks run; raw values are those of the C header.
package enum CallbackPlace: Int32, Sendable {
  case thread = 0
  /// In `Delivery.dispatch`, on the calling thread.
  case dispatch

  /// Creates the place from a number of the C header.
  ///
  /// - Throws: `.invalidArgument`.
  package init(option number: Int32) throws(RemoraError) {
    try self.init(number, of: "callbacks", "a known mode")
  }
}

/// The callback delivery of one client. Functions that need the lock run no callback.
package final class Delivery: RunningCallback, Sendable {
  enum Phase {
    case open
    /// Accepts nothing. Log lines that were queued before are still delivered, but not while the process exits.
    case lastLines
    /// Accepts nothing and delivers nothing.
    case closed
  }

  struct RunningCall {
    /// Its subscription, or the handle of its refresh. Not a reference, because releasing one may call the host.
    var owner: ObjectIdentifier?
    var event: QueuedEvent?
  }

  struct State {
    var queue = CallQueue()
    /// The thread, once something was to be delivered.
    var thread: NamedThread?
    /// Whether the thread was returned to a caller to be joined.
    var isThreadTaken = false
    /// The thread that is currently in `dispatch`.
    var dispatcher: pthread_t?
    /// The descriptor for the host's event loop, once it was requested.
    var wakeup: Wakeup?
    var running: RunningCall?
    var phase = Phase.open
  }

  /// The number of pending calls from which log lines and reports about attempts are dropped, so that a host that never
  /// dispatches does not run out of memory.
  static let mostWaiting = 1000

  let runtime: Runtime
  let place: CallbackPlace
  let state = Guarded(State())

  init(_ place: CallbackPlace, runtime: Runtime) {
    self.place = place
    self.runtime = runtime
  }

  // MARK: Queueing

  /// Starts the thread if this client has one and it is not running: at first need, and again in a forked child.
  func startIfNeeded(_ locked: Locked) throws(RemoraError) {
    let isNeeded = state.with(locked) { $0.thread == nil && $0.phase == .open }
    guard place == .thread, isNeeded else { return }
    try runtime.requireThreadsAllowed(locked)
    let thread = try NamedThread.start(name: "remora-events") { [self] in run() }
    state[locked].thread = thread
  }

  /// Starts the thread in a forked child, if calls were kept for it.
  func startIfWaitedFor(_ locked: Locked) throws(RemoraError) {
    if hasCalls(locked) { try startIfNeeded(locked) }
  }

  /// Queues an event. An update merges into an undelivered one of the same subscription, cause and outcome. Others stay
  /// separate: a subscriber that waits for the outcome of a refresh must not receive an override instead.
  func enqueue(_ event: Event, for subscription: Subscription, _ locked: Locked) {
    guard isOpen(locked), subscription.sink(locked) != nil, subscription.wants(event) else { return }
    if let unread = subscription.unread(locked), let merged = unread.event.merged(with: event) {
      unread.event = merged
      return
    }
    let queued = QueuedEvent(subscription, event)
    subscription.setUnread(event.isUpdate ? queued : nil, locked)
    enqueue(.event(queued), locked)
  }

  /// Queues a call of the host, such as a completion; `owner` is the handle to whose callbacks it belongs.
  func enqueue(for owner: ObjectIdentifier? = nil, _ locked: Locked, _ call: @escaping @Sendable () -> Void) {
    enqueueIfOpen(.call(owner: owner, call), locked)
  }

  func enqueueLine(_ locked: Locked, _ call: @escaping @Sendable () -> Void) {
    enqueueIfOpen(.line(call), locked)
  }

  private func enqueueIfOpen(_ item: CallQueue.Item, _ locked: Locked) {
    if isOpen(locked) {
      enqueue(item, locked)
    } else {
      // Only at exit. Releasing the item here might call the host.
      leak(item)
    }
  }

  private func enqueue(_ item: CallQueue.Item, _ locked: Locked) {
    state[locked].queue.append(item)
    // If the system cannot create a thread, the item stays queued until it can.
    try? startIfNeeded(locked)
    state[locked].wakeup?.wake()
    runtime.lock.broadcast()
  }

  func isOpen(_ locked: Locked) -> Bool { state[locked].phase == .open }

  func hasCalls(_ locked: Locked) -> Bool { !state[locked].queue.isEmpty }

  /// Whether a log line, or a report about an attempt, may be queued.
  func hasRoom(_ locked: Locked) -> Bool {
    state[locked].queue.count < Self.mostWaiting
  }

  // MARK: Withdrawing

  /// Cancels the completions of a handle. Returns objects to be released after unlocking.
  func endCalls(for handle: ObjectIdentifier, _ locked: Locked) -> [Any] {
    state[locked].queue.removeCalls(of: handle)
  }

  /// Ends a subscription. Returns objects to be released after unlocking.
  func end(_ subscription: Subscription, _ locked: Locked) -> [Any] {
    [subscription.end(locked) as Any] + drop(of: subscription, locked)
  }

  /// Drops the undelivered events of a subscription. Returns them, to be released after unlocking.
  func drop(of subscription: Subscription, _ locked: Locked) -> [Any] {
    subscription.setUnread(nil, locked)
    return state[locked].queue.removeEvents(of: subscription)
  }

  /// Whether the calling thread runs this client's calls.
  func isOnThisThread(_ locked: Locked) -> Bool {
    if let dispatcher = state[locked].dispatcher { return pthread_equal(dispatcher, pthread_self()) != 0 }
    return state[locked].thread?.isCurrent == true
  }

  /// Waits until the running callback of a subscription or handle has returned; nil waits for any. Must not be called
  /// inside a callback.
  func waitForCallback(of owner: ObjectIdentifier?, _ locked: Locked) {
    while let running = state[locked].running, owner == nil || running.owner == owner {
      _ = runtime.lock.wait(untilMonotonicMs: nil, locked)
    }
  }

  // MARK: Ends

  /// Closes the queue. Log lines that are to be delivered stay queued, for the thread before it ends, or else for
  /// `deliverLastLines`. Returns all other content, to be released after unlocking, and the thread to join.
  func close(keepingLines keepsLines: Bool, _ locked: Locked) -> (dropped: [Any], thread: NamedThread?) {
    let dropped = state.with(locked) { state in
      state.wakeup?.close()
      state.wakeup = nil
      return state.queue.removeAll(keepingLines: keepsLines)
    }
    return (dropped, stop(.lastLines, locked))
  }

  /// Stops the thread after the running call. The first call returns the thread, to be joined.
  func stop(_ locked: Locked) -> NamedThread? { stop(.closed, locked) }

  private func stop(_ phase: Phase, _ locked: Locked) -> NamedThread? {
    runtime.lock.broadcast()
    return state.with(locked) { state in
      defer { (state.phase, state.isThreadTaken) = (phase, true) }
      return state.isThreadTaken ? nil : state.thread
    }
  }

  /// Called after a fork, in the child, where the thread and its callback do not exist. The parent's calls are dropped;
  /// events about the live snapshot that were not delivered before the fork are delivered in the child too.
  func resumeChild(_ locked: Locked) {
    let isHere = isOnThisThread(locked)
    state.with(locked) { state in
      // Another thread was delivering this event, and does not finish in the child.
      let unfinished = state.running?.event.flatMap { $0.event.carriesState && !isHere ? $0 : nil }
      leak(state.queue.removeParentsCalls(keeping: unfinished))
      leak(state.running?.event)
      state.wakeup?.close()
      state = State(queue: state.queue, phase: state.phase)
    }
  }
}
