// SPDX-License-Identifier: Apache-2.0
//
// Keys whose value is null: as if they were missing, in reads, counts, lists and events.

import Testing

@testable import Remora

@Suite("Keys of settings whose value is null")
struct NullKeyTests {
  private let seen = Recorder()

  @Test("a key of settings whose value is null is not counted, listed or found, and a part of a value may be null")
  func missing() throws {
    let stage = try SettingsStage()
    let handle = try stage.open { $0.activation = .immediate }
    stage.say(#"{"a":null,"b":{"x":null},"c":1}"#)
    #expect(handle.refresh().outcome == .updated)
    let snapshot = try handle.source.acquire()
    #expect(snapshot.count == 2)
    #expect(try handle.shown == ["b", "c"])
    #expect(snapshot.value("a") == nil)
    #expect(snapshot.value("b", "/x")?.type == .null)
    #expect(try snapshot.text() == #"{"b":{"x":null},"c":1}"#)
    #expect(try snapshot.unfiltered.text() == #"{"a":null,"b":{"x":null},"c":1}"#)
  }

  @Test("events report a value that became null as deleted, a null that became a value as created, and no other null")
  func changes() throws {
    let stage = try SettingsStage()
    let handle = try stage.open({ $0.activation = .immediate }, subscriber: seen.sink)
    let bodies = [#"{"a":1,"b":null,"c":1}"#, #"{"a":null,"b":1,"c":1,"d":null}"#, #"{"b":1,"c":1}"#]
    let changes = [["created a", "created c"], ["deleted a", "created b"], []]
    for (index, body) in bodies.enumerated() {
      stage.clock.advance(byMs: 1000)
      stage.say(body)
      #expect(handle.refresh().outcome == .updated)
      // Events that wait for their delivery are merged, so each is awaited. The first one is of the opening.
      #expect(seen.seen(index + 2).last?.changes == changes[index])
    }
  }

  @Test("packaged and stored settings have no key whose value is null, and neither has a source with a null override")
  func otherOrigins() throws {
    let directory = try TemporaryDirectory()
    let stage = try SettingsStage(in: directory)
    let packaged = try stage.open(tag: "p") { $0.packaged = .bytes(Array(#"{"a":null,"b":1}"#.utf8)) }
    #expect(try packaged.shown == ["b"])
    try packaged.set("b", "", "null")
    #expect(try packaged.shown.isEmpty)
    #expect("b".withBytes { key in (try? packaged.source.acquire())?.origin(of: key) } == nil)
    try packaged.clear("b", "")
    #expect(try packaged.shown == ["b"])
    stage.say(#"{"a":null,"b":1}"#)
    try stage.open().refresh()
    stage.scene.client.close()
    let next = try SettingsStage(in: directory, base: stage)
    #expect(try next.open().shown == ["b"])
  }
}
