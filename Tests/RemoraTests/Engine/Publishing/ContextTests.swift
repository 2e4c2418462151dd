// SPDX-License-Identifier: Apache-2.0
//
// Filters in the life of a source: whatever becomes live is filtered, and a new context changes what is shown.

import Testing

@testable import Remora

@Suite("Context (attributes of the program that filters of records refer to)")
struct ContextTests {
  let lines = Box<[String]>([])
  let scene: Scene

  init() throws {
    let log = Log(level: .debug) { [lines] line in lines.update { $0.append("\(line.level): \(line.text)") } }
    scene = try Scene(log: log)
    scene.server.put("all", at: 1000)
    scene.server.put("german", filtered("env.locale == 'de'"), at: 1000)
    scene.server.put("beta", filtered("env.channel == 'beta'"), at: 1000)
  }

  @Test("after a new context is set, reads return the records whose filters match that context")
  func refresh() throws {
    let handle = try scene.open()
    handle.refresh()
    #expect(try handle.shown == ["all"])
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(try handle.shown == ["all", "german"])
    try scene.client.setContext(#"{"channel":"beta"}"#)
    #expect(try handle.shown == ["all", "beta"])
    try scene.client.setContext(nil)
    #expect(try handle.shown == ["all"])
  }

  @Test("an invalid context is refused, and the previous context stays in effect")
  func refused() throws {
    let handle = try scene.open()
    handle.refresh()
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(throws: RemoraError.self) { try scene.client.setContext("[]") }
    #expect(try handle.shown == ["all", "german"])
  }

  @Test("records that are hidden by their filters are still stored, and unfiltered snapshots contain them")
  func hidden() throws {
    let handle = try scene.open()
    handle.refresh()
    let filtered = try handle.source.acquire()
    #expect(filtered.count == 1)
    #expect(filtered.value("german") == nil)
    #expect(try filtered.text().contains("german") == false)
    #expect(keysOf(try handle.source.acquire(isUnfiltered: true)) == ["all", "beta", "german"])
    scene.server.put("new", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(scene.transport.urls.contains("changeset?_expected=0&_since=1000"))
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(try handle.shown == ["all", "german", "new"])
  }

  @Test("when the context changes, subscribers are notified of the keys that appear or disappear, and of no others")
  func events() throws {
    let handle = try scene.open()
    handle.refresh()
    let (all, german, beta) = (Recorder(), Recorder(), Recorder())
    _ = try handle.subscribe(key: nil, replay: false, all.sink)
    _ = try handle.subscribe(key: Array("german".utf8), replay: false, german.sink)
    _ = try handle.subscribe(key: Array("beta".utf8), replay: false, beta.sink)
    try scene.client.setContext(#"{"locale":"de"}"#)
    #expect(all.seen(1) == [SeenEvent(cause: .context, old: 1000, new: 1000, changes: ["created german"])])
    // Before the next change: what a subscriber has not been told yet merges with it, into nothing.
    #expect(german.seen(1).map(\.changes) == [["created german"]])
    try scene.client.setContext(#"{"locale":"de","plan":"pro"}"#)
    try scene.client.setContext(#"{"channel":"beta"}"#)
    #expect(all.seen(2).last?.changes == ["created beta", "deleted german"])
    #expect(german.seen(2).map(\.changes) == [["created german"], ["deleted german"]])
    #expect(beta.seen(1).map(\.changes) == [["created beta"]])
    #expect(all.all.count == 2)
  }

  @Test("a refresh that changes only hidden records sends an update event without changed keys")
  func hiddenUpdate() throws {
    let handle = try scene.open()
    handle.refresh()
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: false, recorder.sink)
    scene.server.put("german", filtered("env.locale == 'de'") + #","v":2"#, at: 2000)
    #expect(handle.refresh().outcome == .updated)
    #expect(recorder.seen(1) == [SeenEvent(cause: .refreshed, outcome: .updated, old: 1000, new: 2000)])
  }

  @Test("a refresh that changes the filter of a record shows or hides that record")
  func changedFilter() throws {
    let handle = try scene.open()
    handle.refresh()
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: false, recorder.sink)
    scene.server.put("german", filtered("true"), at: 2000)
    scene.server.put("all", filtered("false"), at: 2000)
    handle.refresh()
    #expect(recorder.seen(1).first?.changes == ["deleted all", "created german"])
  }

  @Test("the context also filters packaged data, cached data, data from other processes and data after a reset")
  func everywhere() throws {
    let directory = try TemporaryDirectory()
    let first = try Scene(in: directory, server: scene.server)
    try first.client.setContext(#"{"locale":"de"}"#)
    let handle = try first.open { $0.packaged = .bytes(Array(packaged.utf8)) }
    #expect(try handle.shown == ["packaged-de"])
    handle.refresh()
    #expect(try handle.shown == ["all", "german"])

    let second = try Scene(in: directory, server: scene.server)
    try second.client.setContext(#"{"channel":"beta"}"#)
    let cached = try second.open()
    #expect(try cached.shown == ["all", "beta"])
    scene.server.put("more", filtered("env.channel == 'beta'"), at: 2000)
    handle.refresh()
    #expect(try handle.shown == ["all", "german"])
    Runtime.shared.worker.perform { cached.source.adoption.adoptIfNewer($0) }
    #expect(try cached.shown == ["all", "beta", "more"])

    try handle.source.reset()
    #expect(try handle.shown == ["packaged-de"])
  }

  @Test("a new context does not replace the snapshot of a source whose records have no filters")
  func unfiltered() throws {
    let server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
    let plain = try Scene(server: server)
    let handle = try plain.open()
    handle.refresh()
    let before = try handle.source.acquire()
    #expect(before.overlay == nil)
    #expect(!before.base.metadata.mayHaveFilters)
    try plain.client.setContext(#"{"locale":"de"}"#)
    #expect(try handle.source.acquire() === before)
    #expect(before.unfiltered === before)
  }

  @Test("filters are evaluated even if the stored data is not marked as containing filters")
  func unmarked() throws {
    let image = try makeImage(#"{"a":{"filter_expression":"false"}}"#)
    #expect(image.metadata.mayHaveFilters)
    var composition = Composition(try scene.server.dialect(), nothing: try Snapshot.empty(hashSeed: .test))
    let snapshot = try composition.compose(image, .cached, under: Adjustments(), in: FilterContext()) { _, _ in }
    #expect(snapshot.count == 0)
  }

  @Test("records whose filter fails are hidden and counted, and the log contains no value of the context")
  func failures() throws {
    scene.server.put("broken", filtered("env.locale + 1 == 2"), at: 2000)
    scene.server.put("broken-too", filtered("env.locale + 1 == 2"), at: 2000)
    scene.server.put("strange", #""filter_expression":5"#, at: 2000)
    let handle = try scene.open()
    try scene.client.setContext(#"{"locale":"secret"}"#)
    handle.refresh()
    #expect(try handle.shown == ["all", "strange"])
    #expect(try handle.source.info().filterFailures == 2)
    try scene.client.setContext(#"{"locale":"hidden-word"}"#)
    scene.client.services.note(.info, "the end")
    #expect(lines.wait { $0.last == "info: the end" })
    let all = lines.read { $0 }
    #expect(all.filter { $0.contains("broken") && $0.hasPrefix("warning") }.count == 1, "\(all)")
    #expect(all.contains { $0.hasPrefix("debug") && $0.contains("strange") }, "\(all)")
    #expect(!all.contains { $0.contains("secret") || $0.contains("hidden-word") })
  }

  @Test("setting a context on a closed client fails with CLOSED")
  func closed() throws {
    scene.client.close()
    let error = #expect(throws: RemoraError.self) { try scene.client.setContext("{}") }
    #expect(error?.code == .closed)
  }

  @Test("while threads set contexts, each snapshot is filtered by exactly one context")
  func threads() throws {
    let handle = try scene.open()
    handle.refresh()
    let isOver = Box(false)
    let threads = try (0..<2).map { number in
      try NamedThread.startAsHost(name: "context-\(number)") { [client = scene.client] in
        for round in 0..<100 {
          try? client.setContext(round % 2 == 0 ? #"{"locale":"de"}"# : #"{"channel":"beta"}"#)
        }
        isOver.update { $0 = true }
      }
    }
    while !isOver.read({ $0 }) {
      let shown = try handle.shown
      #expect([["all"], ["all", "german"], ["all", "beta"]].contains(shown), "\(shown)")
      let other = try scene.open {
        $0.collection = "other"
        $0.packaged = .bytes(Array(packaged.utf8))
      }
      #expect([[], ["packaged-de"]].contains(try other.shown))
      other.close()
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: .max)) }
  }
}

/// A record's filter as JSON.
private func filtered(_ expression: String) -> String { #""filter_expression":"\#(expression)""# }

private let packaged = """
  {"data":[{"id":"packaged","last_modified":1,"filter_expression":"false"},\
  {"id":"packaged-de","last_modified":1,"filter_expression":"env.locale == 'de'"}],"timestamp":500}
  """
