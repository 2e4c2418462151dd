// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Options of clients and sources", .timeLimit(.minutes(2)))
struct OptionTests {
  @Test("Every option of a client has its documented default, and can be set in the initialiser")
  func configuration() throws {
    let defaults = Client.Configuration(storageDirectory: nil)
    #expect(defaults.connectTimeout == .seconds(10) && defaults.stallTimeout == .seconds(30))
    #expect(defaults.totalTimeout == .seconds(120) && defaults.maximumBodyBytes == 16 << 20)
    #expect(defaults.maximumStale == nil)
    #expect(defaults.logLevel == .warning && defaults.callbacks == .thread && defaults.headers == [])
    let all = Client.Configuration(
      storageDirectory: nil, server: "stage", bucket: "main", applicationName: "host", applicationVersion: "2.0",
      applicationBuild: "7", userAgent: "host/2", proxy: nil, caFile: nil, headers: ["Authorization: token"],
      connectTimeout: nil, stallTimeout: nil, totalTimeout: nil, maximumBodyBytes: 1 << 20,
      maximumStale: .seconds(90), logLevel: .debug,
      callbacks: .dispatch, onLog: { _ in }, onAttempt: { _ in }, transport: RemoraKit.TestServer(),
      clock: RemoraKit.TestClock())
    #expect(try Client(all).sources() == [])
  }

