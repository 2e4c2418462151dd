// SPDX-License-Identifier: Apache-2.0
//
// A value that threads of a test share and wait for, and waits for other conditions.

import Glibc

@testable import Remora

/// The time limit of every wait whose end is expected, in milliseconds: long, because sanitizers and a busy machine
/// slow the engine thread, which all tests share.
let longestWaitMs: Int64 = 120_000

/// A guarded value. Waits end at a deadline, never by sleeping.
///
/// `@unchecked Sendable`: `value` is touched inside `lock` only.
final class Box<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = Locks.take()

  init(_ value: Value) { self.value = value }

  deinit { Locks.giveBack(lock) }

  /// Changes the value and wakes those who wait.
  func update<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { () throws -> Result in
      defer { lock.broadcast() }
      return try change(&value)
    }
  }

  /// Looks at the value.
  func read<Result>(_ look: (Value) -> Result) -> Result { lock.withLock { look(value) } }

  /// Waits until the condition holds; false after the time limit.
  func wait(atMostMs limit: Int64 = longestWaitMs, until holds: (Value) -> Bool) -> Bool {
    let deadline = monotonicMs() + limit
    return lock.withLock {
      while !holds(value) {
        if !lock.wait(untilMonotonicMs: deadline) { return holds(value) }
      }
      return true
    }
  }
}

/// Spins until a condition holds that nobody announces; false after the time limit.
func waitUntil(_ holds: () throws -> Bool) rethrows -> Bool {
  let deadline = monotonicMs() + longestWaitMs
  while monotonicMs() < deadline {
    if try holds() { return true }
    sched_yield()
  }
  return false
}

/// Locks live as long as the process: they are used again, so that tests leak none.
private enum Locks {
  private static let guardian = Lock()
  nonisolated(unsafe) private static var free: [Lock] = []

  static func take() -> Lock {
    guardian.withLock { free.popLast() } ?? Lock()
  }

  static func giveBack(_ lock: Lock) {
    guardian.withLock { free.append(lock) }
  }
}
