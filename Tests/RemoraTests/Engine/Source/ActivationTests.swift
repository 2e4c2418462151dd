// SPDX-License-Identifier: Apache-2.0
//
// Activation in one client: what is fetched waits beside what is live, until it is made live.

import Testing

@testable import Remora

@Suite("Activation (the moment when reads start to return fetched data)")
struct ActivationTests {
  let directory: TemporaryDirectory
  let server: SignedServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    try Scene(in: directory, server: server).fetchAndClose()
    server.put("b", at: 2000)
  }

  private func scene() throws -> Scene { try Scene(in: directory, server: server) }

  /// The file of what waits.
  private var stagedFile: [UInt8]? {
    get throws {
      directory.read("storage/\(fileName(.staged, of: StorageName(hashing: try server.dialect().identity)))")
    }
  }

  /// The ids that a new client with this activation finds live, and whether something is staged; closes it.
  private func found(_ activation: ActivationMode) throws -> (live: [String], hasStaged: Bool) {
    let scene = try scene()
    let handle = try scene.open { $0.activation = activation }
    defer { scene.client.close() }
    return try (handle.keys, handle.source.info().hasStaged)
  }

  @Test("with NEXT_SETUP, reads return fetched data only after a later client opens the source")
  func nextSetup() throws {
    let scene = try scene()
    let recorder = Recorder()
    let handle = try scene.open({ $0.activation = .nextSetup }, subscriber: recorder.sink)
    #expect(try handle.source.info().hasStaged == false)
    #expect(handle.refresh().outcome == .staged)
    #expect(handle.keys == ["a"])
    let info = try handle.source.info()
    #expect((info.hasStaged, info.origin, info.version) == (true, .cached, 1000))
    #expect(info.lastError == nil)
    #expect(
      recorder.seen(2) == [
        SeenEvent(cause: .opened, old: 1000, new: 1000),
        SeenEvent(cause: .refreshed, outcome: .staged, old: 1000, new: 1000, staged: 2000),
      ])
    scene.client.close()
    #expect(try found(.nextSetup) == (["a", "b"], false))
    #expect(try stagedFile == nil)
  }

  @Test("with NEXT_SETUP, the first data of an empty source becomes live at once, and later data is staged")
  func firstData() throws {
    let scene = try Scene(server: server)
    let handle = try scene.open { $0.activation = .nextSetup }
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.keys == ["a", "b"])
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .staged)
    #expect(handle.keys == ["a", "b"])
    try handle.source.reset()
    #expect(handle.refresh().outcome == .updated, "after a reset the source has no data again")
    #expect(handle.keys == ["a", "b", "c"])
  }

  @Test("activation of a judged version makes no other version live")
  func judged() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    let staged = Box<Snapshot?>(nil)
    _ = try handle.subscribe(key: nil, replay: false) { event, _ in staged.update { $0 = event.staged } }
    #expect(handle.refresh().outcome == .staged)
    #expect(staged.wait { $0?.base.metadata.version == 2000 })
    let judged = try #require(staged.read { $0 })
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .staged)
    #expect(staged.wait { $0?.base.metadata.version == 3000 })
    #expect(code { _ = try handle.source.activate(judged) } == .notFound)
    #expect(handle.keys == ["a"])
    #expect(try handle.source.activate(handle.source.acquire()) == .unchanged, "the live version stays")
    #expect(handle.keys == ["a"])
    #expect(try handle.source.activate(staged.read { $0 }) == .updated)
    #expect(handle.keys == ["a", "b", "c"])
    #expect(try handle.source.activate(handle.source.acquire()) == .unchanged)
  }

  @Test("activation refuses a snapshot of another source")
  func judgedOfAnother() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    #expect(handle.refresh().outcome == .staged)
    let other = try scene.open { $0.requiresSignature = false }
    #expect(other.refresh().outcome == .updated)
    #expect(code { _ = try handle.source.activate(other.source.acquire()) } == .invalidArgument)
    #expect(handle.keys == ["a"])
  }

  @Test("with MANUAL, fetched data is not used, even after restarts, until it is activated")
  func manual() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    #expect(handle.refresh().outcome == .staged)
    scene.client.close()
    for _ in 0..<2 { #expect(try found(.manual) == (["a"], true)) }
    #expect(try found(.immediate) == (["a", "b"], false))
    #expect(try found(.manual) == (["a", "b"], false))
  }

  @Test("after remora_activate, reads return the fetched data, one event is sent, and a restart keeps the data")
  func activate() throws {
    let scene = try scene()
    let recorder = Recorder()
    let handle = try scene.open({ $0.activation = .manual }, subscriber: recorder.sink)
    #expect(try handle.source.activate() == .unchanged)
    handle.refresh()
    #expect(try handle.source.activate() == .updated)
    #expect(handle.keys == ["a", "b"])
    #expect(try handle.source.activate() == .unchanged)
    let info = try handle.source.info()
    #expect((info.hasStaged, info.origin) == (false, .fetched))
    #expect(
      recorder.seen(3).last == SeenEvent(cause: .activated, old: 1000, new: 2000, changes: ["created b"]))
    scene.client.close()
    #expect(try found(.manual) == (["a", "b"], false))
  }

  @Test("data that was fetched before a restart is listed in the opening event, and has origin CACHED when activated")
  func activateAfterRestart() throws {
    let first = try scene()
    try first.open { $0.activation = .manual }.refresh()
    first.client.close()
    let recorder = Recorder()
    let second = try scene()
    let handle = try second.open({ $0.activation = .manual }, subscriber: recorder.sink)
    #expect(recorder.seen(1) == [SeenEvent(cause: .opened, old: 1000, new: 1000, staged: 2000)])
    #expect(try handle.source.activate() == .updated)
    #expect(try handle.source.info().origin == .cached)
    second.client.close()
  }

  @Test("a refresh is based on the fetched data that waits for activation: its ETag is sent, and diffs merge into it")
  func base() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    scene.transport.answer { [server] request in
      var answer = server.answer(request.url)
      answer.headers.etag = "\"\(request.url.count)\""
      return .success(answer)
    }
    handle.refresh()
    #expect(handle.refresh().outcome == .unchanged)
    handle.refresh()
    server.put("c", at: 3000)
    #expect(handle.refresh().outcome == .staged)
    #expect(handle.keys == ["a"])
    let documents = scene.transport.requests.filter { !$0.url.hasSuffix(".pem") }
    #expect(documents.map { lastPart(of: $0.url).suffix(4) } == ["1000", "2000", "2000", "2000"])
    #expect(documents.map { $0.ifNoneMatch != nil } == [false, false, true, true])
    #expect(try handle.source.activate() == .updated)
    #expect(handle.keys == ["a", "b", "c"])
  }

  @Test("a response that is older than the fetched data that waits for activation is not used")
  func freshness() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    handle.refresh()
    let older = try SignedServer(base: server.base)
    older.put("x", at: 1500)
    scene.transport.answer { .success(older.answer($0.url)) }
    #expect(handle.refresh().outcome == .notNewer)
    let other = try SignedServer(base: server.base)
    other.put("x", at: 2000)
    scene.transport.answer { request in
      .success(other.answer(request.url.replacing("&_since=2000", with: "")))
    }
    #expect(handle.refresh().error?.code == .equivocation)
    #expect(try handle.source.info().hasStaged)
    #expect(handle.keys == ["a"])
  }

  @Test("await with only_if_empty sends no request if fetched data waits for activation")
  func await() throws {
    let scene = try Scene(server: server)
    let handle = try scene.open { $0.activation = .manual }
    let onlyIfEmpty = try RefreshManner(isOnlyIfEmpty: true)
    #expect(try handle.source.awaitFresh(onlyIfEmpty, timeoutMs: -1).origin == .none)
    let count = scene.transport.requests.count
    _ = try handle.source.awaitFresh(onlyIfEmpty, timeoutMs: -1)
    #expect(scene.transport.requests.count == count)
  }

  @Test("without a storage directory, fetched data waits in memory for its activation")
  func memory() throws {
    let scene = try Scene(server: server)
    let handle = try scene.open { $0.activation = .manual }
    #expect(handle.refresh().outcome == .staged)
    #expect(try handle.source.info().origin == Origin.none)
    #expect(try handle.source.activate() == .updated)
    #expect(handle.keys == ["a", "b"])
  }

  @Test("a reset deletes fetched data that waits for activation, in memory and on disk")
  func reset() throws {
    let scene = try scene()
    let handle = try scene.open { $0.activation = .manual }
    handle.refresh()
    try handle.source.reset()
    #expect(try handle.source.info().hasStaged == false)
    #expect(try handle.source.activate() == .unchanged)
    #expect(try stagedFile == nil)
    scene.client.close()
    #expect(try found(.immediate) == ([], false))
  }

  @Test("fetched data is read with the current overrides and context after its activation")
  func adjustments() throws {
    let scene = try scene()
    server.put("c", #""filter_expression":"env.locale == 'de'""#, at: 3000)
    let handle = try scene.open { $0.activation = .manual }
    handle.refresh()
    try handle.set("b", "/v", "7")
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(try handle.source.activate() == .updated)
    #expect(try handle.shown == ["a", "b", "c"])
    #expect(try handle.json("b", "/v") == "7")
  }

  @Test("newer packaged data is used in place of older fetched data that waits for activation")
  func packaged() throws {
    let first = try scene()
    try first.open { $0.activation = .manual }.refresh()
    first.client.close()
    let scene = try scene()
    let handle = try scene.open {
      $0.activation = .manual
      $0.packaged = .bytes(Array(#"{"data":[],"timestamp":3000}"#.utf8))
    }
    let info = try handle.source.info()
    #expect((info.origin, info.hasStaged) == (.packaged, false))
  }
}
