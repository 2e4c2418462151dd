// SPDX-License-Identifier: Apache-2.0
//
// Runs a client's callbacks: on a thread of its own, or in the host's call of `dispatch`.

internal import Glibc

extension Delivery {
  func run() {
    let born = runtime.lock.withLock { runtime.forkGeneration($0) }
    while runCall(bornIn: born, { waitAndBeginCall($0) }) {}
  }

  /// Runs the pending calls on the calling thread; calls that they cause stay queued for the next dispatch.
  ///
  /// - Returns: The number of calls that were run.
  /// - Throws: `.busy` if another dispatch is running; `.invalidArgument` for a client with a thread; `.closed`.
  package func dispatch() throws(RemoraError) -> Int {
    let (born, last) = try runtime.lock.withLock { locked throws(RemoraError) in
      (runtime.forkGeneration(locked), try beginDispatch(locked))
    }
    return runHere(upTo: last, bornIn: born)
  }

  /// Runs the log lines that were left at closing, on the calling thread, unless a thread of the client does so.
  func deliverLastLines() {
    let (born, isHere) = runtime.lock.withLock { (runtime.forkGeneration($0), beginLastLines($0)) }
    if isHere { _ = runHere(upTo: .max, bornIn: born) }
  }

  /// Runs calls on the calling thread, which is the dispatcher meanwhile; returns their number.
  private func runHere(upTo last: Int, bornIn generation: Int) -> Int {
    var count = 0
    while runCall(bornIn: generation, { beginCall(upTo: last, $0) }) { count += 1 }
    runtime.lock.withLock { locked in
      // If a callback forked, the child may be inside a dispatch of its own.
      if runtime.forkGeneration(locked) == generation { endDispatch(locked) }
    }
    return count
  }

  /// Runs the call that `begin` takes from the queue; returns false if there is none.
  private func runCall(bornIn generation: Int, _ begin: (Locked) -> (() -> Void)?) -> Bool {
    // Releases what `call` captured with no lock held, before the call counts as ended.
    do {
      guard let call = runtime.lock.withLock(begin) else { return false }
      ForkGate.inside(call)
    }
    let (isOurs, told) = runtime.lock.withLock { locked -> (Bool, QueuedEvent?) in
      // If a callback forked, it returns in the child as well, where this queue belongs to another thread.
      guard runtime.forkGeneration(locked) == generation else { return (false, nil) }
      return (true, endCall(locked))
    }
    withExtendedLifetime(told) {}
    return isOurs
  }

  // MARK: One call

  /// Waits for the next call and begins it. Returns nil only if no further call can follow; then the thread ends.
  ///
  /// The lock is held without interruption from the end of the wait until the call begins, so a queued call can be
  /// withdrawn whenever the lock is free.
  private func waitAndBeginCall(_ locked: Locked) -> (() -> Void)? {
    while true {
      if let call = beginCall(upTo: .max, locked) { return call }
      guard isOpen(locked) else { return nil }
      _ = runtime.lock.wait(untilMonotonicMs: nil, locked)
    }
  }

  private func mayBeginCalls(_ locked: Locked) -> Bool {
    switch state[locked].phase {
    case .open: true
    case .lastLines: !runtime.isExiting(locked)
    case .closed: false
    }
  }

  /// Begins the next call, if its number is at most `last`.
  private func beginCall(upTo last: Int, _ locked: Locked) -> (() -> Void)? {
    guard mayBeginCalls(locked), let item = state[locked].queue.removeFirst(upTo: last) else { return nil }
    runtime.begin(self, locked)
    switch item {
    case .line(let call):
      state[locked].running = RunningCall()
      return call
    case .call(let owner, let call):
      state[locked].running = RunningCall(owner: owner)
      return call
    case .event(let queued):
      let subscription = queued.subscription
      state[locked].running = RunningCall(owner: ObjectIdentifier(subscription), event: queued)
      if subscription.unread(locked) === queued { subscription.setUnread(nil, locked) }
      let sink = subscription.sink(locked)
      return { if let sink { subscription.deliver(queued.event, to: sink) } }
    }
  }

  /// Ends the running call. Returns the delivered event, to be released after unlocking.
  private func endCall(_ locked: Locked) -> QueuedEvent? {
    let ended = exchange(&state[locked].running, nil)
    runtime.end(self, locked)
    runtime.lock.broadcast()
    return ended?.event
  }

  // MARK: The host's loop

  /// Returns the descriptor for the host's event loop.
  ///
  /// - Throws: `.invalidArgument` for a client with a thread, `.unavailable`, `.closed`.
  func descriptor(_ locked: Locked) throws(RemoraError) -> Int32 {
    try requireDispatch(locked)
    if let wakeup = state[locked].wakeup {
      if wakeup.isOpen { return wakeup.descriptor }
      wakeup.close()
    }
    let made = try Wakeup()
    if hasCalls(locked) { made.wake() }
    state[locked].wakeup = made
    return made.descriptor
  }

  /// Makes the calling thread the dispatcher, and returns the number of the last pending call.
  private func beginDispatch(_ locked: Locked) throws(RemoraError) -> Int {
    try requireDispatch(locked)
    return try state.with(locked) { state throws(RemoraError) in
      guard state.dispatcher == nil else {
        throw RemoraError(.busy, "a dispatch is running for this client already")
      }
      state.dispatcher = pthread_self()
      // Cleared before the calls run, because calls that they queue must wake the host's loop again.
      state.wakeup?.clear()
      return state.queue.lastNumber
    }
  }

  /// Makes the calling thread the one that delivers the last log lines. Returns false if there are none, or if a thread
  /// delivers them. Must not be called inside a callback.
  private func beginLastLines(_ locked: Locked) -> Bool {
    guard state[locked].thread == nil, !isOnThisThread(locked) else { return false }
    while state[locked].dispatcher != nil { _ = runtime.lock.wait(untilMonotonicMs: nil, locked) }
    guard hasCalls(locked) else { return false }
    state[locked].dispatcher = pthread_self()
    return true
  }

  /// Ends what `beginDispatch` or `beginLastLines` began.
  private func endDispatch(_ locked: Locked) {
    state.with(locked) { state in
      state.dispatcher = nil
      if !state.queue.isEmpty { state.wakeup?.wake() }
    }
    // Wakes `beginLastLines`, and a host that was refused as busy after it had consumed the descriptor's last edge.
    runtime.lock.broadcast()
  }

  private func requireDispatch(_ locked: Locked) throws(RemoraError) {
    guard place == .dispatch else {
      throw .invalidArgument("client", "was not set up to run its callbacks on dispatch")
    }
    guard isOpen(locked) else { throw .closed }
  }
}
