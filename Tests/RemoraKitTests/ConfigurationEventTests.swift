// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Synchronization
import Testing

@Suite("Events at the opening, and the calls of onSuccess of a Snowplow tracker", .timeLimit(.minutes(2)))
struct ConfigurationEventTests {
  static let url = "https://config.test/bundle"

  static func bundle(version: Int64, _ namespaces: String...) -> JSONValue {
    [
      "$schema": "https://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-0",
      "configurationVersion": .int(version), "configurationBundle": .array(namespaces.map(element)),
    ]
  }

  static func element(_ namespace: String) -> JSONValue {
    ["namespace": .string(namespace), "networkConfiguration": ["endpoint": "https://collector.test"]]
  }

  @Test("A bundle reports the default bundle and then the fetched one, each with its state and its namespaces")
  func states() async throws {
    let server = RemoraKit.TestServer()
    server.publishDocument(Self.bundle(version: 2, "b", "a"), at: Self.url)
    let (events, sink) = AsyncStream.makeStream(of: Event.self)
    let client = try Client(Client.Configuration(storageDirectory: nil, transport: server))
    let bundle = try client.bundle(
      Self.url,
      BundleSource.Options(
        defaultBundle: .array([Self.element("a")]), defaultVersion: 1, fetchAtOpen: false,
        onEvent: { sink.yield($0) }))
    var reader = events.makeAsyncIterator()
    let opened = try #require(await reader.next())
    #expect(opened.configuration.map { "\($0.state) \($0.namespaces)" } == #"defaults ["a"]"#)
    #expect(opened.source === bundle && opened.kind == .bundle && opened.version == 1)
    try await bundle.refresh()
    let fetched = try #require(await reader.next())
    #expect(fetched.configuration.map { "\($0.state) \($0.namespaces)" } == #"fetched ["b", "a"]"#)
    #expect(fetched.outcome == .updated && fetched.version == 2 && fetched.origin == .fetched)

    // Namespaces that only an earlier bundle lists stay live, but do not belong to the new one.
    server.publishDocument(Self.bundle(version: 3, "c"), at: Self.url)
    try await bundle.refresh()
    #expect(await reader.next()?.configuration?.namespaces == ["c"])
    #expect(try bundle.namespaces().map(\.name) == ["c", "a", "b"])

    // No call of onSuccess: nothing newer, a failure, an override.
    server.publishDocument(Self.bundle(version: 1, "d"), at: Self.url)
    #expect(try await bundle.refresh() == .notNewer)
    server.failNext(status: 500)
    _ = try? await bundle.refresh()
    try await bundle.setOverride("c", "/subjectConfiguration/userId", to: "me")
    for cause in [Cause.refreshed, .refreshed, .override] {
      let event = try #require(await reader.next())
      #expect(event.cause == cause && event.configuration == nil)
    }
  }

  @Test("A bundle that was fetched before is reported as cached, and one that another process fetched as fetched")
  func cached() async throws {
    let (directory, server) = (try TemporaryDirectory(), RemoraKit.TestServer())
    server.publishDocument(Self.bundle(version: 1, "a"), at: Self.url)
    let (events, sink) = AsyncStream.makeStream(of: Event.self)
    let options = BundleSource.Options(fetchAtOpen: false, onEvent: { sink.yield($0) })
    let configuration = Client.Configuration(storageDirectory: directory.path, transport: server)
    let first = try Client(configuration).bundle(Self.url, BundleSource.Options(fetchAtOpen: false))
    try await first.refresh()
    let second = try Client(configuration).bundle(Self.url, options)
    var reader = events.makeAsyncIterator()
    let opened = try #require(await reader.next()?.configuration)
    #expect(opened.state == .cached && opened.namespaces == ["a"])

    server.publishDocument(Self.bundle(version: 2, "b"), at: Self.url)
    try await first.refresh()
    let adopted = try #require(await reader.next())
    #expect(adopted.cause == .adopted && adopted.configuration?.namespaces == ["b"])
    #expect(adopted.source === second && second["b"] != nil)
  }

