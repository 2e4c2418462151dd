// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Remora

@Suite("The library's lock, and the signals by which its threads wake each other")
struct LockTests {
  @Test("a wait on a condition ends at its deadline if no thread sends a signal")
  func deadline() {
    let lock = Lock()
    let start = monotonicMs()
    let inTime = lock.withLock { lock.wait(untilMonotonicMs: start + 20) }
    #expect(!inTime)
    #expect(monotonicMs() >= start + 20)
  }

  @Test("a wait for a lock that another thread holds ends at its time limit")
  func limit() throws {
    let lock = Lock()
    let (isHeld, isReleased) = (Box(false), Box(false))
    let holder = try NamedThread.startAsHost(name: "test-holder") {
      lock.withLock {
        isHeld.update { $0 = true }
        _ = isReleased.wait { $0 }
      }
    }
    try #require(isHeld.wait { $0 })
    var count = 0
    lock.withLock(withinMs: 1) { count += 1 }
    #expect(count == 0)
    isReleased.update { $0 = true }
    #expect(holder.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    lock.withLock(withinMs: 1) { count += 1 }
    #expect(count == 1)
  }

  @Test("a signal that is sent before a wait is remembered: it ends the next wait at once, and no other")
  func earlySignal() {
    let lock = Lock()
    let signal = Signal(of: lock)
    signal.wake()
    #expect(lock.withLock { signal.wait(untilMonotonicMs: .max) })
    #expect(!lock.withLock { signal.wait(untilMonotonicMs: monotonicMs() + 1) })
  }

  @Test("a thread that is woken after an unlock finds the lock free, and is woken once")
  func afterUnlock() {
    final class Counter: Wakeable {
      let lock: Lock
      let freeCount = Box(0)
      init(_ lock: Lock) { self.lock = lock }
      func wake() { lock.withLockIfFree { freeCount.update { $0 += 1 } } }
    }
    let lock = Lock()
    let counter = Counter(lock)
    lock.withLock {
      lock.wakeAfterUnlock(counter)
      #expect(counter.freeCount.read { $0 } == 0)
    }
    #expect(counter.freeCount.read { $0 } == 1)
    lock.withLock {}
    #expect(counter.freeCount.read { $0 } == 1)
  }
}
