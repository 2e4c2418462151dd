// SPDX-License-Identifier: Apache-2.0
//
// Waits that end early: cancelled, muted, closed, forked.

import Testing

@testable import Remora

extension WaiterTests {
  @Test("closing a handle drops only that handle's callbacks, and frees their user data outside of the library's lock")
  func handles() throws {
    let (owner, other) = (Owner(), Owner())
    weak var weakHeld: Owner?
    do {
      let held = Owner()
      weakHeld = held
      _ = join(listening(handle: owner, holding: held))
      _ = join(listening(handle: other))
    }
    do {
      let dropped = lock.withLock { work.mute(of: ObjectIdentifier(owner), $0) }
      #expect(weakHeld != nil)
      withExtendedLifetime(dropped) {}
    }
    #expect(weakHeld == nil)
    _ = lock.withLock { work.finish("done", $0) }
    #expect(try received() == ["done"])
    #expect(abandoned.read { $0 } == 0)
  }

  @Test("closing a handle does not end the wait of a blocked caller")
  func muteBlocked() throws {
    let ends = Box<[String]>([])
    let thread = try startBlocked(into: ends)
    let muted = lock.withLock { locked in
      var muted: [Any] = []
      work.end(locked) { caller in
        if let held = caller.mute(locked) { muted.append(held) }
        return "closed"
      }
      return muted
    }
    #expect(muted.isEmpty)
    #expect(ends.wait { $0 == ["closed"] })
    #expect(thread.join(untilMonotonicMs: .max))
    #expect(abandoned.read { $0 } == 1)
  }

  @Test("a caller that cancels after the result is known still receives that result, and the work continues")
  func decided() throws {
    let caller = join(listening())
    let certain = lock.withLock { locked in
      var certain = [caller.decided(locked)]
      work.decide("updated", locked)
      certain.append(caller.decided(locked))
      work.end(locked) { _ in "closed" }
      return certain + [caller.decided(locked)]
    }
    #expect(certain == [nil, "updated", nil])
    #expect(try received() == ["updated"])
    #expect(abandoned.read { $0 } == 0)
  }

  @Test("callers that cancel or time out leave the other callers waiting")
  func someEnd() throws {
    let local = join(listening(withoutRequest: "absent"))
    let other = join(listening())
    let (areAllLocal, ended) = lock.withLock { locked in
      (work.acceptNoRequest(locked), work.end(locked) { $0.withoutRequest })
    }
    #expect(!areAllLocal)
    #expect(ended.count == 1 && ended.first === local)
    #expect(try received() == ["absent"])
    lock.withLock { other.end("cancelled", $0) }
    #expect(try received() == ["absent", "cancelled"])
    #expect(abandoned.read { $0 } == 1)
  }

  @Test("after the queue of callbacks is closed, a completion calls no callback", .abandoning)
  func closedDelivery() {
    let caller = join(listening())
    let (dropped, _) = lock.withLock { delivery.close(keepingLines: false, $0) }
    lock.withLock { caller.end("closed", $0) }
    withExtendedLifetime(dropped) {}
    #expect(seen.read { $0 }.isEmpty)
    #expect(abandoned.read { $0 } == 1)
  }

  @Test("a forked child does not inherit the callers that wait in its parent", .forks)
  func fork() throws {
    let ends = Box<[String]>([])
    let thread = try startBlocked(into: ends)
    let child = ForkedChild { [lock, work] in
      lock.withLock { work.resumeChild($0) }
      return lock.withLock { work.finish("done", $0).count } == 0 ? 0 : 1
    }
    #expect(child.wait() == 0)
    _ = lock.withLock { work.finish("done", $0) }
    #expect(ends.wait { $0 == ["done"] })
    #expect(thread.join(untilMonotonicMs: .max))
  }

  @Test("a caller whose wait is cancelled, closed and completed at the same time receives exactly one result")
  func races() throws {
    let rounds = 2000
    let ends = Box<[String]>([])
    let gate = Box((round: 0, ready: 0))
    let callers = Box<[Caller]>([])
    let (handle, muted) = (Owner(), Box(0))
    let acts: [@Sendable (Locked, Caller) -> Any?] = [
      { locked, caller in caller.end("cancelled", locked) },
      { [work] locked, _ in work.finish("finished", locked) },
      { [work] locked, _ in work.end(locked) { _ in "closed" } },
      { [work] locked, _ in
        let dropped = work.mute(of: ObjectIdentifier(handle), locked)
        muted.update { $0 += dropped.count }
        return dropped
      },
    ]
    let threads = try acts.map { act in
      try NamedThread.startAsHost(name: "test-ender") { [lock] in
        for round in 1...rounds {
          guard gate.wait(until: { $0.round == round }) else { return }
          guard let caller = callers.read({ $0.last }) else { return }
          let dropped = lock.withLock { act($0, caller) }
          withExtendedLifetime(dropped) {}
          gate.update { $0.ready += 1 }
        }
      }
    }
    for round in 1...rounds {
      let caller = Caller(
        .listening(Listener { result in ends.update { $0.append(result) } }, delivery), handle: ObjectIdentifier(handle)
      )
      callers.update { $0 = [join(caller)] }
      gate.update { $0 = (round, 0) }
      #expect(gate.wait { $0.ready == acts.count })
      let count = try delivery.dispatch()
      #expect(count <= 1)
      let rest = lock.withLock { work.finish("rest", $0) }
      #expect(rest.isEmpty)
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: .max)) }
    #expect(ends.read { $0.allSatisfy { ["cancelled", "finished", "closed"].contains($0) } })
    #expect(ends.read { $0.count } + muted.read { $0 } == rounds)
  }
}
