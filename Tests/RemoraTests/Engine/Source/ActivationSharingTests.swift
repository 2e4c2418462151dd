// SPDX-License-Identifier: Apache-2.0
//
// Activation over a directory that others use, and that can fail: each client has its own live data, and what one
// stores another finds.

import Testing

@testable import Remora

@Suite("Activation (when reads start to return fetched data) in a directory that clients share")
struct ActivationSharingTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    try Scene(in: directory, server: server).fetchAndClose()
    server.put("b", at: 2000)
  }

  func scene(_ calls: SystemCalls = .real) throws -> Scene {
    try Scene(in: directory, server: server, calls: calls)
  }

  /// The look that the worker takes once a second, now.
  func look(_ handle: OpenSource) throws {
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { handle.source.adoption.adoptIfNewer($0) } }
    try drainWorker()
  }

  @Test("a client with manual activation uses another client's fetched data only after it activates that data")
  func adoptStaged() throws {
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let fetcher = try first.open()
    let waiting = try second.open({ $0.activation = .manual }, subscriber: recorder.sink)
    #expect(fetcher.refresh().outcome == .updated)
    try look(waiting)
    #expect(
      recorder.seen(2).last == SeenEvent(cause: .adopted, outcome: .staged, old: 1000, new: 1000, staged: 2000))
    #expect(waiting.keys == ["a"])
    #expect(try waiting.source.activate() == .updated)
    #expect(waiting.keys == ["a", "b"])
    #expect(try waiting.source.info().origin == .fetched)
    #expect(second.transport.requests.isEmpty)
  }

  @Test("a client with immediate activation uses data that another client has fetched but not activated")
  func adoptLive() throws {
    let (first, second) = try (scene(), scene())
    let stager = try first.open { $0.activation = .manual }
    let other = try second.open()
    #expect(stager.refresh().outcome == .staged)
    try look(other)
    #expect(other.keys == ["a", "b"])
    #expect(stager.keys == ["a"])
    // It overtakes what the other staged.
    server.put("c", at: 3000)
    #expect(other.refresh().outcome == .updated)
    #expect(stager.refresh().outcome == .unchanged)
    #expect(try stager.source.activate() == .updated)
    #expect(stager.keys == ["a", "b", "c"])
    first.client.close()
    second.client.close()
    #expect(try scene().keysAndClose() == ["a", "b", "c"])
  }

  @Test("in a client with manual activation, a refresh that picks up another client's data has the outcome STAGED")
  func waitForFetcher() throws {
    let (first, second) = try (scene(), scene())
    let fetcher = try first.open()
    let waiting = try second.open { $0.activation = .manual }
    first.transport.answer { _ in nil }
    let (ends, others) = (Completions([]), Completions([]))
    _ = try fetcher.source.refreshAsync(into: ends)
    #expect(first.transport.waitForRequests(1))
    _ = try waiting.source.refreshAsync(into: others)
    try drainWorker()
    let server = server
    first.transport.answer { .success(server.answer($0.url)) }
    first.transport.release(.success(server.answer(first.transport.requests[0].url)))
    #expect(ends.outcomes() == [.updated])
    #expect(others.outcomes() == [.staged])
  }

  @Test("after a reset by another client, a client with manual activation has no data until it activates new data")
  func adoptReset() throws {
    let (first, second) = try (scene(), scene())
    let recorder = Recorder()
    let fetcher = try first.open()
    let waiting = try second.open({ $0.activation = .manual }, subscriber: recorder.sink)
    #expect(recorder.seen(1).count == 1)
    try fetcher.source.reset()
    #expect(fetcher.refresh().outcome == .updated)
    try look(waiting)
    #expect(waiting.keys.isEmpty)
    #expect(recorder.seen(3).map(\.cause) == [.opened, .reset, .adopted])
    #expect(try waiting.source.activate() == .updated)
    #expect(waiting.keys == ["a", "b"])
  }

  @Test("if data is activated while another client holds the lock, it is used at once and stored as current data later")
  func busyFiles() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    handle.refresh()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(handle.source.name))
    #expect(try handle.source.activate() == .updated)
    #expect(handle.keys == ["a", "b"])
    #expect(try storage.readImage(handle.source.name, .staged) != nil)
    held.unlock()
    Runtime.shared.lock.withLock {
      Runtime.shared.worker.enqueue($0) { handle.source.publisher.carryOut(.promotionDue, $0) }
    }
    try drainWorker()
    #expect(try storage.readImage(handle.source.name, .staged) == nil)
    scene.client.close()
    #expect(try self.scene().keysAndClose() == ["a", "b"])
  }

  @Test("data activated while another client stores newer data is kept as current; the newer data waits for activation")
  func overtakenWhileBusy() throws {
    let (first, second) = try (scene(), scene())
    let activator = try first.open { $0.activation = .manual }
    activator.refresh()
    let other = try second.open { $0.activation = .manual }
    server.put("c", at: 3000)
    second.transport.answer { _ in nil }
    let ends = Completions([])
    _ = try other.source.refreshAsync(into: ends)
    #expect(second.transport.waitForRequests(1))
    #expect(try activator.source.activate() == .updated)
    let server = server
    second.transport.answer { .success(server.answer($0.url)) }
    second.transport.release(.success(server.answer(second.transport.requests[0].url)))
    #expect(ends.outcomes() == [.staged])
    try drainWorker()
    let publisher = activator.source.publisher
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { publisher.carryOut(.promotionDue, $0) } }
    try drainWorker()
    first.client.close()
    second.client.close()
    let third = try scene()
    let handle = try third.open { $0.activation = .manual }
    #expect(handle.keys == ["a", "b"])
    #expect(try handle.source.activate() == .updated)
    #expect(handle.keys == ["a", "b", "c"])
  }

  @Test("an activation during a refresh of the same client is stored")
  func ownRun() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    handle.refresh()
    scene.transport.answer { _ in nil }
    let ends = Completions([])
    let count = scene.transport.requests.count
    _ = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(count + 1))
    #expect(try handle.source.activate() == .updated)
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    #expect(try storage.readImage(handle.source.name, .staged) == nil)
    server.put("c", at: 3000)
    let server = server
    scene.transport.answer { .success(server.answer($0.url)) }
    scene.transport.release(.success(server.answer(scene.transport.requests[count].url)))
    #expect(ends.outcomes() == [.staged])
    #expect(handle.keys == ["a", "b"])
  }

  @Test("if an opening activates data while another client holds the lock, the data is used at once and stored later")
  func busyAtOpen() throws {
    let first = try scene()
    try first.open { $0.activation = .manual }.refresh()
    first.client.close()
    let second = try scene()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(StorageName(hashing: server.dialect().identity)))
    let handle = try second.open { $0.activation = .nextSetup }
    #expect(handle.keys == ["a", "b"])
    held.unlock()
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .staged)
    second.client.close()
    let third = try scene()
    #expect(try third.open { $0.activation = .manual }.keys == ["a", "b"])
  }

  @Test("fetched data that waits for activation is kept when the root pin changes, and can still be activated")
  func rotation() throws {
    let first = try scene()
    try first.open { $0.activation = .manual }.refresh()
    first.client.close()
    let chain = try TestChain(
      root: .root.around(TestTime.now), intermediates: [.intermediate.around(TestTime.now)],
      leaf: .leaf.around(TestTime.now))
    let rotated = try SignedServer(chain: chain, base: server.base)
    for (id, time) in [("a", 1000), ("b", 2000)] { rotated.put(id, at: Int64(time)) }
    let oldPin = try server.chain.pin.description
    func open(_ activation: ActivationMode) throws -> (Scene, OpenSource) {
      let scene = try Scene(in: directory, server: rotated)
      let handle = try scene.open {
        $0.previousRoots = [oldPin]
        $0.activation = activation
      }
      return (scene, handle)
    }
    let (eager, shown) = try open(.nextSetup)
    #expect(shown.keys == ["a", "b"])
    eager.client.close()
    let (careful, waiting) = try open(.manual)
    #expect(waiting.keys == ["a"])
    // Nothing moved, but it is stored under the root that has now vouched for it.
    #expect(waiting.refresh().outcome == .staged)
    careful.client.close()
    let (last, handle) = try open(.manual)
    #expect(handle.keys == ["a"])
    #expect(try handle.source.activate() == .updated)
    #expect(handle.keys == ["a", "b"])
    last.client.close()
  }
}
