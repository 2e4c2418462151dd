// SPDX-License-Identifier: Apache-2.0
//
// The time limits of calls, in a runtime without threads whose clock stands still.

import Testing

@testable import Remora

@Suite("Time limits of calls", .serialized)
struct TimeLimitTests {
  final class Late: Sendable {}
  typealias Caller = Waiter<Never, Late>

  /// The ways in which an asynchronous call can end.
  enum End: CaseIterable {
    case result, cancellation, closedHandle, timeout
  }

  let lock = runtimeWithoutThreads.lock
  let worker = runtimeWithoutThreads.worker
  let delivery = Delivery(.dispatch, runtime: runtimeWithoutThreads)
  let work = Waiters<Never, Late>()

  init() throws {
    try lock.withLock { locked throws(RemoraError) in try worker.startIfNeeded(locked) }
    try #require(worker.nextDueMs == nil)
  }

  private func start(_ late: Late, _ limitMs: Int64, by clock: HostClock? = nil) -> Caller {
    let caller = Caller(.listening(Listener { _ in }, delivery))
    lock.withLock { locked in
      work.add(caller, locked)
      caller.end(late, afterMs: limitMs, TimeLimits(runtime: runtimeWithoutThreads, clock: clock), locked)
    }
    return caller
  }

  private func end(_ caller: Caller, by end: End) throws {
    switch end {
    case .result: _ = lock.withLock { work.finish(Late(), $0) }
    case .cancellation: lock.withLock { caller.end(Late(), $0) }
    case .closedHandle: _ = lock.withLock { caller.mute($0) }
    case .timeout:
      lock.withLock { worker.collectTimers($0) }
      while worker.runNextJob() {}
    }
    _ = try delivery.dispatch()
  }

  @Test(
    "the time limit of a call that has ended is not queued any more, and the memory of its job is free",
    arguments: End.allCases, [true, false])
  func ended(by way: End, isHostClock: Bool) throws {
    let clock = isHostClock ? HostClock(HostTime(wallMs: 0, monotonicMs: 0)) : nil
    weak var held: Late?
    let caller: Caller
    do {
      let late = Late()
      held = late
      caller = start(late, way == .timeout ? 0 : 3_600_000, by: clock)
    }
    #expect(held != nil)
    if clock == nil { #expect(worker.nextDueMs != nil) }
    try end(caller, by: way)
    #expect(held == nil)
    #expect(worker.nextDueMs == nil)
    withExtendedLifetime(caller) {}
  }

  @Test("if 60,000 calls with a time limit of an hour have ended, none of their time limits is queued")
  func many() throws {
    let late = Late()
    let callers = (0..<60_000).map { _ in start(late, 3_600_000) }
    #expect(worker.nextDueMs == 3_600_000)
    _ = lock.withLock { work.finish(late, $0) }
    #expect(worker.nextDueMs == nil)
    #expect(!worker.runNextJob())
    withExtendedLifetime(callers) {}
  }

  @Test("a call that ended before its time limit began queues no job")
  func endedBefore() {
    let late = Late()
    let caller = Caller(.listening(Listener { _ in }, delivery))
    lock.withLock { locked in
      caller.end(late, locked)
      caller.end(late, afterMs: 1, TimeLimits(runtime: runtimeWithoutThreads, clock: nil), locked)
    }
    #expect(worker.nextDueMs == nil)
  }
}

/// Kept, as its locks are: they live as long as the process. Its monotonic time is always 0.
private let runtimeWithoutThreads: Runtime = {
  var services = ProcessServices()
  services.time.monotonicMs = { 0 }
  services.startThread = nil
  services.setForkHandlers = {}
  services.setExitHandler = { () throws(RemoraError) in }
  return Runtime(services)
}()
