// SPDX-License-Identifier: Apache-2.0
//
// Running a client's callbacks: in a thread of its own, or in the host's call of `dispatch`.

extension Delivery {
  /// Calls the host, on the thread that runs the calls: nothing of ours is held.
  package static func callOut(_ host: () -> Void) { Runtime.shared.callbackGate.withoutLock(host) }

  /// The thread's work.
  func run() {
    let born = runtime.lock.withLock { runtime.forkGeneration }
    while runCall(bornIn: born, { waitAndBeginCall() }) {}
  }

  /// Runs the calls that wait, on the calling thread; those that they cause are for the next time.
  ///
  /// - Returns: How many were run.
  /// - Throws: `.busy` when this is running already; `.invalidArgument` for a client with a thread; `.closed`.
  package func dispatch() throws(RemoraError) -> Int {
    let (born, last) = try runtime.lock.withLock { () throws(RemoraError) in
      (runtime.forkGeneration, try beginDispatch())
    }
    return runHere(upTo: last, bornIn: born)
  }

  /// Runs the log lines that a close has left, on the calling thread, if no thread of the client does.
  func deliverLastLines() {
    let (born, isHere) = runtime.lock.withLock { (runtime.forkGeneration, beginLastLines()) }
    if isHere { _ = runHere(upTo: .max, bornIn: born) }
  }

  /// Runs calls on the calling thread, which is the dispatcher until then; returns how many.
  private func runHere(upTo last: Int, bornIn generation: Int) -> Int {
    var count = 0
    while runCall(bornIn: generation, { beginCall(upTo: last) }) { count += 1 }
    runtime.lock.withLock {
      // The child of a call that forked may be inside a dispatch of its own.
      if runtime.forkGeneration == generation { endDispatch() }
    }
    return count
  }

  /// Runs the call that `begin`, inside the lock, takes from the queue; false when it returns none.
  private func runCall(bornIn generation: Int, _ begin: () -> (() -> Void)?) -> Bool {
    // What the call holds goes with `call`, before it counts as ended, and outside of the lock.
    do {
      guard let call = runtime.lock.withLock(begin) else { return false }
      runtime.callbackGate.withLock(call)
    }
    let (isOurs, told) = runtime.lock.withLock { () -> (Bool, QueuedEvent?) in
      // A call that forked returns in the child as well, where this queue belongs to another thread.
      guard runtime.forkGeneration == generation else { return (false, nil) }
      return (true, endCall())
    }
    withExtendedLifetime(told) {}
    return isOurs
  }
}
