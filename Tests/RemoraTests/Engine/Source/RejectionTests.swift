// SPDX-License-Identifier: Apache-2.0
//
// Rejections by a host: what is read afterwards, and what is not accepted again.

import Testing

@testable import Remora

@Suite("Rejection of a version that a program cannot work with")
struct RejectionTests {
  let directory: TemporaryDirectory
  let scene: Scene
  var server: SignedServer { scene.server }

  init() throws {
    directory = try TemporaryDirectory()
    scene = try Scene(in: directory)
    server.put("good", at: 1000)
  }

  /// Opens the collection at version 1000, and fetches version 2000.
  func fetched(
    _ change: (inout CollectionOptions) -> Void = { _ in }, subscriber: EventSink? = nil
  ) throws -> OpenSource {
    let handle = try scene.open(change, subscriber: subscriber)
    handle.refresh()
    server.put("bad", at: 2000)
    handle.refresh()
    return handle
  }

  /// As `fetched`, and rejects version 2000.
  func rejected(
    _ change: (inout CollectionOptions) -> Void = { _ in }, subscriber: EventSink? = nil
  ) throws -> OpenSource {
    let handle = try fetched(change, subscriber: subscriber)
    try handle.reject()
    return handle
  }

  func reopened(_ change: (inout CollectionOptions) -> Void = { _ in }) throws -> (Scene, OpenSource) {
    scene.client.close()
    let next = try Scene(in: directory, server: server)
    return (next, try next.open(change))
  }

