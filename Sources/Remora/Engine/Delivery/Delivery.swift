// SPDX-License-Identifier: Apache-2.0
//
// The queue of a client's callbacks: one at a time, in order of publication, with no lock held. `DeliveryLoop.swift`
// runs them. What a callback held is released with no lock held too.

internal import Glibc

/// Where a client's callbacks run.
package enum CallbackPlace: Sendable {
  /// On a thread of the client.
  case thread
  /// Inside `Delivery.dispatch`, on the thread that calls it.
  case dispatch
}

/// The deliveries of one client.
///
/// `@unchecked Sendable`: all state is private, and the functions that touch it need the proof of the lock. No callback
/// runs in them.
package final class Delivery: RunningCallback, @unchecked Sendable {
  /// An event on its way to one subscription. A class, so that a later update can merge into it.
  final class QueuedEvent {
    let subscription: Subscription
    var event: Event

    init(_ subscription: Subscription, _ event: Event) {
      self.subscription = subscription
      self.event = event
    }
  }

  /// One call to come: an event, a log line, or a completion.
  private enum Item {
    case event(QueuedEvent)
    case line(@Sendable () -> Void)
    case call(owner: ObjectIdentifier?, @Sendable () -> Void)

    var isLine: Bool { if case .line = self { true } else { false } }
  }

  private enum Phase {
    case open
    /// Accepts nothing. The log lines that were queued before are still delivered, but not while the process exits.
    case lastLines
    /// Accepts nothing and delivers nothing.
    case closed
  }

  /// Log lines that find so many calls waiting are dropped: a host that never dispatches must not fill the memory.
  static let mostWaitingForLog = 1000

  let runtime: Runtime
  private let place: CallbackPlace

  /// Calls to come, the next one first, with their numbers.
  private var queue: [(number: Int, item: Item)] = []
  /// The number of the call that was queued last.
  private var lastNumber = 0
  /// The thread, once something was to be delivered.
  private var thread: NamedThread?
  /// The thread that is inside `dispatch` now.
  private var dispatcher: pthread_t?
  /// What a host's loop waits for, once it asked.
  private var wakeup: Wakeup?
  /// Whether the thread was given away to be joined.
  private var isThreadTaken = false
  /// Whether a callback is running now.
  private var isCalling = false
  /// The subscription, or the handle of the refresh, whose callback is running now. Not a reference: letting go of one
  /// calls the host.
  private var calling: ObjectIdentifier?
  /// The event that is told now.
  private var running: QueuedEvent?
  private var phase = Phase.open

  init(_ place: CallbackPlace, runtime: Runtime) {
    self.place = place
    self.runtime = runtime
  }

  /// Starts the thread if this client has one and it is not there: at first need, and again in a forked child.
  func startIfNeeded(_ locked: borrowing Locked) throws(RemoraError) {
    guard place == .thread, thread == nil, phase == .open else { return }
    try runtime.requireThreadsAllowed(locked)
    thread = try NamedThread.start(name: "remora-events") { [self] in run() }
  }

  /// Queues an event; an update merges into one of the same cause and outcome that this subscription has not read yet.
  /// Others stay by themselves: whoever waits for the outcome of a refresh must not be told of an override instead.
  func enqueue(_ event: Event, for subscription: Subscription, _ locked: borrowing Locked) {
    guard phase == .open, subscription.sink(locked) != nil, subscription.wants(event) else { return }
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

  private func enqueueIfOpen(_ item: Item, _ locked: borrowing Locked) {
    if phase == .open {
      enqueue(item, locked)
    } else {
      // Only at exit. To release it here might call the host.
      leak(item)
    }
  }

  /// Ends the completions of a handle. Returns what they held, to be released after unlocking.
  func endCalls(for handle: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    var dropped: [Any] = []
    queue.removeAll { item in
      guard case .call(handle, let call) = item.item else { return false }
      dropped.append(call)
      return true
    }
    return dropped
  }

  /// Whether the calling thread is the one that runs this client's calls.
  func isOnThisThread(_ locked: borrowing Locked) -> Bool {
    if let dispatcher { return pthread_equal(dispatcher, pthread_self()) != 0 }
    return thread?.isCurrent == true
  }

  /// Whether calls wait.
  func hasCalls(_ locked: borrowing Locked) -> Bool { !queue.isEmpty }

  /// As `startIfNeeded`, in a forked child with calls that were kept for it.
  func startIfWaitedFor(_ locked: borrowing Locked) throws(RemoraError) {
    if hasCalls(locked) { try startIfNeeded(locked) }
  }

  /// Whether a log line may join the queue.
  func hasRoomForLog(_ locked: borrowing Locked) -> Bool { queue.count < Self.mostWaitingForLog }

  /// Ends a subscription. Returns what it held, to be released after unlocking.
  func end(_ subscription: Subscription, _ locked: borrowing Locked) -> [Any] {
    [subscription.end(locked) as Any] + drop(of: subscription, locked)
  }

  /// Drops the events that a subscription has not received yet. Returns them, to be released after unlocking.
  func drop(of subscription: Subscription, _ locked: borrowing Locked) -> [Any] {
    var dropped: [Any] = []
    subscription.setUnread(nil, locked)
    queue.removeAll { item in
      guard case .event(let queued) = item.item, queued.subscription === subscription else { return false }
      dropped.append(queued)
      return true
    }
    return dropped
  }

  /// Waits until the callback of a subscription or handle has ended; nil waits for any. Not for callers inside a
  /// callback.
  func waitForCallback(of owner: ObjectIdentifier?, _ locked: borrowing Locked) {
    while isCalling, owner == nil || calling == owner { _ = runtime.lock.wait(untilMonotonicMs: nil, locked) }
  }

  /// Closes the queue. Log lines stay in it if they are to be delivered: by the thread before it ends, or else by
  /// `deliverLastLines`. Returns everything else that it held, to be released after unlocking, and the thread to join.
  func close(keepingLines keepsLines: Bool, _ locked: borrowing Locked) -> (dropped: [Any], thread: NamedThread?) {
    let dropped = queue.filter { !keepsLines || !$0.item.isLine }
    queue.removeAll { !keepsLines || !$0.item.isLine }
    wakeup?.close()
    wakeup = nil
    return (dropped, stop(.lastLines, locked))
  }

  /// Ends the thread after the call that is running. The first call returns the thread, to be joined.
  func stop(_ locked: borrowing Locked) -> NamedThread? { stop(.closed, locked) }

  private func stop(_ phase: Phase, _ locked: borrowing Locked) -> NamedThread? {
    self.phase = phase
    runtime.lock.broadcast()
    defer { isThreadTaken = true }
    return isThreadTaken ? nil : thread
  }

  /// After a fork, in the child: the thread and its callback do not exist here. Calls of the parent's stay with it;
  /// what the subscribers here have not been told of the live snapshot, they are told here too.
  func resumeChild(_ locked: borrowing Locked) {
    if !queue.isEmpty || running != nil {
      var kept: [(number: Int, item: Item)] = []
      // Another thread was telling it, and has not got to the end here.
      if let running, running.event.tellsState, !isOnThisThread(locked) { kept.append((0, .event(running))) }
      for call in queue {
        if case .event(let queued) = call.item, queued.event.tellsState { kept.append(call) }
      }
      leak(queue)
      queue = kept
      leak(running)
      running = nil
    }
    calling = nil
    isCalling = false
    isThreadTaken = false
    thread = nil
    dispatcher = nil
    wakeup?.close()
    wakeup = nil
  }

  private func enqueue(_ item: Item, _ locked: borrowing Locked) {
    lastNumber += 1
    queue.append((lastNumber, item))
    // Where the system has no thread to give, the item waits for one.
    try? startIfNeeded(locked)
    wakeup?.wake()
    runtime.lock.broadcast()
  }

  // MARK: For the loops

  /// Waits for the next call and begins it; nil only when no call will ever follow, which ends the thread.
  ///
  /// One hold of the lock from the wait to the begin: whatever is queued can be withdrawn whenever the lock is free.
  func waitAndBeginCall(_ locked: borrowing Locked) -> (() -> Void)? {
    while true {
      if let call = beginCall(upTo: .max, locked) { return call }
      guard phase == .open else { return nil }
      _ = runtime.lock.wait(untilMonotonicMs: nil, locked)
    }
  }

  private func mayBeginCalls(_ locked: borrowing Locked) -> Bool {
    switch phase {
    case .open: true
    case .lastLines: !runtime.isExiting(locked)
    case .closed: false
    }
  }

  /// Begins the next call, if there is one with a number up to `last`.
  func beginCall(upTo last: Int, _ locked: borrowing Locked) -> (() -> Void)? {
    guard mayBeginCalls(locked), let first = queue.first, first.number <= last else { return nil }
    queue.removeFirst()
    isCalling = true
    runtime.begin(self, locked)
    switch first.item {
    case .line(let call):
      return call
    case .call(let owner, let call):
      calling = owner
      return call
    case .event(let queued):
      let subscription = queued.subscription
      calling = ObjectIdentifier(subscription)
      if subscription.unread(locked) === queued { subscription.setUnread(nil, locked) }
      running = queued
      let sink = subscription.sink(locked)
      return { if let sink { subscription.deliver(queued.event, to: sink) } }
    }
  }

  /// Ends the call that is running. Returns the event that it delivered, to be released after unlocking.
  func endCall(_ locked: borrowing Locked) -> QueuedEvent? {
    defer { running = nil }
    isCalling = false
    calling = nil
    runtime.end(self, locked)
    runtime.lock.broadcast()
    return running
  }

  /// What a host's loop waits for.
  ///
  /// - Throws: `.invalidArgument` for a client with a thread, `.unavailable`, `.closed`.
  func descriptor(_ locked: borrowing Locked) throws(RemoraError) -> Int32 {
    try requireDispatch(locked)
    if let wakeup { return wakeup.descriptor }
    let made = try Wakeup()
    if !queue.isEmpty { made.wake() }
    wakeup = made
    return made.descriptor
  }

  /// Makes the calling thread the one that runs calls, and gives the number of the last call that waits.
  func beginDispatch(_ locked: borrowing Locked) throws(RemoraError) -> Int {
    try requireDispatch(locked)
    guard dispatcher == nil else { throw RemoraError(.busy, "remora_dispatch is running for this client already") }
    dispatcher = pthread_self()
    // Before the calls: what they queue wakes the loop again.
    wakeup?.clear()
    return lastNumber
  }

  /// Makes the calling thread the one that delivers the last log lines; false when there are none, or a thread that
  /// delivers them. Not for callers inside a callback.
  func beginLastLines(_ locked: borrowing Locked) -> Bool {
    guard thread == nil, !isOnThisThread(locked) else { return false }
    while dispatcher != nil { _ = runtime.lock.wait(untilMonotonicMs: nil, locked) }
    guard !queue.isEmpty else { return false }
    dispatcher = pthread_self()
    return true
  }

  /// Ends what `beginDispatch` or `beginLastLines` began.
  func endDispatch(_ locked: borrowing Locked) {
    dispatcher = nil
    // For `beginLastLines`; and for a host that was refused as busy, which has used up the descriptor's last edge.
    runtime.lock.broadcast()
    if !queue.isEmpty { wakeup?.wake() }
  }

  private func requireDispatch(_ locked: borrowing Locked) throws(RemoraError) {
    guard place == .dispatch else {
      throw .invalidArgument("client", "was not set up with REMORA_CALLBACKS_ON_DISPATCH")
    }
    guard phase == .open else { throw .closed }
  }
}
