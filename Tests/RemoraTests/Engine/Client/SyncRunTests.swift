// SPDX-License-Identifier: Apache-2.0
//
// A sync under way: its bound, joining, time limits, cancel, close, and sources that end meanwhile.

import Testing

@testable import Remora

@Suite("A sync (a refresh of all open sources of a client) while its requests run")
struct SyncRunTests {
  @Test("a sync fetches at most four sources at the same time")
  func bounded() throws {
    let stage = try SyncStage(["a", "b", "c", "d", "e", "f"])
    let (server, transport) = (stage.server, stage.scene.transport)
    transport.answer { $0.url.contains("/changes/") ? server.answer($0.url) : nil }
    let ends = Box<[SyncReport]>([])
    _ = try stage.scene.client.syncAsync { report in ends.update { $0.append(report) } }
    #expect(transport.waitForRequests(5))
    try drainWorker()
    #expect(stage.count == 5)
    transport.release(.success(.answer(500)))
    #expect(transport.waitForRequests(6))
    try drainWorker()
    #expect(stage.count == 6)
    transport.answer { server.answer($0.url) }
    for request in transport.requests.dropFirst(2) { transport.release(server.answer(request.url)) }
    #expect(ends.wait { $0.count == 1 })
    #expect(ends.read { $0[0].outcomes } == [.failed, .updated, .updated, .updated, .updated, .updated])
  }

  @Test("a sync sends no second request for a source whose refresh is already running")
  func joins() throws {
    let stage = try SyncStage(["a"])
    let (server, transport) = (stage.server, stage.scene.transport)
    transport.answer { $0.url.contains("/changes/") ? server.answer($0.url) : nil }
    let ends = Completions([])
    _ = try stage.handles[0].source.refreshAsync(into: ends)
    #expect(transport.waitForRequests(1))
    let reports = Box<[SyncReport]>([])
    _ = try stage.scene.client.syncAsync { report in reports.update { $0.append(report) } }
    #expect(transport.waitForRequests(2))
    try drainWorker()
    try drainWorker()
    #expect(stage.count == 2)
    transport.release(server.answer(transport.requests[0].url))
    #expect(ends.outcomes() == [.updated])
    #expect(reports.wait { $0.count == 1 })
    #expect(reports.read { $0[0].outcomes } == [.updated])
  }

  @Test("a sync with timeout 0 sends no request")
  func noTime() throws {
    let stage = try SyncStage(["a", "b"])
    let report = try stage.scene.client.sync(timeoutMs: 0)
    #expect(report.codes == [.timeout, .timeout])
    #expect(report.error?.code == .timeout)
    #expect(stage.count == 0)
  }

  @Test("when a sync times out, each source that has not responded fails with TIMEOUT")
  func timeout() throws {
    let stage = try SyncStage(["a", "b"])
    let (server, transport) = (stage.server, stage.scene.transport)
    transport.answer { _ in nil }
    #expect(try stage.scene.client.sync(timeoutMs: 20).codes == [.timeout, .timeout])
    #expect(transport.cancelCount == stage.count)
    let done = Recorder()
    _ = try stage.handles[0].subscribe(key: nil, replay: false, done.sink)
    transport.answer { $0.url.contains("/b/") ? nil : server.answer($0.url) }
    #expect(try stage.scene.client.sync(timeoutMs: 2000).codes == [nil, .timeout])
    #expect(done.all.map(\.outcome) == [.updated])
    transport.answer { server.answer($0.url) }
    #expect(try stage.sync().outcomes == [.unchanged, .updated])
  }

  @Test(
    "when an asynchronous sync times out, its report has TIMEOUT for each source without an outcome",
    arguments: [0, 20])
  func asynchronousLimit(_ limit: Int64) throws {
    let stage = try SyncStage(["a", "b"])
    stage.scene.transport.answer { _ in nil }
    let reports = Box<[SyncReport]>([])
    _ = try stage.scene.client.syncAsync(timeoutMs: limit) { report in reports.update { $0.append(report) } }
    #expect(reports.wait { $0.count == 1 })
    #expect(reports.read { $0[0].codes } == [.timeout, .timeout])
    #expect(stage.count == (limit == 0 ? 0 : 1))
    #expect(stage.scene.transport.cancelCount == stage.count)
  }

