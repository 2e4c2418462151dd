// SPDX-License-Identifier: Apache-2.0
//
// Overrides in the life of a source: they win over whatever becomes live, and what they change is told.

import Testing

@testable import Remora

@Suite("Overrides (values that the program sets in place of fetched values)")
struct OverrideTests {
  let scene: Scene

  init() throws {
    scene = try Scene()
    scene.server.put("a", #""v":1,"o":{"x":1,"l":[1]}"#, at: 1000)
    scene.server.put("b", at: 1000)
  }

  @Test("reads return an override at once, and after refreshes too, until the override is cleared")
  func refreshes() throws {
    let handle = try scene.open()
    handle.refresh()
    try handle.set("a", "/v", "\"mine\"")
    try handle.set("a", "/o/x", "null")
    #expect(try handle.json("a", "/v") == "\"mine\"")
    scene.server.put("a", #""v":2,"o":{"x":2,"y":2}"#, at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.json("a", "/v") == "\"mine\"")
    #expect(try handle.json("a", "/o") == #"{"x":null,"y":2}"#)
    #expect(try handle.json("a", "/last_modified") == "2000")
    try handle.clear("a", "/v")
    #expect(try handle.json("a", "/v") == "2")
    try handle.source.clearOverrides()
    #expect(try handle.json("a", "/o") == #"{"x":2,"y":2}"#)
    #expect(try handle.source.acquire().overlay == nil)
  }

  @Test("if fetched data waits for activation, the event of an override contains that data with the override applied")
  func stagedInEvent() throws {
    let staged = Box<[String]>([])
    let handle = try scene.open(
      { $0.activation = .manual },
      subscriber: { event, _ in
        guard event.cause == .override else { return }
        staged.update { $0.append((try? event.staged?.text()) ?? "nothing") }
      })
    handle.refresh()
    _ = try handle.source.activate()
    scene.server.put("a", #""v":2"#, at: 2000)
    #expect(handle.refresh().outcome == .staged)
    try handle.set("a", "/v", "7")
    #expect(staged.wait { $0.count == 1 })
    #expect(staged.read { $0 }.first?.contains(#""v":7"#) == true)
  }

  @Test("overrides can be read before the first fetch, and the source is still treated as never fetched")
  func nothingFetched() throws {
    let handle = try scene.open()
    try handle.set("a", "/v", "5")
    let before = try handle.source.acquire()
    #expect(try before.text() == #"{"a":{"v":5}}"#)
    #expect(before.origin == .none)
    #expect("a".withBytes { before.origin(of: $0) } == .override)
    #expect(try handle.source.info().version == 0)
    #expect(try handle.source.awaitFresh(RefreshManner(isOnlyIfEmpty: true), timeoutMs: -1).count == 2)
    #expect(scene.transport.urls.contains("changeset?_expected=0"), "nothing is known of the server's data")
    #expect(try handle.json("a", "/v") == "5")
    #expect(try handle.json("a", "/o/x") == "1")
    let after = try handle.source.acquire()
    #expect("b".withBytes { after.origin(of: $0) } == .fetched)
  }

  @Test("an override inside a value that is not an object is refused")
  func onTheWay() throws {
    let handle = try scene.open()
    handle.refresh()
    for (pointer, place) in [("/v/x", "/v"), ("/o/l/0", "/o/l"), ("/o/l/x/y", "/o/l"), ("/o/x/", "/o/x")] {
      let error = #expect(throws: RemoraError.self) { try handle.set("a", pointer, "1") }
      #expect(error?.code == .wrongType)
      #expect(error?.message.contains("key \"a\" at \(place) is ") == true, "\(error?.message ?? "")")
    }
    #expect(try handle.source.overrides() == OverrideList())
    try handle.set("new", "", "[1]")
    let error = #expect(throws: RemoraError.self) { try handle.set("new", "/0", "1") }
    #expect(error?.message == "key \"new\" is an array, not an object")
    try handle.set("new", "", "null")
    try handle.set("new", "/x", "1")
    #expect(try handle.json("new") == #"{"x":1}"#)
    try handle.set("a", "/o/deep/x", "1")
    scene.server.put("a", #""o":[1,2]"#, at: 2000)
    handle.refresh()
    #expect(try handle.json("a", "/o") == #"{"deep":{"x":1}}"#)
    try handle.set("a", "/o/deep/y", "2")
    #expect(try handle.json("a", "/o") == #"{"deep":{"x":1,"y":2}}"#)
    try handle.clear("a", "/o")
    #expect(try handle.json("a", "/o") == "[1,2]")
  }

  @Test("subscribers are notified of an override only if it changes a value that reads return")
  func events() throws {
    let handle = try scene.open()
    handle.refresh()
    let (all, key) = (Recorder(), Recorder())
    _ = try handle.subscribe(key: nil, replay: false, all.sink)
    _ = try handle.subscribe(key: Array("b".utf8), replay: false, key.sink)
    try handle.set("a", "/v", "5")
    #expect(all.seen(1) == [SeenEvent(cause: .override, old: 1000, new: 1000, changes: ["updated a"])])
    // The same again, and what is read anyway.
    try handle.set("a", "/v", "5")
    try handle.set("b", "/v", "1")
    #expect("b".withBytes { try? handle.source.acquire().origin(of: $0) } == .override)
    try handle.set("c", "", "{}")
    #expect(all.seen(2).last?.changes == ["created c"])
    scene.server.put("a", #""v":9,"o":{"x":1,"l":[1]}"#, at: 2000)
    scene.server.put("b", #""v":9"#, at: 2000)
    handle.refresh()
    #expect(
      all.seen(3).last
        == SeenEvent(cause: .refreshed, outcome: .updated, old: 1000, new: 2000, changes: ["updated a", "updated b"]))
    #expect(key.seen(1).map(\.cause) == [.refreshed])
    try handle.source.clearOverrides()
    #expect(all.seen(4).last?.changes == ["updated a", "updated b", "deleted c"])
    #expect(all.all.count == 4)
    #expect(key.seen(2).map(\.cause) == [.refreshed, .override])
    #expect(handle.source.cell.acquire() === (try handle.source.acquire()))
    try handle.source.clearOverrides()
    scene.server.touch(at: 3000)
    handle.refresh()
    #expect(all.seen(5).map(\.cause) == [.override, .override, .refreshed, .override, .refreshed])
  }

  @Test("the filter of a record is evaluated after overrides have changed the record")
  func filters() throws {
    scene.server.put("de", #""v":1,"filter_expression":"env.locale == 'de'""#, at: 1000)
    let handle = try scene.open()
    handle.refresh()
    try handle.set("de", "/v", "2")
    #expect(try handle.shown == ["a", "b"])
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(try handle.json("de", "/v") == "2")
    try handle.set("de", "/filter_expression", "\"false\"")
    #expect(try handle.shown == ["a", "b"])
    try handle.set("de", "/filter_expression", "\"true\"")
    try scene.client.setContext(nil)
    #expect(try handle.shown == ["a", "b", "de"])
    try handle.set("de", "/filter_expression", "null")
    #expect(try handle.shown == ["a", "b", "de"])
    try handle.set("de", "", "7")
    #expect(try handle.json("de") == "7")
    try handle.set("new", "", #"{"filter_expression":"env.locale == 'de'"}"#)
    #expect(try handle.shown == ["a", "b", "de"])
    // Of a hidden record, too, it is known what is on the way.
    #expect(throws: RemoraError.self) { try handle.set("new", "/filter_expression/x", "1") }
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(try handle.shown == ["a", "b", "de", "new"])
    #expect(keysOf(try handle.source.acquire(isUnfiltered: true)) == ["a", "b", "de"])
  }

  @Test("an override can add a filter to a record of a collection without filters")
  func filtersByOverride() throws {
    let handle = try scene.open()
    handle.refresh()
    try handle.set("b", "/filter_expression", "\"broken(\"")
    #expect(try handle.shown == ["a"])
    #expect(try handle.source.info().filterFailures == 1)
    try handle.clear("b", "")
    #expect(try handle.shown == ["a", "b"])
    #expect(try handle.source.info().filterFailures == 0)
  }

  @Test("overrides also apply to packaged data, to data from another client and to the data after a reset")
  func everywhere() throws {
    let directory = try TemporaryDirectory()
    let first = try Scene(in: directory, server: scene.server)
    let handle = try first.open {
      $0.packaged = .bytes(Array(#"{"data":[{"id":"p","last_modified":1,"v":1}],"timestamp":500}"#.utf8))
    }
    try handle.set("p", "/v", "2")
    try handle.set("a", "/v", "2")
    #expect(try handle.json("p", "/v") == "2")
    #expect(try handle.json("a") == #"{"v":2}"#)
    let second = try Scene(in: directory, server: scene.server)
    try second.fetchAndClose()
    Runtime.shared.worker.perform { handle.source.adoption.adoptIfNewer($0) }
    #expect(handle.version == 1000)
    #expect(try handle.json("a", "/v") == "2")
    #expect(try handle.json("p") == #"{"v":2}"#)
    try handle.source.reset()
    #expect(try handle.json("p", "/last_modified") == "1")
    #expect(try handle.json("p", "/v") == "2")
    #expect(try handle.source.overrides().places == ["a:/v", "p:/v"])
  }

  @Test("all handles of a source share its overrides, which end when the last handle is closed")
  func belonging() throws {
    let first = try scene.open()
    let second = try scene.open()
    try first.set("x", "", "1")
    #expect(try second.json("x") == "1")
    first.close()
    #expect(try second.json("x") == "1")
    let other = try Scene(server: scene.server)
    #expect(try other.open().shown == [])
    second.close()
    #expect(try scene.open().shown == [])
  }

  @Test("setting, clearing and listing overrides fails with CLOSED on a closed client")
  func closed() throws {
    let handle = try scene.open()
    try handle.set("x", "", "1")
    let before = try handle.source.acquire()
    scene.client.close()
    let attempts: [() throws -> Void] = [
      { try handle.set("x", "", "2") }, { try handle.clear("x", "") }, { try handle.source.clearOverrides() },
      { _ = try handle.source.overrides() },
    ]
    for attempt in attempts {
      let error = #expect(throws: RemoraError.self) { try attempt() }
      #expect(error?.code == .closed)
    }
    #expect(try before.text() == #"{"x":1}"#)
  }

  @Test("while threads set overrides and refresh, no snapshot contains a part of an override")
  func threads() throws {
    let handle = try scene.open()
    handle.refresh()
    let ends = Box(0)
    let threads = try (0..<2).map { number in
      try NamedThread.startAsHost(name: "override-\(number)") { [server = scene.server] in
        for round in 0..<50 {
          try? handle.set("t\(number)", "", #"{"x":\#(round),"y":\#(round)}"#)
          if number == 0 {
            server.touch(at: Int64(2000 + round))
            handle.refresh()
          }
        }
        ends.update { $0 += 1 }
      }
    }
    while ends.read({ $0 }) < 2 {
      let snapshot = try handle.source.acquire()
      for key in ["t0", "t1"] { #expect(snapshot.value(key, "/x")?.int == snapshot.value(key, "/y")?.int) }
      #expect(snapshot.value("a", "/o/x")?.int == 1)
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: .max)) }
    #expect(try handle.source.overrides().places == ["t0:", "t1:"])
    #expect(try handle.json("t1", "/x") == "49")
  }
}

extension OpenSource {
  /// Sets an override.
  func set(_ key: String, _ pointer: String, _ json: String) throws(RemoraError) {
    try source.set(makeOverride([key, pointer, json]))
  }

  /// Clears an override.
  func clear(_ key: String, _ pointer: String) throws(RemoraError) {
    try source.clearOverride(Array(key.utf8), Array(pointer.utf8))
  }

  /// The canonical text of what is live at a place; nil when nothing is.
  func json(_ key: String, _ pointer: String = "") throws -> String? {
    let snapshot = try source.acquire()
    guard let value = snapshot.value(key, pointer) else { return nil }
    var buffer = ByteBuffer()
    try buffer.appendCanonical(value)
    return withExtendedLifetime(snapshot) { String(decoding: buffer.bytes, as: UTF8.self) }
  }
}
