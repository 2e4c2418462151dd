// SPDX-License-Identifier: Apache-2.0
//
// A mutex with its condition, in raw memory so that a forked child can make them anew.
// (A lock of the Swift library that another thread held at fork would trap in the child.)

internal import CSupport
internal import Glibc

/// A pthread mutex and a condition variable on the monotonic clock. Copies share the same lock.
///
/// `@unchecked Sendable`: the pointers are constant; two point to what is made for sharing, one to a constant, and a
/// holder of the lock alone uses `woken`.
package struct Lock: @unchecked Sendable {
  /// The mutex; never moved, never freed: locks live as long as the process.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Signalled by `broadcast` whenever something that somebody may wait for has changed.
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  /// What is woken once the lock is free: a thread that wakes before would wait for the lock.
  private let woken: UnsafeMutablePointer<(any Wakeable)?>
  /// For waits. Behind a pointer, so that copies of the lock count no references.
  private let timing: UnsafeMutablePointer<ProcessTime>

  /// Makes an unlocked lock, for the life of the process.
  package init(time: ProcessTime = ProcessTime()) {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    woken = .allocate(capacity: 1)
    woken.initialize(to: nil)
    timing = .allocate(capacity: 1)
    timing.initialize(to: time)
    initialize()
  }

  /// The time by which waits are counted.
  package var time: ProcessTime { timing.pointee }

  /// Runs `body` while holding the lock. Never call out of the core inside.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { unlock() }
    return try body()
  }

  /// Runs `body` while holding the lock, unless somebody else holds it.
  package func withLockIfFree(_ body: () -> Void) {
    guard pthread_mutex_trylock(mutex) == 0 else { return }
    defer { unlock() }
    body()
  }

  /// Runs `body` while holding the lock, unless other threads keep it for so many milliseconds.
  package func withLock(withinMs limit: Int64, _ body: () -> Void) {
    guard pthread_mutex_trylock(mutex) == 0 || remora_mutex_lock_within(mutex, limit) == 0 else { return }
    defer { unlock() }
    body()
  }

  /// Releases the lock, which the caller holds, for the time of `body`: to call out of the core.
  package func withoutLock(_ body: () -> Void) {
    unlock()
    body()
    pthread_mutex_lock(mutex)
  }

  /// Waits for a broadcast or until the monotonic time. Returns whether time is left. The caller holds the lock, which
  /// other threads hold meanwhile.
  ///
  /// Wakes without cause: check the condition again.
  package func wait(untilMonotonicMs deadline: Int64?) -> Bool {
    wakeAfterUnlock(nil)
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

  /// Wakes something once the caller, who holds the lock, unlocks it. What waits for that already is woken at once.
  package func wakeAfterUnlock(_ next: (any Wakeable)?) {
    woken.pointee?.wake()
    woken.pointee = next
  }

  // Not inlined: the optimizer of Swift 6.3 crashes over this in a loop.
  @inline(never)
  private func unlock() {
    let next = woken.pointee
    woken.pointee = nil
    pthread_mutex_unlock(mutex)
    next?.wake()
  }

  /// Wakes every waiter.
  package func broadcast() { pthread_cond_broadcast(condition) }

  /// Before a fork: takes the lock, so that no other thread is inside.
  package func prepareFork() { pthread_mutex_lock(mutex) }

  /// After a fork, in the parent.
  package func resumeParent() { pthread_mutex_unlock(mutex) }

  /// After a fork, in the child: the threads that waited do not exist here.
  package func resumeChild() { initialize() }

  private func initialize() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    initializeCondition(condition)
  }
}

/// What `Lock.wakeAfterUnlock` wakes.
package protocol Wakeable: AnyObject, Sendable {
  func wake()
}

/// What one thread waits for beside a lock, so that no other thread's news wakes it. It counts: a wake before the wait
/// ends that at once.
///
/// `@unchecked Sendable`: the pointer is constant, and what it points to is made for sharing.
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

  /// Waits for a `wake` or until the monotonic time; wakes without cause. Returns whether time is left. The caller
  /// holds the lock, which other threads hold meanwhile.
  package func wait(untilMonotonicMs deadline: Int64?) -> Bool {
    var isInTime = true
    lock.withoutLock {
      if let wait = lock.time.wait {
        isInTime = wait(deadline)
      } else {
        isInTime = remora_semaphore_wait(semaphore, max(0, deadline ?? .max)) != ETIMEDOUT
      }
    }
    return isInTime
  }

  /// The time by which its waits are counted.
  package var monotonicMs: Int64 { lock.time.monotonicMs() }

  /// Wakes the thread that waits.
  package func wake() { sem_post(semaphore) }

  /// Wakes the thread that waits, once the caller unlocks the lock, which it holds.
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
