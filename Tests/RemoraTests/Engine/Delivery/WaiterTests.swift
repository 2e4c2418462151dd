// SPDX-License-Identifier: Apache-2.0
//
// The callers of one piece of work, without a client: every way to end, and that each caller ends once.

import Testing

@testable import Remora

@Suite("Callers that wait for an operation")
struct WaiterTests {
  typealias Caller = Waiter<Int, String>
  final class Owner: Sendable {}

  let delivery = Delivery(.dispatch, runtime: .shared)
  let lock = Runtime.shared.lock
  let work = Waiters<Int, String>()
  let seen = Box<[String]>([])
  let abandoned = Box(0)

  init() {
    lock.withLock { [abandoned] in work.onAbandoned($0) { _ in abandoned.update { $0 += 1 } } }
  }

  /// A caller whose callbacks note what they receive.
  func listening(handle: Owner? = nil, holding held: Owner? = nil, withoutRequest: String? = nil) -> Caller {
    let listener = Listener<Int, String>(
      progress: { [seen] progress in seen.update { $0.append("\(progress)") } },
      completion: { [seen] result in withExtendedLifetime(held) { seen.update { $0.append(result) } } })
    return Caller(
      .listening(listener, delivery), handle: handle.map { ObjectIdentifier($0) }, withoutRequest: withoutRequest)
  }

  /// Adds a caller to the work.
  func join(_ caller: Caller) -> Caller {
    lock.withLock { work.add(caller, $0) }
    return caller
  }

  /// Starts a thread whose call blocks, and waits until it has joined.
  func startBlocked(
    limitMs: Int64 = -1, into ends: Box<[String]>, joined: Box<Int> = Box(0)
  ) throws -> NamedThread {
    let before = joined.read { $0 }
    let thread = try NamedThread.startAsHost(name: "test-caller") { [lock, work] in
      let caller = Caller(.blocked(lock))
      let result = lock.withLock { locked in
        work.add(caller, locked)
        joined.update { $0 += 1 }
        let limits = TimeLimits(runtime: .shared, clock: nil)
        return caller.wait(forMs: limitMs, limits, locked) { caller.end("late", locked) }
      }
      ends.update { $0.append(result) }
    }
    #expect(joined.wait { $0 > before })
    return thread
  }

  func received() throws -> [String] {
    _ = try delivery.dispatch()
    return seen.read { $0 }
  }

  @Test("every blocked caller of an operation receives its result")
  func blocked() throws {
    let ends = Box<[String]>([])
    let joined = Box(0)
    let threads = try (0..<8).map { _ in try startBlocked(into: ends, joined: joined) }
    _ = lock.withLock { work.finish("done", $0) }
    #expect(ends.wait { $0.count == 8 })
    for thread in threads { #expect(thread.join(untilMonotonicMs: .max)) }
    #expect(ends.read { $0 } == Array(repeating: "done", count: 8))
    #expect(abandoned.read { $0 } == 0)
  }

  @Test("a timeout ends the wait of one caller, and the operation is cancelled when its last caller leaves")
  func limit() throws {
    let ends = Box<[String]>([])
    let thread = try startBlocked(limitMs: 1, into: ends)
    #expect(ends.wait { $0 == ["late"] })
    #expect(thread.join(untilMonotonicMs: .max))
    #expect(abandoned.read { $0 } == 1)

    let other = join(listening())
    let second = try startBlocked(limitMs: 1, into: ends)
    #expect(ends.wait { $0.count == 2 })
    #expect(second.join(untilMonotonicMs: .max))
    #expect(abandoned.read { $0 } == 1)
    lock.withLock { other.end("cancelled", $0) }
    #expect(abandoned.read { $0 } == 2)
    #expect(try received() == ["cancelled"])
  }

  @Test("a completion callback is called once, even if its caller then cancels or its handle is closed")
  func completion() throws {
    let owner = Owner()
    let caller = join(listening(handle: owner))
    _ = lock.withLock { work.finish("done", $0) }
    let dropped = lock.withLock { locked in
      caller.end("cancelled", locked)
      work.end(locked) { _ in "closed" }
      return work.mute(of: ObjectIdentifier(owner), locked) + [caller.mute(locked)].compactMap { $0 }
    }
    #expect(dropped.isEmpty)
    #expect(try received() == ["done"])
    #expect(try received() == ["done"])
    #expect(abandoned.read { $0 } == 0)
  }

  @Test("an internal callback for a result is called as soon as the result is known, and may join another operation")
  func continuation() throws {
    let next = Waiters<Int, String>()
    let follower = listening()
    let caller = join(
      Caller(
        .continuing { [seen] result, locked in
          seen.update { $0.append(result) }
          next.add(follower, locked)
        }))
    let atOnce = lock.withLock { locked in
      _ = work.finish("done", locked)
      let atOnce = seen.read { $0 }
      _ = next.finish("next", locked)
      caller.end("again", locked)
      return atOnce
    }
    #expect(atOnce == ["done"])
    #expect(try received() == ["done", "next"])
  }

  @Test("if a result is known without an operation, the completion callback of its caller still receives it")
  func withoutWork() throws {
    lock.withLock { listening().end("at once", $0) }
    #expect(try received() == ["at once"])
  }

  @Test("a newer progress report replaces one that was not delivered, and the last report precedes the result")
  func progress() throws {
    _ = join(listening())
    lock.withLock { locked in for count in 1...3 { work.report(count, locked) } }
    #expect(try received() == ["3"])
    lock.withLock { locked in
      work.report(4, locked)
      _ = work.finish("done", after: 5, locked)
    }
    #expect(try received() == ["3", "5", "done"])
  }

  @Test(
    "a blocked caller receives the last progress report before a success, and none before a failure",
    arguments: [true, false])
  func blockedProgress(isSuccess: Bool) {
    let caller = join(Caller(.blocked(lock, wantsProgress: true)))
    let steps = lock.withLock { locked in
      var steps: [String] = []
      work.report(1, locked)
      for report in 1...3 {
        switch caller.step(untilMonotonicMs: 0, locked) {
        case .report(let count): steps.append("\(count)")
        case .end(let result):
          steps.append(result)
          return steps
        case .outOfTime: steps.append("late")
        }
        guard report == 1 else { continue }
        work.report(2, locked)
        _ = work.finish("end", after: isSuccess ? 2 : nil, locked)
      }
      return steps
    }
    #expect(steps == (isSuccess ? ["1", "2", "end"] : ["1", "end"]))
  }
}
