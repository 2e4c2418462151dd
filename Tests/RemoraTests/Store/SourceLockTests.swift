// SPDX-License-Identifier: Apache-2.0
//
// Who may write: one holder per source, among threads, objects, processes and forks.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("The lock of a source's files")
final class SourceLockTests: StoreSuite {
  @Test("two users of a source's lock in one process exclude each other, and other sources have their own locks")
  func excludesInProcess() throws {
    let lock = try directory.locked()
    #expect(lock.isHeld)
    #expect(try directory.tryLock(source) == nil)
    #expect(try directory.tryLock(otherSource) != nil)
    lock.unlock()
    #expect(!lock.isHeld)
    #expect(try directory.tryLock(source) != nil)
  }

  @Test(
    "if the former holder of a lock unlocks it a second time, the lock is not taken away from the next holder", .forks)
  func unlockOnce() throws {
    let first = try directory.locked()
    first.unlock()
    let second = try directory.locked()
    first.unlock()
    #expect(second.isHeld)
    #expect(try directory.tryLock(source) == nil)
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) != 0)
  }

  @Test("releasing the last reference to a lock releases the lock")
  func lastReference() throws {
    var lock: SourceLock? = try directory.locked()
    #expect(lock?.isHeld == true)
    lock = nil
    #expect(try directory.tryLock(source) != nil)
  }

  @Test("after a lock was released, it cannot be used to write")
  func writesNeedTheLock() throws {
    let lock = try directory.locked()
    lock.unlock()
    #expect(code { try lock.commit(image(1)) } == .internal)
    #expect(code { try lock.writeLedger(SourceLedger()) } == .internal)
    #expect(code { try lock.removeImages() } == .internal)
    #expect(temporary.names == ["lock"])
  }

  @Test("a directory that is opened twice has one set of locks, even if it is opened through a symbolic link")
  func oneSetOfLocks() throws {
    symlink(temporary.path, temporary.path("link"))
    let same = try StorageDirectory.open(path: temporary.path("link"))
    #expect(same.locks === directory.locks)
    let lock = try directory.locked()
    #expect(try same.tryLock(source) == nil)
    lock.unlock()
    let other = try TemporaryDirectory()
    #expect(try StorageDirectory.open(path: other.path).locks !== directory.locks)
  }

  @Test("opening and closing the directory a second time does not release a lock that is held", .forks)
  func endOfAnotherObject() throws {
    let lock = try directory.locked()
    for _ in 0..<3 { _ = try StorageDirectory.open(path: temporary.path).readLedger(source) }
    #expect(lock.isHeld)
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == EAGAIN)
  }

  @Test("another process cannot take a lock while it is held, and can take it afterwards", .forks)
  func excludesProcesses() throws {
    let lock = try directory.locked()
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == EAGAIN)
    #expect(test_try_lock_in_child(temporary.path("lock"), otherSource.lockByte) == 0)
    lock.unlock()
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == 0)
  }

  @Test("the lock of a process that is killed is released", .forks)
  func killedHolder() throws {
    try directory.locked().unlock()
    let child = test_hold_lock_in_child(temporary.path("lock"), source.lockByte)
    try #require(child > 0)
    #expect(try directory.tryLock(source) == nil)
    #expect(try directory.tryLock(otherSource) != nil)
    test_kill(child)
    #expect(try directory.tryLock(source) != nil)
  }

  @Test("a forked child does not hold its parent's lock, cannot release it and cannot take it", .forks)
  func forkedChild() throws {
    let lock = try directory.locked()
    let directory = directory
    let status = inForkedChild {
      if lock.isHeld { return 1 }
      lock.unlock()
      if code(of: { try lock.commit(image(1)) }) != .internal { return 2 }
      guard let busy = try? directory.tryLock(source), busy.isHeld else {
        guard let other = try? directory.tryLock(otherSource) else { return 4 }
        return code(of: { try other.commit(image(2)) }) == nil ? 0 : 5
      }
      return 3
    }
    #expect(status == 0)
    #expect(lock.isHeld)
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == EAGAIN)
    #expect(try directory.bytes(.live, of: otherSource) == image(2))
    try lock.commit(image(3))
  }

  @Test("a lock file that was deleted is created again, so that all processes use the same lock", .forks)
  func removedLockFile() throws {
    try directory.locked().unlock()
    unlink(temporary.path("lock"))
    let lock = try directory.locked()
    #expect(lock.isHeld)
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == EAGAIN)
  }

  @Test(
    "locking fails with a storage error if the file system has no locks or the lock file cannot be opened",
    arguments: [ENOLCK, ENOSYS, EIO, EMFILE])
  func noLocks(number: Int32) throws {
    for call in 1...2 {
      let faults = FaultySystemCalls()
      let other = try TemporaryDirectory()
      let faulty = try StorageDirectory.open(path: other.path, calls: faults.calls)
      faults.arm([call: .fails(errno: number)])
      #expect(code { _ = try faulty.tryLock(source) } == .storage, "\(faults.log)")
      #expect(try faulty.tryLock(source) != nil)
    }
  }

  @Test(
    "without permission for the lock file, a lock works only inside this process and nothing is written",
    arguments: [EACCES, EPERM])
  func lockFileWithoutPermission(number: Int32) throws {
    let faults = FaultySystemCalls()
    let other = try TemporaryDirectory()
    let faulty = try StorageDirectory.open(path: other.path, calls: faults.calls)
    faults.arm([1: .fails(errno: number)])
    let lock = try faulty.locked()
    #expect(try faulty.tryLock(source) == nil)
    #expect(code { try lock.commit(image(1)) } == .permission)
  }

  @Test("only one of several threads that compete for a lock holds it at a time")
  func threads() throws {
    let competition = Competition(directory: directory)
    let threads = try (0..<4).map { index in
      try NamedThread.startAsHost(name: "competitor \(index)") { competition.run() }
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    let result = competition.result
    #expect(result.wins == 4 * Competition.rounds)
    #expect(result.collisions == 0)
  }

  @Test("a lock stays valid while other threads open and close the same directory", .forks)
  func openAndClose() throws {
    let path = temporary.path
    let holder = try directory.locked()
    let threads = try (0..<4).map { index in
      try NamedThread.startAsHost(name: "opener \(index)") {
        for _ in 0..<200 {
          let own = try? StorageDirectory.open(path: path)
          _ = try? own?.tryLock(otherSource)
        }
      }
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    #expect(holder.isHeld)
    #expect(test_try_lock_in_child(temporary.path("lock"), source.lockByte) == EAGAIN)
  }
}

/// Threads that take one lock in turn. `@unchecked Sendable`: counters are used only under the guard.
private final class Competition: @unchecked Sendable {
  static let rounds = 50
  private let directory: StorageDirectory
  /// One for all: a lock is never freed.
  private static let guarded = Lock()
  private var inside = 0
  private var wins = 0
  private var collisions = 0

  init(directory: StorageDirectory) { self.directory = directory }

  /// How often the lock was won, and how often by two at once.
  var result: (wins: Int, collisions: Int) { Self.guarded.withLock { (wins, collisions) } }

  func run() {
    let deadline = monotonicMs() + 50_000
    var won = 0
    while won < Self.rounds, monotonicMs() < deadline {
      guard let lock = try? directory.tryLock(source) else {
        sched_yield()
        continue
      }
      Self.guarded.withLock {
        inside += 1
        if inside > 1 { collisions += 1 }
      }
      Self.guarded.withLock {
        inside -= 1
        wins += 1
      }
      won += 1
      lock.unlock()
    }
  }
}