  @Test("after the rejection of the live version, reads return the version before it, and an event says so")
  func previous() throws {
    let recorder = Recorder()
    let handle = try rejected(subscriber: recorder.sink)
    #expect(handle.keys == ["good"])
    #expect(handle.version == 1000)
    #expect(
      recorder.seen(4).last == SeenEvent(cause: .rejected, old: 2000, new: 1000, changes: ["deleted bad"]))
    #expect(try handle.source.info().rejectedVersion == 2000)
    #expect(try handle.source.info().origin == .cached)
  }

  @Test("a rejected version is refused as often as the server offers it, until the server has a newer one")
  func refused() throws {
    let handle = try rejected()
    for isForced in [false, true, false] {
      let result = try handle.source.refresh(RefreshManner(isForced: isForced), timeoutMs: -1)
      #expect((result.outcome, result.error?.code) == (.refused, .rejected))
      #expect(handle.keys == ["good"])
    }
    #expect(handle.source.ledger.failures == 0)
    server.put("better", at: 3000)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["bad", "better", "good"])
    #expect(try handle.source.info().rejectedVersion == 2000)
  }

  @Test("a rejection is known after a restart: the version is neither read nor fetched")
  func restart() throws {
    _ = try rejected()
    let (next, handle) = try reopened()
    #expect(handle.keys == ["good"])
    #expect(try handle.source.info().rejectedVersion == 2000)
    #expect(handle.refresh().error?.code == .rejected)
    next.client.close()
  }

  @Test("if the first version that was ever fetched is rejected, the packaged data is read again, or nothing")
  func first() throws {
    let handle = try scene.open()
    handle.refresh()
    try handle.reject()
    #expect(handle.keys.isEmpty)
    #expect(try handle.source.info().origin == Origin.none)
    let (next, second) = try reopened { $0.packaged = .bytes(Array(#"{"data":[],"timestamp":3}"#.utf8)) }
    #expect(second.version == 3)
    #expect(second.refresh().error?.code == .rejected)
    next.client.close()
  }

  @Test("packaged data that is newer than the version before the rejected one is read")
  func newerPackaged() throws {
    let handle = try rejected { $0.packaged = .bytes(Array(#"{"data":[],"timestamp":1500}"#.utf8)) }
    #expect((handle.version, handle.keys) == (1500, []))
  }

  @Test("a version that was live for long survives two bad ones that follow in a short time", arguments: [false, true])
  func twoBadVersions(isRestarted: Bool) throws {
    var (last, handle) = try (scene, scene.open())
    handle.refresh()
    for (version, id) in [(2000, "bad"), (3000, "worse")] {
      server.put(id, at: Int64(version))
      #expect(handle.refresh().outcome == .updated)
    }
    if isRestarted { (last, handle) = try reopened() }
    #expect(handle.version == 3000)
    try handle.reject()
    #expect(handle.keys == ["good"])
    last.client.close()
  }

  @Test("a version that was live for ten minutes is the one that is read after a later one was rejected")
  func agedVersion() throws {
    let clock = ManualClock()
    var calls = SystemCalls.real
    calls.nowMs = { clock.nowMs }
    let scene = try Scene(in: directory, server: server, clock: clock, calls: calls)
    let handle = try scene.open()
    handle.refresh()
    server.put("fine", at: 2000)
    handle.refresh()
    clock.advance(byMs: SourceLock.shortestLiveMs)
    server.put("bad", at: 3000)
    handle.refresh()
    try handle.reject()
    #expect(handle.keys == ["fine", "good"])
  }

  @Test("the restored version is the base of the next diff")
  func base() throws {
    let handle = try rejected()
    handle.refresh()
    #expect(scene.transport.urls.last?.contains("_since=1000") == true)
  }

  @Test("a cache that still has the restored version changes nothing")
  func staleCache() throws {
    let handle = try rejected()
    let stale = try SignedServer(base: server.base)
    stale.put("good", at: 1000)
    scene.transport.answer { .success(stale.answer($0.url)) }
    #expect([.notNewer, .unchanged].contains(handle.refresh().outcome))
    #expect(handle.keys == ["good"])
  }

  @Test("other content under the rejected timestamp is refused too")
  func otherContent() throws {
    let handle = try rejected()
    let other = try SignedServer(base: server.base)
    other.put("good", at: 1000)
    other.put("other", at: 2000)
    scene.transport.answer { .success(other.answer($0.url)) }
    #expect(handle.refresh().error?.code == .rejected)
  }

  @Test(
    "a staged version that is rejected is discarded, and not staged again",
    arguments: [ActivationMode.nextSetup, .manual])
  func staged(activation: ActivationMode) throws {
    let recorder = Recorder()
    let handle = try scene.open({ $0.activation = .immediate })
    handle.refresh()
    scene.client.close()
    let next = try Scene(in: directory, server: server)
    let second = try next.open({ $0.activation = activation }, subscriber: recorder.sink)
    server.put("bad", at: 2000)
    #expect(second.refresh().outcome == .staged)
    try second.source.reject(#require(second.source.acquireStaged()), reason: nil)
    #expect(recorder.seen(3).last == SeenEvent(cause: .rejected, old: 1000, new: 1000))
    #expect(try !second.source.info().hasStaged)
    #expect(second.refresh().error?.code == .rejected)
    #expect(try second.source.activate() == .unchanged)
    next.client.close()
    let last = try Scene(in: directory, server: server)
    #expect(try last.keysAndClose() == ["good"])
  }

  @Test("a rejected version whose activation is not stored yet does not become live later")
  func pendingPromotion() throws {
    let handle = try scene.open { $0.activation = .manual }
    handle.refresh()
    let storage = try StorageDirectory.open(path: directory.path("storage"))
    let held = try #require(try storage.tryLock(handle.source.name))
    #expect(try handle.source.activate() == .updated)
    try handle.reject()
    held.unlock()
    try handle.doDueWork()
    #expect(handle.keys.isEmpty)
    let (next, second) = try reopened()
    #expect(second.keys.isEmpty)
    next.client.close()
  }

  @Test("a snapshot that is neither live nor staged, or has no fetched data, cannot be rejected")
  func notRejectable() throws {
    let handle = try scene.open { $0.packaged = .bytes(Array(#"{"data":[],"timestamp":3}"#.utf8)) }
    let packaged = try handle.source.acquire()
    #expect(throws: notFound("the snapshot has no fetched data; other data cannot be rejected")) {
      try handle.source.reject(packaged, reason: nil)
    }
    handle.refresh()
    let old = try handle.source.acquire()
    server.put("b", at: 2000)
    handle.refresh()
    #expect(throws: notFound("the snapshot is neither live nor staged any more")) {
      try handle.source.reject(old, reason: nil)
    }
    #expect(handle.version == 2000)
    let other = try scene.open { $0.collection = "other" }
    #expect(throws: RemoraError.invalidArgument("snapshot", "belongs to another source")) {
      try other.source.reject(old, reason: nil)
    }
    scene.client.close()
    #expect(throws: RemoraError.closedSource) { try handle.source.reject(old, reason: nil) }
  }

  private func notFound(_ message: String) -> RemoraError { RemoraError(.notFound, message) }

  @Test("the second rejection of a version changes nothing")
  func twice() throws {
    let handle = try fetched()
    let bad = try handle.source.acquire()
    let generation = { try handle.source.info().generation }
    try handle.source.reject(bad, reason: nil)
    let before = try generation()
    try handle.source.reject(bad, reason: nil)
    #expect(try generation() == before)
    #expect(handle.keys == ["good"])
  }

  @Test("if the version before is rejected too, only the newer one is remembered, and the older one is too old anyway")
  func both() throws {
    let handle = try rejected()
    try handle.reject()
    #expect(handle.keys.isEmpty)
    #expect(try handle.source.info().rejectedVersion == 2000)
    let older = try SignedServer(base: server.base)
    older.put("good", at: 1000)
    scene.transport.answer { .success(older.answer($0.url)) }
    #expect(handle.refresh().outcome == .notNewer)
  }

  @Test("a reset forgets the rejection")
  func reset() throws {
    let handle = try rejected()
    try handle.source.reset()
    #expect(try handle.source.info().rejectedVersion == nil)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["bad", "good"])
  }

  /// As `rejected`, during a refresh whose request waits.
  func rejectedDuringRefresh(into ends: Completions, publishing: () -> Void = {}) throws -> (OpenSource, HTTPRequest) {
    let handle = try fetched()
    publishing()
    scene.transport.answer { _ in nil }
    let count = scene.transport.requests.count
    _ = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(count + 1))
    try handle.reject()
    #expect(handle.keys == ["good"])
    return (handle, scene.transport.requests[count])
  }

  @Test("a rejection during a refresh from the rejected version sends no other request if the server wants a pause")
  func duringPause() throws {
    let ends = Completions([])
    let (handle, _) = try rejectedDuringRefresh(into: ends)
    let count = scene.transport.requests.count
    scene.transport.answer { _ in .success(.answer(404)) }
    scene.transport.release(.success(.answer(503, "", [("Retry-After", "60")])))
    #expect(ends.outcomes() == [.failed])
    #expect(ends.read { $0.first?.error?.retryAfterMs } == 60_000)
    #expect(scene.transport.requests.count == count)
    #expect(handle.keys == ["good"])
  }

  @Test("a rejection during a refresh from the rejected version takes effect, and the refresh gets the newer version")
  func duringRefresh() throws {
    let (server, ends) = (server, Completions([]))
    let (handle, request) = try rejectedDuringRefresh(into: ends) { server.put("fix", at: 3000) }
    scene.transport.answer { .success(server.answer($0.url)) }
    scene.transport.release(.success(server.answer(request.url)))
    #expect(ends.outcomes() == [.updated])
    #expect(handle.keys == ["bad", "fix", "good"])
  }

  @Test("a client that keeps everything in memory does not fetch a rejected version again")
  func memoryOnly() throws {
    let scene = try Scene(server: server)
    let handle = try scene.open()
    handle.refresh()
    try handle.reject()
    #expect(handle.keys.isEmpty)
    #expect(handle.refresh().error?.code == .rejected)
    server.put("fix", at: 2000)
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("a frozen source stops using a rejected version too, without an event")
  func frozen() throws {
    let recorder = Recorder()
    let handle = try scene.open(subscriber: recorder.sink)
    handle.refresh()
    try handle.source.freeze()
    try handle.reject()
    #expect(handle.keys.isEmpty)
    #expect(!recorder.all.contains { $0.cause == .rejected })
  }

  @Test("an explanation shows the value of the rejected version")
  func explained() throws {
    let handle = try rejected()
    let explanation = try handle.source.explain(Array("bad".utf8), [])
    #expect(explanation.value == nil)
    #expect(explanation.layers.map(\.kind) == [.rejected])
  }

  @Test("a sync ends with REJECTED without a request for the collection whose rejected version is listed")
  func sync() throws {
    let stage = try SyncStage(["a", "b"])
    _ = try stage.sync()
    stage.server["a"].put("bad", at: 2000)
    _ = try stage.sync()
    try stage.handles[0].reject()
    let count = stage.count
    let report = try stage.sync()
    #expect(report.codes == [.rejected, nil])
    #expect(report.outcomes == [.refused, .unchanged])
    #expect(stage.asked(since: count).count == 1)
    stage.server["a"].put("fix", at: 3000)
    #expect(try stage.sync().outcomes == [.updated, .unchanged])
  }
}

extension OpenSource {
  /// Rejects what is live, without waiting for files that are locked.
  func reject(reason: String? = nil) throws { try source.reject(source.acquire(), reason: reason, withinMs: 0) }

  /// What the worker does once a second, now.
  func doDueWork() throws {
    Runtime.shared.lock.withLock { Runtime.shared.worker.enqueue($0) { [source] in source.everySecond($0) } }
    try drainWorker()
  }
}

extension Source {
  /// The staged snapshot.
  func acquireStaged() -> Snapshot? { lock.withLock { staged($0) } }
}
