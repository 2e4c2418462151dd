// SPDX-License-Identifier: Apache-2.0
//
// Running a client's callbacks: in a thread of its own, or in the host's call of `dispatch`.

extension Delivery {
  /// Calls the host, on the thread that runs the calls: nothing of ours is held.
  package static func callOut(_ host: () -> Void) { Runtime.shared.callbackGate.withoutLock(host) }

  /// The thread's work.
  func run() {
    let born = runtime.lock.withLock { runtime.forkGeneration($0) }
    while runCall(bornIn: born, { waitAndBeginCall($0) }) {}
  }

  /// Runs the calls that wait, on the calling thread; those that they cause are for the next time.
  ///
  /// - Returns: How many were run.
  /// - Throws: `.busy` when this is running already; `.invalidArgument` for a client with a thread; `.closed`.
  package func dispatch() throws(RemoraError) -> Int {
    let (born, last) = try runtime.lock.withLock { locked throws(RemoraError) in
      (runtime.forkGeneration(locked), try beginDispatch(locked))
    }
    return runHere(upTo: last, bornIn: born)
  }

  /// Runs the log lines that a close has left, on the calling thread, if no thread of the client does.
  func deliverLastLines() {
    let (born, isHere) = runtime.lock.withLock { (runtime.forkGeneration($0), beginLastLines($0)) }
    if isHere { _ = runHere(upTo: .max, bornIn: born) }
  }

  /// Runs calls on the calling thread, which is the dispatcher until then; returns how many.
  private func runHere(upTo last: Int, bornIn generation: Int) -> Int {
    var count = 0
    while runCall(bornIn: generation, { beginCall(upTo: last, $0) }) { count += 1 }
    runtime.lock.withLock { locked in
      // The child of a call that forked may be inside a dispatch of its own.
      if runtime.forkGeneration(locked) == generation { endDispatch(locked) }
    }
    return count
  }

  /// Runs the call that `begin` takes from the queue; false when it returns none.
  private func runCall(bornIn generation: Int, _ begin: (borrowing Locked) -> (() -> Void)?) -> Bool {
    // What the call holds goes with `call`, before it counts as ended, and with no lock held.
    do {
      guard let call = runtime.lock.withLock(begin) else { return false }
      runtime.callbackGate.withLock(call)
    }
    let (isOurs, told) = runtime.lock.withLock { locked -> (Bool, QueuedEvent?) in
      // A call that forked returns in the child as well, where this queue belongs to another thread.
      guard runtime.forkGeneration(locked) == generation else { return (false, nil) }
      return (true, endCall(locked))
    }
    withExtendedLifetime(told) {}
    return isOurs
  }
}
