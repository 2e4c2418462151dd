// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Sources and clients", .timeLimit(.minutes(2)))
struct SourceTests {
  @Test("A read returns the override of a value until the override is cleared")
  func overrides() async throws {
    let settings = try await Stage().fetched(#"{"limits":{"max":1,"min":0}}"#)
    try await settings.setOverride("limits", "/max", to: 9)
    try await settings.setOverride("own", to: ["text": "mine"])
    #expect(settings["limits"] == ["max": 9, "min": 0] && settings.string("own", "/text", default: "") == "mine")
    #expect(try settings.snapshot.origin(of: "own") == .override && settings.snapshot.origin(of: "none") == nil)
    #expect(
      try settings.overrides().map { "\($0.key)\($0.pointer)=\($0.json)" } == ["limits/max=9", #"own={"text":"mine"}"#])
    try await settings.clearOverride("limits")
    #expect(settings.int("limits", "/max", default: 0) == 1)
    try await settings.clearOverrides()
    #expect(settings["own"] == nil)
    #expect(try settings.overrides() == [])
  }

  @Test("An explanation names the layers of a value, the one that wins, and why there is no value")
  func explanation() async throws {
    let settings = try await Stage().fetched(#"{"limits":{"max":1}}"#)
    try await settings.setOverride("limits", "/max", to: 9)
    let found = try await settings.explain("limits", at: "/max")
    #expect(found.key == "limits" && found.pointer == "/max" && found.json == "9" && found.reason == nil)
    #expect(found.layers.map(\.name) == ["override", "live"] && found.layers.map(\.wins) == [true, false])
    #expect(found.layers.map(\.json) == ["9", "1"] && found.layers[0].version == nil)
    #expect(found.layers[1].fetchedAtMs ?? 0 > 0 && found.layers[1].isVerified == false)
    #expect(found.description.hasPrefix("limits /max: 9\n"))
    let none = try await settings.explain("none")
    #expect(none.json == nil && none.reason == "the key does not exist" && none.layers.isEmpty)
    await #expect { try await settings.explain("limits", at: "max") } throws: { error in
      (error as? RemoraError)?.code == .invalidArgument
    }
  }

  @Test("An event reports that data became stale by time alone, and that a refresh made it fresh again")
  func freshness() async throws {
    let stage = try Stage(maximumStale: .seconds(90))
    let settings = try stage.settings()
    #expect(try settings.info().freshness == .never)
    stage.server.put("/settings", #"{"a":1}"#)
    try await settings.refresh()
    #expect(try settings.info().freshness == .fresh)
    var events = settings.events(replay: true).makeAsyncIterator()
    #expect(await events.next()?.freshness == .fresh)
    stage.clock.advance(by: .seconds(91))
    let stale = await events.next()
    #expect(stale?.cause == .freshness && stale?.oldFreshness == .fresh && stale?.freshness == .stale)
    try await settings.refresh()
    #expect(await events.next()?.cause == .refreshed)
    let fresh = await events.next()
    #expect(fresh?.cause == .freshness && fresh?.oldFreshness == .stale && fresh?.freshness == .fresh)
  }

  @Test("An override that cannot be set changes nothing")
  func refusedOverrides() async throws {
    let settings = try await Stage().fetched(#"{"a":1}"#)
    func code(_ call: () async throws -> Void) async -> RemoraError.Code? {
      do { try await call() } catch let error as RemoraError { return error.code } catch {}
      return nil
    }
    #expect(await code { try await settings.setOverride("a", "/x", to: 1) } == .wrongType)
    #expect(await code { try await settings.setOverride("b", to: 1, ifExists: true) } == .notFound)
    #expect(await code { try await settings.setOverride("b", to: .double(.nan)) } == .invalidArgument)
    #expect(await code { try await settings.setOverride("", to: 1) } == .invalidArgument)
    #expect(await code { try await settings.clearOverride("a") } == .notFound)
    #expect(try settings.snapshot.keys == ["a"])
  }

  @Test("A bundle inherits missing values from its default bundle, and lists its namespaces")
  func bundle() async throws {
    let stage = try Stage()
    stage.server.put(
      "/bundle",
      #"""
      {"$schema":"http://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-0",
      "configurationVersion":2,"configurationBundle":[
      {"namespace":"app","networkConfiguration":{"endpoint":"https://new.example"}}]}
      """#)
    var options = BundleSource.Options()
    options.defaultBundle = [
      [
        "namespace": "app", "networkConfiguration": ["endpoint": "https://old.example"],
        "trackerConfiguration": ["sessionContext": true],
      ]
    ]
    options.defaultVersion = 1
    options.fetchAtOpen = false
    let bundle = try stage.client.bundle("\(stage.server.base)/bundle", options)
    #expect(try bundle.snapshot.origin == .defaults)
    #expect(try await bundle.refresh() == .updated)
    #expect(bundle.string("app", "/networkConfiguration/endpoint", default: "") == "https://new.example")
    #expect(bundle.bool("app", "/trackerConfiguration/sessionContext", default: false))
    let namespace = try #require(try bundle.namespaces().first)
    #expect(namespace.name == "app" && namespace.isInBundle && namespace.isDefault && namespace.origin == .fetched)
    let other = try await stage.fetched(#"{"app":{}}"#).snapshot
    #expect(throws: RemoraError.self) { try bundle.namespaces(of: other) }
  }

  @Test("A packaged attachment is opened without a request, and a missing one is an error")
  func attachments() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("logo", Array("hello".utf8))
    let stage = try Stage()
    let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    let attachment = #"{"location":"main/x","filename":"x","mimetype":"t","size":5,"hash":"\#(hash)"}"#
    stage.put(
      ["logo", "other"].map { #"{"id":"\#($0)","last_modified":5,"attachment":\#(attachment)}"# }, at: 5)
    let collection = try stage.collection { $0.packagedAttachments = directory.path }
    try await collection.refresh()
    let logo = try await collection.attachment(of: "logo", localOnly: true)
    #expect(logo.count == 5 && logo.bytes == Array("hello".utf8))
    #expect(logo.withUnsafeBytes { $0.first } == UInt8(ascii: "h"))
    for record in ["none", "logo2"] {
      let error = try await #require(throws: RemoraError.self) { try await collection.attachment(of: record) }
      #expect(error.code == .notFound)
    }
    #expect(stage.server.urls.count == 1)
  }

  @Test("The context (attributes that filters of records refer to) decides which records are visible")
  func context() async throws {
    let stage = try Stage()
    stage.put([#"{"id":"a","last_modified":5,"filter_expression":"env.plan == 'pro'"}"#], at: 5)
    let collection = try stage.collection()
    try await collection.refresh()
    #expect(try collection.snapshot.count == 0 && collection.unfilteredSnapshot.count == 1)
    try await stage.client.setContext(["plan": "pro"])
    #expect(try collection.snapshot.count == 1)
    let error = try await #require(throws: RemoraError.self) { try await stage.client.setContext([1]) }
    #expect(error.parameter == "context" && error.message.hasPrefix("context "))
  }

  @Test("A filter expression is evaluated in a context of its own, without a client")
  func filterMatches() throws {
    #expect(try Client.filterMatches("env.plan == 'pro'", context: ["plan": "pro"]))
    #expect(try !Client.filterMatches("env.plan == 'pro'", context: nil))
    let failed = try #require(throws: RemoraError.self) { try Client.filterMatches("plan", context: nil) }
    #expect(failed.message == "expression cannot be evaluated: plan is not defined")
    let refused = try #require(throws: RemoraError.self) { try Client.filterMatches("true", context: [1]) }
    #expect(refused.code == .invalidArgument && refused.parameter == "context")
  }

  @Test("An open client replaces its headers, and refuses a certificate that cannot be read")
  func credentials() throws {
    let client = try Client(.init(storageDirectory: nil, applicationName: "test"))
    try client.setHeaders(["Authorization: Bearer renewed"])
    let refused = try #require(throws: RemoraError.self) { try client.setHeaders(["Range: x"]) }
    #expect(refused.parameter == "headers")
    var configuration = Client.Configuration(storageDirectory: nil, applicationName: "test")
    configuration.clientCertificateFile = "/missing.pem"
    let missing = try #require(throws: RemoraError.self) { try Client(configuration) }
    #expect(missing.parameter == "clientCertificateFile")
  }

  @Test("A client reports log lines and refresh attempts, and refuses invalid options")
  func configuration() async throws {
    let (reports, sink) = AsyncStream.makeStream(of: String.self)
    var configuration = Client.Configuration(storageDirectory: nil, applicationName: "test")
    configuration.connectTimeout = .milliseconds(500)
    configuration.onLog = { sink.yield("\($0.level) \($0.message)") }
    configuration.onAttempt = { sink.yield("\($0.outcome) \($0.error?.family.rawValue ?? "")") }
    let client = try Client(configuration)
    var options = SettingsSource.Options()
    options.fetchAtOpen = false
    let settings = try client.settings("http://127.0.0.1:9/none", options)
    let error = try await #require(throws: RemoraError.self) { try await settings.refresh() }
    #expect(error.family == .network)
    var seen: Set<String> = []
    for await report in reports {
      seen.insert(report.prefix { $0 != ":" }.description)
      if seen.count == 2 { break }
    }
    #expect(seen.contains("failed network") && seen.contains { $0.hasPrefix("warning settings http") })
    try Client.preconnect(to: "http://127.0.0.1:9/", applicationName: "test")
    let logged = await reports.first { $0.hasPrefix("warning cannot pre-connect") }
    #expect(logged != nil)
    #expect(throws: RemoraError.self) { try Client.preconnect(to: "http://127.0.0.1:9/", applicationName: "") }
    configuration.headers = ["no colon"]
    #expect(throws: RemoraError.self) { try Client(configuration) }
    configuration = Client.Configuration(storageDirectory: "")
    #expect(throws: RemoraError.self) { try Client(configuration) }
    configuration = Client.Configuration(storageDirectory: nil, server: "not a server")
    #expect(throws: RemoraError.self) { try Client(configuration) }
  }
}
