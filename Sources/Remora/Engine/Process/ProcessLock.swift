// SPDX-License-Identifier: Apache-2.0
//
// The one lock of the engine, and the proof that a thread holds it. A function that needs the lock takes the proof, so
// that the compiler checks it. `Worker.swift` has the proof of the exclusive right to change sources.

/// Proof that the calling thread holds the process's lock. Only `ProcessLock` creates one.
///
/// It cannot be copied, stored or captured by an escaping closure.
package struct Locked: ~Copyable {
  fileprivate init() {}
}

/// The lock for everything mutable of the engine.
///
/// It is held for moments: never across I/O, a callback, or a call that could wait. The one exception is the loading of
/// libcurl and libcrypto, which must not happen while another thread forks.
package struct ProcessLock: Sendable {
  private let lock: Lock

  init(time: ProcessTime) { lock = Lock(time: time) }

  /// The time by which limits are counted.
  package var monotonicMs: Int64 { lock.time.monotonicMs() }

  /// Runs `body` while holding the lock. Never call out of the core from it.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Locked) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) in try body(Locked()) }
  }

  /// Runs `body` while holding the lock, unless another thread holds it.
  package func withLockIfFree(_ body: (borrowing Locked) -> Void) { lock.withLockIfFree { body(Locked()) } }

  /// Waits for a broadcast or until the monotonic time. Returns whether time is left.
  ///
  /// Other threads hold the lock meanwhile. Wakes without cause: check the condition again.
  package func wait(untilMonotonicMs deadline: Int64?, _ locked: borrowing Locked) -> Bool {
    lock.wait(untilMonotonicMs: deadline)
  }

  /// Wakes every thread that waits for a broadcast.
  package func broadcast() { lock.broadcast() }

  /// Wakes something once the caller unlocks the lock.
  func wakeAfterUnlock(_ next: any Wakeable, _ locked: borrowing Locked) { lock.wakeAfterUnlock(next) }

  /// Creates what one thread waits for beside this lock.
  func makeSignal() -> Signal { Signal(of: lock) }

  // MARK: Fork

  /// Before a fork: takes the lock, so that no other thread holds it.
  func prepareFork() { lock.prepareFork() }

  /// After a fork, in the parent.
  func resumeParent() { lock.resumeParent() }

  /// After a fork, in the child: the threads that waited do not exist here. Runs `body` before any other thread exists.
  func resumeChild(_ body: (borrowing Locked) -> Void) {
    lock.resumeChild()
    body(Locked())
  }
}
