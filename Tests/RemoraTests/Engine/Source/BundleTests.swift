// SPDX-License-Identifier: Apache-2.0
//
// Bundles in the engine: which version follows which, what is inherited, carried over and removed, and what is asked.

import Testing

@testable import Remora

@Suite("Bundles (settings in namespaces, with a version number)", .serialized)
struct BundleTests {
  /// A client whose transport answers everything with a text that the test replaces.
  struct Stage {
    let scene: Scene
    let body = Box("")

    init(
      in directory: TemporaryDirectory? = nil, headers: [String] = [], calls: SystemCalls = .real, log: Log? = nil,
      maxStaleMs: Int64? = nil
    ) throws {
      let body = body
      scene = try Scene(
        in: directory, transport: ScriptedTransport { _ in .success(.answer(200, body.read { $0 })) }, calls: calls,
        log: log, headers: headers, maxStaleMs: maxStaleMs)
    }

    func open(_ change: (inout BundleOptions) -> Void = { _ in }, _ recorder: Recorder? = nil) throws -> OpenSource {
      var options = BundleOptions()
      options.url = "https://h.example/x"
      options.opening.firstFetch = .onRequest
      change(&options)
      return try scene.client.openBundle(options, subscriber: recorder?.sink)
    }

    func publish(_ version: Int, _ elements: String...) {
      body.update { $0 = bundleText("\(version)", elements.joined(separator: ",")) }
    }
  }

  @Test("the outcome is NOT_NEWER if a bundle has a lower version, or the current version with other content")
  func versions() throws {
    let stage = try Stage()
    let handle = try stage.open()
    for (version, name, outcome) in [
      (2, "a", Outcome.updated), (2, "a", .unchanged), (2, "b", .notNewer), (1, "b", .notNewer), (3, "a", .updated),
    ] {
      stage.publish(version, bundleElement(name))
      #expect(handle.refresh().outcome == outcome)
    }
    #expect(try handle.shown == ["a"])
    #expect(handle.version == 3)
  }

  @Test("a fetched bundle is used only if its version is higher than that of the default bundle", arguments: [4, 5, 6])
  func defaultVersion(version: Int) throws {
    let stage = try Stage()
    let handle = try stage.open {
      $0.defaultBundle = Array("[\(bundleElement("d"))]".utf8)
      $0.defaultVersion = 5
    }
    #expect(handle.version == 5)
    stage.publish(version, bundleElement("a"))
    #expect(handle.refresh().outcome == (version > 5 ? .updated : .notNewer))
    #expect(try handle.shown == (version > 5 ? ["a", "d"] : ["d"]))
  }

