// SPDX-License-Identifier: Apache-2.0
//
// A mutex with a condition variable, in raw memory. The thread that forks holds the mutex during the fork, releases it
// in parent and child, and initialises the child's condition again. (A lock of Swift's standard library that another
// thread held during a fork would trap in the child.)

internal import CSupport
internal import Glibc

/// A pthread mutex and a condition variable on the monotonic clock. Copies share the same lock.
///
/// `@unchecked Sendable`: the pointers are constant. They point to a mutex and a condition variable, to a constant, and
/// to `woken`, which only the holder of the lock uses.
package struct Lock: @unchecked Sendable {
  /// The mutex; never moved or freed, because locks live as long as the process.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Signalled by `broadcast` whenever something has changed that a thread may be waiting for.
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  /// Woken after the lock is released: a thread that woke earlier would have to wait for the lock.
  private let woken: UnsafeMutablePointer<(any Wakeable)?>
  /// The clock for waits. Behind a pointer, so that copying the lock changes no reference counts.
  private let timing: UnsafeMutablePointer<ProcessTime>

  /// Creates an unlocked lock, for the lifetime of the process.
  package init(time: ProcessTime = ProcessTime()) {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    woken = .allocate(capacity: 1)
    woken.initialize(to: nil)
    timing = .allocate(capacity: 1)
    timing.initialize(to: time)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    initializeCondition(condition)
  }

  package var time: ProcessTime { timing.pointee }

  /// Runs `body` with the lock held. `body` must not call out of the core.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { unlock() }
    return try body()
  }

  /// Runs `body` with the lock held. Waits for it outside the fork gate, so a fork must take the lock before it closes
  /// the gate.
  package func withOuterLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 { ForkGate.outside { _ = pthread_mutex_lock(mutex) } }
    defer { unlock() }
    return try body()
  }

  /// Runs `body` with the lock held, unless another thread holds it.
  package func withLockIfFree(_ body: () -> Void) {
    guard pthread_mutex_trylock(mutex) == 0 else { return }
    defer { unlock() }
    body()
  }

  /// Runs `body` with the lock held, unless other threads hold it for `limit` milliseconds. It waits outside the fork
  /// gate, so a fork must take the lock before it closes the gate.
  package func withLock(withinMs limit: Int64, _ body: () -> Void) {
    guard pthread_mutex_trylock(mutex) == 0 || ForkGate.outside({ remora_mutex_lock_within(mutex, limit) }) == 0 else {
      return
    }
    defer { unlock() }
    body()
  }

  /// Releases the lock, which the caller holds, while `body` runs: to call out of the core.
  package func withoutLock(_ body: () -> Void) {
    unlock()
    body()
    pthread_mutex_lock(mutex)
  }

  /// Waits for a broadcast or until the monotonic time. Returns whether time is left. The caller holds the lock, which
  /// is released during the wait.
  ///
  /// Spurious wake-ups are possible: check the condition again.
  package func wait(untilMonotonicMs deadline: Int64?) -> Bool {
    wakeAfterUnlock(nil)
    let leftGate = remora_fork_gate_leave()
    defer { if leftGate { enterForkGate() } }
    if let wait = time.wait {
      pthread_mutex_unlock(mutex)
      defer { pthread_mutex_lock(mutex) }
      return wait(deadline)
    }
    guard let deadline, deadline < .max else {
      pthread_cond_wait(condition, mutex)
      return true
    }
    let clamped = max(0, deadline)
    var time = timespec(tv_sec: Int(clamped / 1000), tv_nsec: Int(clamped % 1000) * 1_000_000)
    return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
  }

  /// Enters the fork gate again. The caller holds the lock, which is released while a fork has closed the gate: the
  /// fork needs the lock.
  private func enterForkGate() {
    guard !remora_fork_gate_try_enter() else { return }
    pthread_mutex_unlock(mutex)
    remora_fork_gate_enter()
    pthread_mutex_lock(mutex)
  }

  /// Wakes `next` when the caller, who holds the lock, releases it. An earlier object that is still pending is woken at
  /// once.
  package func wakeAfterUnlock(_ next: (any Wakeable)?) {
    woken.pointee?.wake()
    woken.pointee = next
  }

  // Not inlined: the optimizer of Swift 6.3 crashes if this is inlined into a loop.
  @inline(never)
  private func unlock() {
    let next = woken.pointee
    woken.pointee = nil
    pthread_mutex_unlock(mutex)
    next?.wake()
  }

  /// Wakes every waiter.
  package func broadcast() { pthread_cond_broadcast(condition) }

  /// Called before a fork: takes the lock, so that no other thread holds it.
  package func prepareFork() { pthread_mutex_lock(mutex) }

  /// Called after a fork, in the parent.
  package func resumeParent() { pthread_mutex_unlock(mutex) }

  /// Called after a fork, in the child, where the waiting threads do not exist: the condition is initialised again.
  package func resumeChild() {
    initializeCondition(condition)
    pthread_mutex_unlock(mutex)
  }
}

/// An object that `Lock.wakeAfterUnlock` can wake.
package protocol Wakeable: AnyObject, Sendable {
  func wake()
}

/// A wake-up for one thread that holds a lock, so that events for other threads do not wake it. It counts: a wake
/// before the wait ends that wait at once.
///
/// `@unchecked Sendable`: the pointer is constant, and semaphores may be shared between threads.
package final class Signal: Wakeable, @unchecked Sendable {
  private let lock: Lock
  /// Never moved.
  private let semaphore: UnsafeMutablePointer<sem_t>

  package init(of lock: Lock) {
    self.lock = lock
    semaphore = .allocate(capacity: 1)
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Waits for a `wake` or until the monotonic time; spurious wake-ups are possible. Returns whether time is left. The
  /// caller holds the lock, which is released during the wait.
  package func wait(untilMonotonicMs deadline: Int64?) -> Bool {
    var isInTime = true
    lock.withoutLock {
      isInTime = ForkGate.outside {
        if let wait = lock.time.wait { return wait(deadline) }
        return remora_semaphore_wait(semaphore, max(0, deadline ?? .max)) != ETIMEDOUT
      }
    }
    return isInTime
  }

  /// The current time of the clock for its waits.
  package var monotonicMs: Int64 { lock.time.monotonicMs() }

  /// Wakes the waiting thread.
  package func wake() { sem_post(semaphore) }

  /// Wakes the waiting thread when the caller, who holds the lock, releases it.
  package func wakeAfterUnlock() { lock.wakeAfterUnlock(self) }
}

private func initializeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
  var attributes = pthread_condattr_t()
  pthread_condattr_init(&attributes)
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
  condition.initialize(to: pthread_cond_t())
  pthread_cond_init(condition, &attributes)
  pthread_condattr_destroy(&attributes)
}
