// SPDX-License-Identifier: Apache-2.0
//
// The end of a client: requests, waits and callbacks end, snapshots keep reading.

import Testing

@testable import Remora

@Suite("Closing a client or a source")
struct CloseTests {
  let scene: Scene
  let handle: OpenSource

  init() throws {
    scene = try Scene()
    scene.server.put("a", at: 1000)
    handle = try scene.open()
  }

  @Test("closing the client cancels its requests, and blocked calls return CLOSED")
  func waiters() throws {
    scene.transport.answer { _ in nil }
    let result = Box<RefreshResult?>(nil)
    let thread = try NamedThread.startAsHost(name: "test-waiter") { [handle] in
      let end = handle.source.refresh(timeoutMs: -1)
      result.update { $0 = end }
    }
    #expect(scene.transport.waitForRequests(1))
    scene.client.close()
    #expect(thread.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    #expect(result.read { $0?.error?.code } == .closed)
    #expect(scene.transport.cancelCount == 1)
  }

  @Test("every call on a closed client returns CLOSED, and snapshots that were not released stay readable")
  func afterwards() throws {
    #expect(handle.refresh().outcome == .updated)
    let snapshot = try handle.source.acquire()
    scene.client.close()
    let source = handle.source
    #expect(code { _ = try source.info() } == .closed)
    #expect(code { _ = try source.acquire() } == .closed)
    #expect(code { try source.reset() } == .closed)
    #expect(code { _ = try scene.open() } == .closed)
    #expect(code { _ = try handle.subscribe(key: nil, replay: true) { _, _ in } } == .closed)
    #expect(source.refresh(timeoutMs: -1).error?.code == .closed)
    #expect(code { _ = try source.awaitFresh(timeoutMs: -1) } == .closed)
    #expect(source.cell.int("a", "/v") == nil)
    #expect(snapshot.value("a", "/v")?.int == 1)
    scene.client.close()
    handle.close()
  }

  @Test("closing the client in an event callback does not change the outcome of the refresh that sent the event")
  func answered() throws {
    for _ in 0..<50 {
      let scene = try Scene()
      scene.server.put("a", at: 1000)
      let handle = try scene.open()
      let client = scene.client
      _ = try handle.subscribe(key: nil, replay: false) { _, _ in client.close() }
      #expect(handle.refresh().outcome == .updated)
    }
  }

  @Test("no callback is called after the client was closed, even if events were waiting for delivery")
  func noCallAfterwards() throws {
    let calls = Box(0)
    let gate = Box(false)
    _ = try handle.subscribe(key: nil, replay: false) { _, _ in
      calls.update { $0 += 1 }
      _ = gate.wait { $0 }
    }
    let (server, client) = (scene.server, scene.client)
    #expect(handle.refresh().outcome == .updated)
    #expect(calls.wait { $0 == 1 })
    #expect(handle.refresh().outcome == .unchanged)
    server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    let closer = try NamedThread.startAsHost(name: "test-closer") { client.close() }
    // The close waits for the callback that runs; it begins by answering closed.
    while code(of: { _ = try handle.source.info() }) != .closed {}
    gate.update { $0 = true }
    #expect(closer.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    #expect(calls.read { $0 } == 1)
  }

  @Test("a callback can close its own client, and no further callback is called")
  func fromInside() throws {
    let calls = Box(0)
    let client = scene.client
    _ = try handle.subscribe(key: nil, replay: true) { _, _ in
      client.close()
      calls.update { $0 += 1 }
    }
    #expect(calls.wait { $0 == 1 })
    #expect(handle.source.refresh(timeoutMs: -1).error?.code == .closed)
    #expect(calls.read { $0 } == 1)
  }

  @Test("closing the client frees the user data of each subscriber and completion exactly once")
  func release() throws {
    final class Held: Sendable {
      let count: Box<Int>
      init(_ count: Box<Int>) { self.count = count }
      deinit { count.update { $0 += 1 } }
    }
    let count = Box(0)
    scene.transport.answer { _ in nil }
    do {
      let (one, two) = (Held(count), Held(count))
      _ = try handle.subscribe(key: nil, replay: false) { _, _ in withExtendedLifetime(one) {} }
      _ = try handle.source.refreshAsync { _ in withExtendedLifetime(two) {} }
    }
    #expect(scene.transport.waitForRequests(1))
    scene.client.close()
    #expect(count.wait { $0 == 2 })
  }

  @Test("closing the last handle of a source closes the source, and the source can be opened again")
  func lastHandle() throws {
    let second = try scene.open()
    #expect(second.source === handle.source)
    handle.close()
    #expect(second.refresh().outcome == .updated)
    second.close()
    #expect(code { _ = try second.source.info() } == .closed)
    let third = try scene.open()
    #expect(third.source !== second.source)
    #expect(third.refresh().outcome == .updated)
  }
}
