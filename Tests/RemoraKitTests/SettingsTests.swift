// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Settings with tags (a tag names an additional dictionary under the same URL)", .timeLimit(.minutes(2)))
struct SettingsTests {
  @Test("The first read of a tag fetches the value and returns it, and a second read sends no request")
  func freshTag() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.params = ["user": "u 1"] }
    stage.server.put("/settings#x", #"{"k":5}"#)
    #expect(await settings.value("k", tag: "x", timeout: .seconds(60), default: 3) == 5)
    #expect(stage.server.urls == ["\(stage.server.base)/settings?user=u%201&tag=x"])
    // Fresh data is not requested again.
    #expect(await settings.value("k", tag: "x", default: 3) == 5)
    #expect(stage.server.urls.count == 1 && settings["k"] == nil)
  }

  @Test("Parameters that a program adds one by one are sent in order, even if a name occurs twice")
  func addedParameters() async throws {
    let stage = try Stage()
    var params: RequestParameters = ["user": "u 1", "group": "a"]
    for (name, value) in [("segment", "s"), ("group", "b")] { params.append(name, value) }
    let settings = try stage.settings { [params] in $0.params = params }
    stage.server.put("/settings", #"{"k":5}"#)
    try await settings.refresh()
    #expect(stage.server.urls == ["\(stage.server.base)/settings?user=u%201&group=a&segment=s&group=b"])
    #expect(params.map(\.name) == ["user", "group", "segment", "group"] && RequestParameters().isEmpty)
  }

  @Test("If no fresh value of a tag arrives in time, a read returns the earlier value, or the default if none exists")
  func fallback() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.ttl = .zero }
    #expect(await settings.value("k", tag: "x", timeout: .zero, default: 3) == 3)
    #expect(stage.server.urls == [])
    stage.server.put("/settings#x", #"{"k":5}"#)
    #expect(await settings.value("k", tag: "x", default: 3) == 5)
    stage.server.hold()
    #expect(await settings.value("k", tag: "x", timeout: .milliseconds(5), default: 3) == 5)
    await stage.server.cancellations(1)
    stage.server.release()
    stage.server.put("/settings#x", #"{"other":1}"#)
    #expect(await settings.value("k", tag: "x", default: 3) == 3)
    #expect(await settings.value("other", tag: "x", timeout: .zero, default: "text") == "text")
    #expect(await settings.value("k", tag: "", default: 3) == 3)
  }

  @Test("A cancelled read of a tag returns the current value at once")
  func cancelledValue() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.ttl = .zero }
    stage.server.put("/settings#x", #"{"k":5}"#)
    #expect(await settings.value("k", tag: "x", default: 3) == 5)
    stage.server.hold()
    let task = Task { await settings.value("k", tag: "x", default: 3) }
    await stage.server.requests(2)
    task.cancel()
    #expect(await task.value == 5)
  }

  @Test("The values and changes of a tag are separate from those of the main settings")
  func tags() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    let tag = try settings.tag("x")
    var changes = tag.changes(of: "k").makeAsyncIterator()
    stage.server.put("/settings#x", #"{"k":5}"#)
    try tag.prefetch()
    #expect(await changes.next()?.new == 5)
    #expect(try tag.int("k") == 5 && settings["k"] == nil)
    #expect(throws: RemoraError.self) { try settings.tag("") }
    #expect(throws: RemoraError.self) { try tag.tag("y") }
    #expect(throws: RemoraError.self) { try settings.tag("y", ttl: .seconds(-1)) }
  }

  @Test("The data of a tag is kept until the settings are closed, and an open tag is usable afterwards")
  func keptTags() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.memoryOnly = true }
    stage.server.put("/settings#x", #"{"k":5}"#)
    try settings.prefetch(tag: "x")
    #expect(await settings.value("k", tag: "x", default: 3) == 5)
    #expect(try settings.tag("x").int("k") == 5 && stage.server.urls.count == 1)
    let tag = try settings.tag("x")
    settings.close()
    #expect(try stage.client.sources().count == 1)
    #expect(try await tag.refresh() == .unchanged)
    tag.close()
    #expect(try stage.client.sources().isEmpty)
  }

  @Test("Reads do not return fetched settings until these settings are activated")
  func activation() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.activation = .manual }
    stage.server.put("/settings", #"{"a":1}"#)
    #expect(try await settings.refresh() == .staged)
    #expect(try settings.info().hasStaged && settings["a"] == nil)
    #expect(try await settings.activate() == .updated)
    #expect(settings["a"] == 1)
    #expect(try await settings.activate() == .unchanged)
    try await settings.freeze()
    stage.server.put("/settings", #"{"a":2}"#)
    #expect(try await settings.refresh() == .staged)
    try await settings.reset()
    #expect(try settings["a"] == nil && settings.snapshot.origin == .none)
  }

  @Test("By default the first fetched settings are live at once, and later ones after the next start")
  func nextSetup() async throws {
    let directory = try TemporaryDirectory()
    do {
      let stage = try Stage(storage: directory.path)
      stage.server.put("/settings", #"{"a":1}"#)
      let settings = try stage.client.settings("\(stage.server.base)/settings")
      var events = settings.events(replay: true).makeAsyncIterator()
      while settings["a"] == nil { _ = try #require(await events.next()) }
      #expect(settings["a"] == 1)
      stage.server.put("/settings", #"{"a":2}"#)
      #expect(try await settings.refresh() == .staged)
      var event = try #require(await events.next())
      while event.staged == nil { event = try #require(await events.next()) }
      #expect(settings["a"] == 1 && event.outcome == .staged && event.staged?["a"] == 2)
    }
    let settings = try Stage(storage: directory.path).settings { $0.activation = nil }
    #expect(try settings["a"] == 2 && settings.snapshot.origin == .cached)
  }

  @Test("A program rejects a version that it cannot work with, and reads the one before it")
  func reject() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"servers":4}"#)
    stage.server.put("/settings", #"{"servers":0}"#)
    try await settings.refresh()
    let bad = try settings.snapshot
    try await settings.reject(bad, reason: "there is no server")
    #expect(settings.int("servers", default: -1) == -1)
    #expect(try settings.info().rejectedVersion == bad.version)
    let error = await #expect(throws: RemoraError.self) { try await settings.refresh() }
    #expect(error?.code == .rejected && error?.family == .document)
    stage.server.put("/settings", #"{"servers":8}"#)
    try await settings.refresh()
    #expect(settings.int("servers", default: -1) == 8)
  }

  @Test("Settings without a required key, or that violate the schema, are refused")
  func acceptance() async throws {
    let stage = try Stage()
    let schema = #"{"properties":{"port":{"maximum":65535}}}"#
    let settings = try stage.settings { $0.accepts = AcceptanceRules(requiredKeys: ["port"], schema: schema) }
    for document in ["{}", #"{"port":70000}"#] {
      stage.server.put("/settings", document)
      let error = await #expect(throws: RemoraError.self) { try await settings.refresh() }
      #expect(error?.code == .schema)
    }
    stage.server.put("/settings", #"{"port":80}"#)
    #expect(try await settings.refresh() == .updated)
  }

  @Test("A program activates the staged version that it has judged, and no other one")
  func activateJudged() async throws {
    let stage = try Stage()
    let settings = try stage.settings { $0.activation = .manual }
    stage.server.put("/settings", #"{"a":1}"#)
    try await settings.refresh()
    let judged = try #require(await settings.events(replay: true).first { _ in true }?.staged)
    stage.server.put("/settings", #"{"a":2}"#)
    try await settings.refresh()
    let error = try await #require(throws: RemoraError.self) { try await settings.activate(judged) }
    #expect(error.code == .notFound && settings["a"] == nil)
    let newer = try #require(await settings.events(replay: true).first { _ in true }?.staged)
    #expect(try await settings.activate(newer) == .updated)
    #expect(settings["a"] == 2)
    #expect(try await settings.activate(newer) == .unchanged)
    let other = try stage.collection().snapshot
    await #expect(throws: RemoraError.self) { try await settings.activate(other) }
  }

  @Test("Reads return packaged settings (shipped with the program) before any data is fetched")
  func packaged() async throws {
    let settings = try Stage().settings { $0.packaged = .bytes(Array(#"{"a":7}"#.utf8)) }
    #expect(settings["a"] == 7)
  }
}
