// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Bound keys, differences and whole snapshots", .timeLimit(.minutes(2)))
struct BoundKeyTests {
  static let document =
    #"{"on":false,"n":3,"r":2.5,"s":"text","long":"\#(String(repeating: "x", count: 100))","u":"app://editor","o":{"k":[1]}}"#

  @Test("A bound key reads values of each type, and its default if the value is missing or has another type")
  func types() async throws {
    let settings = try await Stage().fetched(Self.document)
    for _ in 1...2 {  // The second read returns cached values.
      #expect(try settings.bind("on").bool(default: true) == false)
      #expect(try settings.bind("n").int(default: 0) == 3 && settings.bind("r").int(default: 7) == 7)
      #expect(try settings.bind("r").double(default: 0) == 2.5 && settings.bind("n").double(default: 0) == 3)
    }
    let (short, long) = (try settings.bind("s"), try settings.bind("long"))
    #expect(short.string(default: "") == "text" && short.string(default: "") == "text")
    #expect(long.string(default: "").count == 100 && long.string(default: "").count == 100)
    #expect(try settings.bind("n").string(default: "none") == "none" && short.key == "s" && short.pointer == "")
    #expect(try settings.bind("u").url(default: "") == "app://editor" && settings.bind("s").url(default: "x") == "x")
    #expect(try settings.bind("o", "/k").json(default: "") == "[1]" && settings.bind("z").json(default: "[]") == "[]")
    #expect(try settings.bind("o", "/k/0").int(default: 0) == 1)
  }

  @Test("A bound key reads the new value after a refresh, and counts the changes of its value only")
  func changes() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1,"b":1}"#)
    let key = try settings.bind("a")
    #expect(key.int(default: 0) == 1 && key.changeCount == 0)
    stage.server.put("/settings", #"{"a":2,"b":1}"#)
    try await settings.refresh()
    #expect(key.int(default: 0) == 2 && key.changeCount == 1 && key.changeCount == 1)
    stage.server.put("/settings", #"{"a":2,"b":2}"#)
    try await settings.refresh()
    #expect(key.changeCount == 1)
    try await settings.setOverride("a", to: 9)
    #expect(key.int(default: 0) == 9 && key.changeCount == 2)
    stage.client.close()
    #expect(key.int(default: 5) == 5 && key.source === settings)
  }

  @Test("Only a key and a pointer that can exist are bound, in an open source")
  func refused() async throws {
    let settings = try await Stage().fetched(#"{"a":1}"#)
    for (key, pointer) in [
      ("", ""), ("a", "x"), ("a\0", ""), ("a", "/\0"), (String(repeating: "k", count: 65_536), ""),
    ] {
      let error = try #require(throws: RemoraError.self) { try settings.bind(key, pointer) }
      #expect(error.code == .invalidArgument)
    }
    settings.close()
    let error = try #require(throws: RemoraError.self) { try settings.bind("a") }
    #expect(error.code == .closed)
  }

  @Test("The difference of two snapshots contains every changed key with its origin, also against an empty snapshot")
  func difference() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1,"b":2}"#)
    let before = try settings.snapshot
    #expect(before.changes(since: nil).map(\.kind) == [.created, .created])
    try await settings.setOverride("b", to: "x")
    stage.server.put("/settings", #"{"c":3}"#)
    try await settings.refresh()
    let changes = try settings.snapshot.changes(since: before)
    #expect(changes.map(\.key) == ["a", "b", "c"] && changes.map(\.kind) == [.deleted, .updated, .created])
    #expect(changes.map(\.origin) == [.none, .override, .fetched])
    #expect(changes.map(\.old) == [1, 2, nil] && changes.map(\.new) == [nil, "x", 3])
    #expect(try before.json() == #"{"a":1,"b":2}"#)
    #expect(settings.json("c", default: "") == "3" && settings.json("none", default: "null") == "null")
  }

  @Test("An experiment is found by its name")
  func experiment() async throws {
    let settings = try await Stage().fetched(
      #"{"experiments":[{"name":"paint","variant":"v1","trackable":2,"settings":["brush"]}]}"#)
    let paint = try #require(try settings.snapshot.experiment("paint"))
    #expect(paint.variant == "v1" && paint.trackable == 2 && paint.settings == ["brush"])
    #expect(try settings.snapshot.experiment("none") == nil)
  }

  @Test("An override is set to a boolean, an integer, a number, a string or null without JSON text")
  func overrides() async throws {
    let settings = try await Stage().fetched(#"{"gone":1}"#)
    let (limit, ratio, name, isOn) = (50, 0.5, "a \"b\"", true)
    try await settings.setOverride("limits", "/max", to: limit)
    try await settings.setOverride("limits", "/ratio", to: ratio)
    try await settings.setOverride("limits", "/name", to: name, ifExists: false)
    try await settings.setOverride("on", to: isOn)
    try await settings.setOverride("gone", to: nil)
    #expect(settings["limits"] == ["max": 50, "ratio": 0.5, "name": "a \"b\""] && settings["on"] == true)
    #expect(settings["gone"] == nil)
    let error = try await #require(throws: RemoraError.self) {
      try await settings.setOverride("r", to: Double.infinity)
    }
    #expect(error.parameter == "value" && error.message.hasPrefix("value "))
  }
}
