// SPDX-License-Identifier: Apache-2.0
//
// The engine lock, and the proof that a thread holds it. A function that needs the lock takes the proof, so
// that the compiler checks it. `Worker.swift` has the proof of the exclusive right to change sources.

/// Proof that the calling thread holds the engine lock. It cannot be stored, returned, or captured by an escaping
/// closure.
package enum Locked: ~Escapable {
  case held(Key)

  /// Only `ProcessLock` creates one. A test checks that no other file takes it out of a proof.
  package struct Key { fileprivate init() {} }
}

/// The engine lock: the one lock of a process for the mutable state of the engine.
///
/// It is held briefly: never across I/O, a callback, or a call that could wait. The one exception is the loading of
/// libcurl and libcrypto, which must not happen while another thread forks.
package struct ProcessLock: Sendable {
  private let lock: Lock

  init(time: ProcessTime) { lock = Lock(time: time) }

  /// The clock for time limits.
  package var monotonicMs: Int64 { lock.time.monotonicMs() }

  /// Runs `body` with the lock held. `body` must not call out of the core.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (Locked) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) in try body(.held(Locked.Key())) }
  }

  /// Runs `body` with the lock held, unless another thread holds it.
  package func withLockIfFree(_ body: (Locked) -> Void) { lock.withLockIfFree { body(.held(Locked.Key())) } }

  /// Waits for a broadcast or until the monotonic time. Returns whether time is left.
  ///
  /// The lock is released during the wait. Spurious wake-ups are possible: check the condition again.
  package func wait(untilMonotonicMs deadline: Int64?, _ locked: Locked) -> Bool {
    lock.wait(untilMonotonicMs: deadline)
  }

  /// Wakes all threads that wait for a broadcast.
  package func broadcast() { lock.broadcast() }

  /// Wakes `next` when the caller releases the lock.
  func wakeAfterUnlock(_ next: any Wakeable, _ locked: Locked) { lock.wakeAfterUnlock(next) }

  /// Creates a wake-up for one thread that holds this lock.
  func makeSignal() -> Signal { Signal(of: lock) }

  // MARK: Fork

  /// Called before a fork: takes the lock, so that no other thread holds it.
  func prepareFork() { lock.prepareFork() }

  func resumeParent() { lock.resumeParent() }

  /// Called after a fork, in the child, where waiting threads do not exist. Runs `body` before any other thread exists.
  func resumeChild(_ body: (Locked) -> Void) {
    lock.resumeChild()
    body(.held(Locked.Key()))
  }
}

// Waits for the lock of files that another process is changing.

extension ProcessLock {
  /// Locks the files of a name. Waits while another process holds the lock; returns nil on timeout.
  ///
  /// The engine lock is released during the wait, so that a broadcast ends a pause early.
  func waitForFiles(
    of name: StorageName, in storage: StorageDirectory, withinMs limit: Int64
  ) throws(RemoraError) -> SourceLock? {
    let deadline = monotonicMs + limit
    while true {
      if let filesLock = try storage.tryLock(name) { return filesLock }
      guard monotonicMs < deadline else { return nil }
      _ = withLock { wait(untilMonotonicMs: monotonicMs + 5, $0) }
    }
  }
}
