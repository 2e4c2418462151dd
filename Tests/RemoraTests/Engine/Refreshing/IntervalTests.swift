// SPDX-License-Identifier: Apache-2.0
//
// Refreshing without being asked. The tests move the clock and look as the worker does once a second.

import Testing

@testable import Remora

extension OpenSource {
  /// Looks once, as the worker does, and lets it begin what is due.
  func look() throws {
    Runtime.shared.lock.withLock {
      Runtime.shared.worker.enqueue($0) { [source] exclusive in
        source.adoption.adoptIfNewer(exclusive)
        source.scheduledRefreshes.refreshIfDue(exclusive)
      }
    }
    for _ in 0..<3 { try drainWorker() }
  }
}

@Suite("Automatic refreshes with refresh_interval_ms")
struct IntervalTests {
  private static let minute: Int64 = 60_000
  private let server: SignedServer
  private let clock = ManualClock()

  init() throws {
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  /// A client whose random numbers are all the same: 0 makes every wait the shortest.
  private func scene(
    in directory: TemporaryDirectory? = nil, random: UInt32 = 0, callbacks: CallbackPlace = .thread
  ) throws -> Scene {
    try Scene(in: directory, server: server, clock: clock, callbacks: callbacks, random: { random })
  }

  private func open(_ scene: Scene, every interval: Int64? = minute, _ sink: EventSink? = nil) throws -> OpenSource {
    try scene.open(
      {
        $0.requiresSignature = false
        $0.opening.refreshIntervalMs = interval
        $0.opening.firstFetch = .onRequest
      }, subscriber: sink)
  }

  @Test("a source without an interval is not refreshed automatically")
  func off() throws {
    let scene = try scene()
    let handle = try open(scene, every: nil)
    let other = try open(self.scene())
    clock.advance(byMs: 100 * dayMs)
    try handle.look()
    try other.look()
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("the first automatic refresh starts after a random part of the interval, the next after at least half of it")
  func waits() throws {
    let scene = try scene(random: 1 << 31)
    let told = Recorder()
    let handle = try open(scene, told.sink)
    clock.advance(byMs: Self.minute / 2 - 1)
    try handle.look()
    #expect(scene.transport.requests.isEmpty)
    clock.advance(byMs: 1)
    try handle.look()
    #expect(told.seen(2).last?.outcome == .updated)
    #expect(handle.keys == ["a"])
    clock.advance(byMs: Self.minute * 3 / 4 - 1)
    try handle.look()
    #expect(scene.transport.requests.count == 1)
    clock.advance(byMs: 1)
    try handle.look()
    #expect(told.seen(3).last?.outcome == .unchanged)
    #expect(scene.transport.requests.count == 2)
  }

  @Test("a refresh that the program requests restarts the interval")
  func byHand() throws {
    let scene = try scene()
    clock.advance(byMs: -Self.minute)
    let handle = try open(scene)
    handle.refresh()
    clock.advance(byMs: Self.minute / 2 - 1)
    try handle.look()
    #expect(scene.transport.requests.count == 1)
    clock.advance(byMs: 1)
    try handle.look()
    #expect(scene.transport.waitForRequests(2))
  }

  @Test("clients that share a directory together send one request for each interval")
  func shared() throws {
    let directory = try TemporaryDirectory()
    let transport = server.transport()
    let clients = try (0..<3).map { _ in
      try Scene(in: directory, server: server, clock: clock, transport: transport, random: { 0 })
    }
    let handles = try clients.map { try open($0) }
    for round in 1...3 {
      for handle in handles { try handle.look() }
      #expect(transport.waitForRequests(round))
      for handle in handles { try handle.look() }
      #expect(transport.requests.count == round)
      clock.advance(byMs: Self.minute)
    }
    for handle in handles {
      #expect(handle.source.lock.wait(while: { handle.source.live($0).origin == .none }))
      #expect(handle.keys == ["a"])
    }
  }

  @Test("an automatic refresh that waits for another client's refresh uses its result, and sends no request of its own")
  func fasterOther() throws {
    let directory = try TemporaryDirectory()
    let handle = try open(try scene(in: directory))
    let scene = try scene(in: directory)
    let late = try open(scene)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let name = handle.source.name
    let held = try #require(try storage.tryLock(name))
    let ends = Completions([])
    let busy = try BusyWorker()
    let schedule = late.source.scheduledRefreshes
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { schedule.refreshIfDue($0) } }
    busy.release()
    for _ in 0..<3 { try drainWorker() }
    #expect(late.source.lock.withLock { late.source.refreshes.runs.all($0).count } == 1)
    var ledger = storage.readLedger(name)
    ledger.lastAttemptMs = clock.nowMs
    ledger.lastSuccessMs = clock.nowMs
    try held.writeLedger(ledger)
    held.unlock()
    #expect(late.source.lock.wait(while: { !late.source.refreshes.runs.all($0).isEmpty }))
    #expect(scene.transport.requests.isEmpty)
    #expect(try late.source.info().checkedAtMs == clock.nowMs)
    _ = try late.source.refreshAsync(into: ends)
    #expect(ends.outcomes() == [.updated])
  }

  @Test("a failed automatic refresh is retried 5 s later, and after a success the usual interval applies again")
  func retries() throws {
    let scene = try scene()
    let told = Recorder()
    let handle = try open(scene, told.sink)
    scene.transport.answer { _ in .failure(RemoraError(.network, "no connection")) }
    for attempt in 1...3 {
      try handle.look()
      #expect(told.seen(1 + attempt).last?.error == .network)
      clock.advance(byMs: 4999)
      try handle.look()
      #expect(scene.transport.requests.count == attempt)
      clock.advance(byMs: 1)
    }
    let server = server
    scene.transport.answer { .success(server.answer($0.url)) }
    try handle.look()
    #expect(told.seen(5).last?.outcome == .updated)
    clock.advance(byMs: Self.minute / 2 - 1)
    try handle.look()
    #expect(scene.transport.requests.count == 4)
    clock.advance(byMs: 1)
    try handle.look()
    #expect(scene.transport.waitForRequests(5))
  }

  @Test("while a backoff of the server applies, the interval causes no request and no event")
  func backoff() throws {
    let scene = try scene()
    let told = Recorder()
    // Before the opening, because the worker looks too.
    scene.transport.answer { _ in .success(.answer(503, "", [("Retry-After", "600")])) }
    let handle = try open(scene, told.sink)
    try handle.look()
    #expect(told.seen(2).last?.error == .http)
    let server = server
    scene.transport.answer { .success(server.answer($0.url)) }
    for _ in 0..<10 {
      clock.advance(byMs: Self.minute - 1)
      try handle.look()
    }
    #expect(scene.transport.requests.count == 1)
    #expect(told.all.count == 2)
    clock.advance(byMs: 10)
    try handle.look()
    #expect(told.seen(3).last?.outcome == .updated)
  }

  @Test("a machine that was suspended for a day refreshes once when it resumes")
  func sleep() throws {
    let scene = try scene()
    let told = Recorder()
    let handle = try open(scene, told.sink)
    try handle.look()
    _ = told.seen(2)
    clock.advance(byMs: dayMs)
    try handle.look()
    _ = told.seen(3)
    try handle.look()
    #expect(scene.transport.requests.count == 2)
  }

  @Test("setting the clock back by years does not stop automatic refreshes")
  func clockSetBack() throws {
    let scene = try scene(in: TemporaryDirectory())
    let told = Recorder()
    let handle = try open(scene, told.sink)
    try handle.look()
    _ = told.seen(2)
    clock.advance(byMs: -1000 * dayMs)
    try handle.look()
    #expect(told.seen(3).count == 3)
    clock.advance(byMs: Self.minute / 2 - 1)
    try handle.look()
    #expect(scene.transport.requests.count == 2)
    clock.advance(byMs: 1)
    try handle.look()
    #expect(told.seen(4).count == 4)
  }

  @Test("closing the source or the client ends its automatic refreshes")
  func ends() throws {
    let scene = try scene()
    let first = try open(scene)
    first.close()
    try first.look()
    let second = try open(scene)
    scene.client.close()
    try second.look()
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("with manual dispatch, automatic refreshes continue, and their events wait for remora_dispatch")
  func dispatch() throws {
    let scene = try scene(callbacks: .dispatch)
    let told = Recorder()
    let handle = try open(scene, told.sink)
    try handle.look()
    #expect(scene.transport.waitForRequests(1))
    #expect(handle.source.lock.wait(while: { handle.source.live($0).origin == .none }))
    #expect(handle.keys == ["a"])
    #expect(told.all.isEmpty)
    #expect(try scene.client.delivery.dispatch() == 2)
    #expect(told.all.map(\.outcome) == [.none, .updated])
  }
}

extension ProcessLock {
  /// Waits while something holds; false when it holds for too long.
  func wait(while holds: (Locked) -> Bool) -> Bool {
    let deadline = monotonicMs + longestWaitMs
    return withLock { locked in
      while holds(locked) {
        guard monotonicMs < deadline else { return false }
        _ = wait(untilMonotonicMs: monotonicMs + 10, locked)
      }
      return true
    }
  }
}