  @Test("the callback of a sync is called once, after the event callbacks of the refreshed sources")
  func order() throws {
    let stage = try SyncStage(["a", "b"])
    let seen = Box<[String]>([])
    for (name, handle) in zip(["a", "b"], stage.handles) {
      _ = try handle.subscribe(key: nil, replay: false) { _, _ in seen.update { $0.append(name) } }
    }
    _ = try stage.scene.client.syncAsync { _ in seen.update { $0.append("end") } }
    #expect(seen.wait { $0.contains("end") })
    #expect(seen.read { $0.dropLast().sorted() } == ["a", "b"])
    #expect(seen.read { $0.last } == "end")
  }

  @Test(
    "after a sync is cancelled, its report has CANCELLED for each source without an outcome",
    arguments: ["changes", "a"])
  func cancel(at place: String) throws {
    let stage = try SyncStage(["a", "b"])
    let (server, transport) = (stage.server, stage.scene.transport)
    transport.answer { $0.url.contains("/\(place)/") ? nil : server.answer($0.url) }
    let reports = Box<[SyncReport]>([])
    let isB = place == "a" ? Recorder() : nil
    if let isB { _ = try stage.handles[1].subscribe(key: nil, replay: false, isB.sink) }
    let sync = try stage.scene.client.syncAsync { report in reports.update { $0.append(report) } }
    #expect(transport.waitForRequests(place == "a" ? 3 : 1))
    _ = isB?.seen(1)
    sync.cancel()
    sync.cancel()
    #expect(reports.wait { $0.count == 1 })
    #expect(reports.read { $0[0].codes } == (place == "a" ? [.cancelled, nil] : [.cancelled, .cancelled]))
    #expect(transport.cancelCount == 1)
    try drainWorker()
    transport.answer { server.answer($0.url) }
    #expect(try stage.sync().error == nil)
    #expect(reports.read { $0.count } == 1)
  }

  @Test(
    "closing the client ends a blocking sync with CLOSED, and the callback of an asynchronous sync is not called",
    arguments: ["changes", "a"])
  func close(at place: String) throws {
    let stage = try SyncStage(["a", "b"])
    let (server, transport, client) = (stage.server, stage.scene.transport, stage.scene.client)
    transport.answer { $0.url.contains("/\(place)/") ? nil : server.answer($0.url) }
    let reports = Box<[SyncReport]>([])
    let waited = Box<[RemoraError.Code?]>([])
    _ = try client.syncAsync { report in reports.update { $0.append(report) } }
    #expect(transport.waitForRequests(place == "a" ? 3 : 1))
    let thread = try NamedThread.startAsHost(name: "test-sync") {
      let report = try? client.sync(timeoutMs: -1)
      waited.update { $0 = report?.codes ?? [] }
    }
    #expect(transport.waitForRequests(place == "a" ? 4 : 2))
    client.close()
    #expect(thread.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    #expect(waited.read { $0.first } == .closed)
    #expect(reports.read { $0.isEmpty })
    #expect(throws: RemoraError.closed) { try client.sync(timeoutMs: -1) }
    #expect(throws: RemoraError.closed) { try client.syncAsync { _ in } }
  }

  @Test("if a source is closed or reset during a sync, the sync still updates the other sources")
  func sourceEnds() throws {
    let stage = try SyncStage(["a", "b", "c"])
    let (server, transport) = (stage.server, stage.scene.transport)
    transport.answer { $0.url.contains("/changes/") ? server.answer($0.url) : nil }
    let reports = Box<[SyncReport]>([])
    _ = try stage.scene.client.syncAsync { report in reports.update { $0.append(report) } }
    #expect(transport.waitForRequests(4))
    stage.handles[0].close()
    try stage.handles[1].source.reset()
    transport.answer { server.answer($0.url) }
    for request in transport.requests.dropFirst() { transport.release(server.answer(request.url)) }
    #expect(reports.wait { $0.count == 1 })
    #expect(reports.read { $0[0].codes } == [.closed, .cancelled, nil])
  }
}