  @Test("A bundle without cached or default data has no first event, and a subscription to a key has no configuration")
  func withoutState() async throws {
    let server = RemoraKit.TestServer()
    server.publishDocument(Self.bundle(version: 1, "a"), at: Self.url)
    let (events, sink) = AsyncStream.makeStream(of: Event.self)
    let client = try Client(Client.Configuration(storageDirectory: nil, transport: server))
    let bundle = try client.bundle(Self.url, BundleSource.Options(fetchAtOpen: false, onEvent: { sink.yield($0) }))
    let stream = bundle.events(of: "a")
    try await bundle.refresh()
    #expect(await events.first { _ in true }?.cause == .refreshed)
    let event = try #require(await stream.first { _ in true })
    #expect(event.changes.map(\.key) == ["a"] && event.configuration == nil)
    #expect(event.changes.first?.origin == .fetched)
  }

  @Test("A callback at the opening does not keep its source open")
  func lifetime() async throws {
    weak var source: SettingsSource?
    let stage = try Stage()
    do {
      let settings = try stage.settings { $0.onEvent = { _ in } }
      source = settings
      stage.server.put("/settings", #"{"a":1}"#)
      try await settings.refresh()
    }
    #expect(try source == nil && stage.client.sources() == [])
  }

  @Test("A callback may cancel its own subscription, and release the last reference to its source and client")
  func callbacksThatEnd() async throws {
    let calls = Mutex(0)
    let ended = AsyncStream.makeStream(of: Void.self)
    let held = Held()
    do {
      let stage = try Stage()
      let end = Ended { ended.continuation.yield() }
      let settings = try stage.settings { options in
        options.onEvent = { event in
          guard event.cause == .override else { return }
          withExtendedLifetime(end) { held.settings.withLock { $0 = nil } }
        }
      }
      held.settings.withLock { $0 = settings }
      let subscription = try settings.subscribe { _ in
        calls.withLock { $0 += 1 }
        held.subscription.withLock { $0?.cancel() }
      }
      held.subscription.withLock { $0 = subscription }
      stage.server.put("/settings", #"{"a":1}"#)
      try await settings.refresh()
      try await settings.refresh()
      try await stage.client.callbacksToEnd(of: settings)
      #expect(calls.withLock { $0 } == 1)
      held.subscription.withLock { $0 = nil }
    }
    try await held.settings.withLock { $0 }?.setOverride("a", to: 2)
    #expect(await ended.stream.first { _ in true } != nil)
  }

  @Test("A subscription calls its function until it is cancelled or released")
  func subscriptions() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1,"b":1}"#)
    let keys = Mutex<[String]>([])
    let note: @Sendable (Event) -> Void = { event in
      keys.withLock { $0.append(event.cause == .opened ? "opened" : event.changes.map(\.key).joined()) }
    }
    let whole = try settings.subscribe(replay: true, note)
    try await settings.setOverride("a", to: true)
    try await stage.client.callbacksToEnd(of: settings)
    var single: Subscription? = try settings.subscribe(to: "b", note)
    #expect(single != nil)
    try await settings.setOverride("b", to: 0.5)
    try await stage.client.callbacksToEnd(of: settings)
    #expect(keys.withLock { $0 } == ["opened", "a", "b", "b"])
    whole.cancel()
    single = nil
    try await settings.clearOverrides()
    try await stage.client.callbacksToEnd(of: settings)
    #expect(keys.withLock { $0.count } == 4)
    settings.close()
    #expect(throws: RemoraError.self) { try settings.subscribe(note) }
  }
}

extension Client {
  /// Waits until the callbacks of all earlier events have run.
  fileprivate func callbacksToEnd(of source: Source) async throws {
    _ = await source.events(replay: true).first { _ in true }
  }
}

/// References that callbacks release.
private final class Held: Sendable {
  let settings = Mutex<SettingsSource?>(nil)
  let subscription = Mutex<Subscription?>(nil)
}

/// Runs a function when its last reference is released.
private final class Ended: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