  @Test("A collection opens with every option, and its first event reports the packaged data")
  func collection() async throws {
    let (events, sink) = AsyncStream.makeStream(of: Event.self)
    let root = String(repeating: "ab", count: 32)
    let options = CollectionSource.Options(
      bucket: "blocklists", server: "https://settings.test", rootSHA256: root, signer: "signer.example",
      trust: .required, activation: .manual, previousRoots: [String(repeating: "cd", count: 32)],
      trustedHosts: ["chains.example:8443"], maximumFuture: .seconds(60),
      packaged: .bytes(Array(#"{"data":[{"id":"a","last_modified":3}],"timestamp":3}"#.utf8)),
      packagedAttachments: "/nowhere", fetchAtOpen: false, refreshInterval: .seconds(3600), persistOverrides: true,
      accepts: .init(minKeys: 1, minKeysPercent: 50, schema: #"{"required":["v"]}"#), onEvent: { sink.yield($0) })
    let collection = try Stage().client.collection("gfx", options)
    let event = try #require(await events.first { _ in true })
    #expect(event.cause == .opened && event.origin == .packaged && event.version == 3 && event.source === collection)
    #expect(event.sourceName == "blocklists/gfx" && event.kind == .collection && event.configuration == nil)
  }

  @Test("The error about an invalid option begins with the Swift name of the option")
  func names() throws {
    let client = try Stage().client
    func name(_ open: () throws -> Void) -> String? {
      do { try open() } catch let error as RemoraError where error.code == .invalidArgument {
        return error.message.hasPrefix("\(error.parameter ?? "?") ") ? error.parameter : nil
      } catch {}
      return nil
    }
    #expect(name { _ = try Client(.init(storageDirectory: "")) } == "storageDirectory")
    #expect(name { _ = try Client(.init(storageDirectory: nil, userAgent: "a\nb")) } == "userAgent")
    #expect(name { _ = try Client(.init(storageDirectory: nil, connectTimeout: .zero)) } == "connectTimeout")
    #expect(name { _ = try Client(.init(storageDirectory: nil, maximumBodyBytes: 0)) } == "maximumBodyBytes")
    #expect(name { _ = try Client(.init(storageDirectory: nil, maximumStale: .zero)) } == "maximumStale")
    #expect(name { _ = try client.collection("a", .init(rootSHA256: "x")) } == "rootSHA256")
    #expect(name { _ = try client.collection("a", .init(maximumFuture: .seconds(-1))) } == "maximumFuture")
    #expect(name { _ = try client.collection("a", .init(refreshInterval: .zero)) } == "refreshInterval")
    #expect(name { _ = try client.bundle("b.test", .init(defaultVersion: -1)) } == "defaultVersion")
    #expect(name { _ = try client.bundle("b.test", .init(accepts: .init(minKeys: -1))) } == "minKeys")
    #expect(name { _ = try client.bundle("b.test", .init(accepts: .init(minKeysPercent: 101))) } == "minKeysPercent")
    #expect(name { _ = try client.bundle("b.test", .init(accepts: .init(schema: "{"))) } == "schema")
    #expect(name { _ = try client.settings("s.test", .init(ttl: .seconds(-1))) } == "ttl")
    #expect(name { _ = try client.settings("s.test", .init(params: ["": "x"])) } == "params")
    #expect(name { _ = try client.settings("s.test", .init(tag: "x", tagItem: "")) } == "tagItem")
    #expect(name { _ = try client.settings("s.test", .init(tag: "x", activation: .manual)) } == "activation")
    #expect(
      name { _ = try client.settings("s.test", .init(memoryOnly: true, persistOverrides: true)) } == "persistOverrides")
  }

  @Test("A tag has the lifetime that its first opening names, and else the lifetime and the storage of the settings")
  func tags() async throws {
    let directory = try TemporaryDirectory()
    do {
      let stage = try Stage(storage: directory.path)
      let settings = try stage.settings { $0.persistOverrides = true }
      for tag in ["kept", "short"] { stage.server.put("/settings#\(tag)", #"{"k":1}"#) }
      #expect(try await settings.tag("kept").wait().error == nil)
      #expect(try await settings.tag("short", ttl: .seconds(60)).wait().error == nil)
      stage.clock.advance(by: .seconds(90))
      _ = try await settings.tag("kept").wait()
      #expect(stage.server.urls.count == 2)
      _ = try await settings.tag("short").wait()
      #expect(stage.server.urls.count == 3)
      #expect(throws: RemoraError.self) { try settings.prefetch(tag: "") }
    }
    let stage = try Stage(storage: directory.path)
    let settings = try stage.settings()
    #expect(try settings.tag("kept").int("k", default: 0) == 1)
    let open = try stage.client.settings("\(stage.server.base)/settings", .init(tag: "short", fetchAtOpen: false))
    #expect(open.int("k", default: 0) == 1 && open.name.hasSuffix("#short"))
  }

  @Test("A client lists the states of its open sources in the order of opening")
  func sources() throws {
    let stage = try Stage()
    let (settings, collection) = (try stage.settings(), try stage.collection())
    let states = try stage.client.sources()
    #expect(states.map(\.name) == [settings.name, collection.name] && states.map(\.kind) == [.settings, .collection])
    #expect(try states == [settings.info(), collection.info()] && states[1].server == collection.server)
  }

  @Test("With callbacks in the program's loop, a refresh returns after a dispatch, and dispatches may not overlap")
  func dispatch() async throws {
    let server = RemoraKit.TestServer()
    try server.publish("demo", ["a": [:]])
    let client = try Client(
      .init(storageDirectory: nil, server: server.url, callbacks: .dispatch, transport: server))
    let demo = try client.collection("demo", .init(trust: .off))
    let task = Task { try await demo.refresh() }
    let descriptor = try client.fileDescriptor()
    #expect(try descriptor >= 0 && client.fileDescriptor() == descriptor)
    let dispatching = Task {
      while !Task.isCancelled {
        waitUntilReadable(descriptor)
        try client.dispatch()
        await Task.yield()
      }
    }
    #expect(try await task.value == .updated)
    dispatching.cancel()
    let threaded = try Stage().client
    let error = try #require(throws: RemoraError.self) { try threaded.dispatch() }
    #expect(error.code == .invalidArgument)
    #expect(throws: RemoraError.self) { try threaded.fileDescriptor() }
  }
}