  @Test("a server that sends the default bundle confirms it, so that the data is fresh, and it stays the default")
  func confirmedDefault() throws {
    let stage = try Stage(maxStaleMs: 60_000)
    let handle = try stage.open {
      $0.defaultBundle = Array("[\(bundleElement("d"))]".utf8)
      $0.defaultVersion = 5
    }
    #expect(try handle.source.info().freshness == .never)
    stage.publish(5, bundleElement("d"))
    for _ in 0..<2 { #expect(handle.refresh().outcome == .unchanged) }
    #expect(try handle.source.info().freshness == .fresh)
    #expect(try handle.source.acquire().origin == .defaults)
    stage.publish(6, bundleElement("d"))
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("bundles whose names look alike, but have other bytes, are two sources")
  func namesThatLookAlike() throws {
    let stage = try Stage()
    let handles = try ["\u{E9}", "e\u{301}"].map { name in
      try stage.open {
        $0.name = name
        $0.defaultBundle = Array("[\(bundleElement(name))]".utf8)
      }
    }
    #expect(handles[0].source !== handles[1].source)
    #expect(try handles.map { try $0.shown.map { Array($0.utf8) } } == [[[0xC3, 0xA9]], [[0x65, 0xCC, 0x81]]])
  }

  @Test("a refresh of a bundle without a URL is refused, whatever its options are")
  func refreshWithoutURL() throws {
    let stage = try Stage()
    let handle = try stage.open {
      $0.url = nil
      $0.defaultBundle = Array("[\(bundleElement("d"))]".utf8)
    }
    let onlyIfEmpty = try RefreshManner(isOnlyIfEmpty: true)
    for how in [RefreshManner(), onlyIfEmpty] {
      for timeoutMs: Int64 in [-1, 0] {
        #expect(handle.source.refreshes.refresh(how, timeoutMs: timeoutMs).error?.code == .invalidArgument)
      }
    }
  }

  @Test("the error about a default_version below 1 names that option", arguments: [0, -1, Int64.min])
  func tooLowDefaultVersion(version: Int64) throws {
    let stage = try Stage()
    let error = #expect(throws: RemoraError.self) {
      try stage.open {
        $0.defaultBundle = Array("[\(bundleElement("d"))]".utf8)
        $0.defaultVersion = version
      }
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("default_version") == true)
  }

  @Test("values that a namespace lacks are read from the default bundle, and a namespace that lacks none is not copied")
  func inheritance() throws {
    let stage = try Stage()
    let handle = try stage.open {
      let inherited = bundleElement("a", #","subjectConfiguration":{"userId":"d"}"#)
      $0.defaultBundle = Array("[\(inherited),\(bundleElement("b"))]".utf8)
    }
    stage.publish(1, bundleElement("a"), bundleElement("b", #","subjectConfiguration":{"userId":null}"#))
    #expect(handle.refresh().outcome == .updated)
    let snapshot = try handle.source.acquire()
    #expect(snapshot.value("a", "/subjectConfiguration/userId")?.string.map(Array.init) == Array("d".utf8))
    #expect("b".withBytes { snapshot.ownEntry($0) } == nil)
    #expect("a".withBytes { snapshot.origin(of: $0) } == .fetched)
    #expect(snapshot.unfiltered.value("a", "/subjectConfiguration/userId") == nil)
  }

  @Test("a cached namespace with inherited values is fetched data once the server has confirmed it")
  func confirmedOrigin() throws {
    let directory = try TemporaryDirectory()
    let inherited = Array("[\(bundleElement("a", #","subjectConfiguration":{"userId":"d"}"#))]".utf8)
    var origins: [[Origin?]] = []
    for _ in 0..<2 {
      let stage = try Stage(in: directory)
      let handle = try stage.open { $0.defaultBundle = inherited }
      stage.publish(1, bundleElement("a"), bundleElement("b"))
      let before = try handle.source.acquire()
      handle.refresh()
      for snapshot in try [before, handle.source.acquire()] {
        origins.append(["a", "b"].map { $0.withBytes { snapshot.origin(of: $0) } })
      }
      stage.scene.client.close()
    }
    #expect(origins == [[.defaults, nil], [.fetched, .fetched], [.cached, .cached], [.fetched, .fetched]])
  }

  @Test("an override makes a removed namespace visible again, unless the override is null")
  func nulls() throws {
    let stage = try Stage()
    let handle = try stage.open()
    stage.publish(1, #"{"namespace":"a"}"#, bundleElement("b"))
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.shown == ["b"])
    try handle.source.set(Override(key: Array("a".utf8), pointer: [], json: Array("null".utf8)))
    #expect(try handle.shown == ["b"])
    #expect(try handle.source.namespaces(of: nil).1.count == 1)
    try handle.source.set(Override(key: Array("a".utf8), pointer: Array("/x".utf8), json: Array("1".utf8)))
    #expect(try handle.source.acquire().value("a", "/x")?.int == 1)
    // Not removed anew: what the host set since stays.
    stage.publish(2, #"{"namespace":"a"}"#)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.shown == ["a", "b"])
  }

  @Test("the program's HTTP headers are sent to the server of the bundle, but not to the target of a redirect")
  func headers() throws {
    let stage = try Stage(headers: ["X-Key: secret"])
    stage.publish(1, bundleElement("a"))
    let body = stage.body
    stage.scene.transport.answer { request in
      guard request.url.hasPrefix("https://h.") else { return .success(.answer(200, body.read { $0 })) }
      return .success(.answer(302, "", [("Location", "https://other.example/y")]))
    }
    #expect(try stage.open { $0.method = .post }.refresh().outcome == .updated)
    #expect(stage.scene.transport.requests.map(\.options.headers) == [["X-Key: secret"], []])
    #expect(stage.scene.transport.requests.map(\.method) == [.post, .get])
  }

  @Test("two openings of a bundle without data send one request together, and the only event is that of the refresh")
  func fetchAtOpen() throws {
    let stage = try Stage()
    stage.publish(1, bundleElement("a"))
    let body = stage.body
    stage.scene.transport.answer { _ in nil }
    let recorder = Recorder()
    let first = try stage.open({ $0.opening.firstFetch = .atOpen }, recorder)
    let second = try stage.open { $0.opening.firstFetch = .atOpen }
    #expect(first.source === second.source)
    #expect(stage.scene.transport.waitForRequests(1))
    stage.scene.transport.release(.success(.answer(200, body.read { $0 })))
    #expect(recorder.seen(1) == [SeenEvent(cause: .refreshed, outcome: .updated, new: 1, changes: ["created a"])])
    #expect(stage.scene.transport.requests.count == 1)
  }

  @Test("attachments cannot be opened in a bundle, and namespaces cannot be listed in a collection")
  func kinds() throws {
    let stage = try Stage()
    let bundle = try stage.open()
    let collection = try stage.scene.open()
    #expect(throws: RemoraError.self) { try collection.source.namespaces(of: nil) }
    let error = #expect(throws: RemoraError.self) { try bundle.source.dialect.requireAttachments() }
    #expect(error?.code == .invalidArgument)
  }
}
