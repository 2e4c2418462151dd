// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Event and change streams", .timeLimit(.minutes(2)))
struct EventTests {
  @Test("A stream of changes has one element for each changed key, with the values before and after")
  func changes() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1,"b":2}"#)
    var changes = settings.changes().makeAsyncIterator()
    stage.server.put("/settings", #"{"a":1,"b":3,"c":4}"#)
    try await settings.refresh()
    let first = try #require(await changes.next())
    #expect(first.key == "b" && first.kind == .updated && first.old == 2 && first.new == 3)
    let second = try #require(await changes.next())
    #expect(second.key == "c" && second.kind == .created && second.old == nil && second.new == 4)
  }

  @Test("Each refresh sends an event with its outcome, and a stream with replay begins with the current state")
  func outcomes() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1}"#)
    var events = settings.events(replay: true).makeAsyncIterator()
    let opened = try #require(await events.next())
    #expect(opened.cause == .opened && opened.new.int("a", default: 0) == 1)
    stage.server.put("/settings", "", status: 500)
    _ = try? await settings.refresh()
    let failed = try #require(await events.next())
    #expect(failed.cause == .refreshed && failed.outcome == .failed && failed.error?.httpStatus == 500)
    #expect(failed.changes.isEmpty)
  }

  @Test("A stream of one key receives only events that change that key")
  func oneKey() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"a":1,"b":1}"#)
    var events = settings.events(of: "b").makeAsyncIterator()
    stage.server.put("/settings", #"{"a":2,"b":1}"#)
    try await settings.refresh()
    stage.server.put("/settings", #"{"a":3,"b":2}"#)
    try await settings.refresh()
    let event = try #require(await events.next())
    #expect(event.changes.map(\.key) == ["b"] && event.new.int("a", default: 0) == 3)
  }

  @Test("Events that have not been read yet are merged into one event")
  func merged() async throws {
    let stage = try Stage()
    let settings = try await stage.fetched(#"{"n":0}"#)
    var events = settings.events().makeAsyncIterator()
    for number in 1...3 {
      stage.server.put("/settings", #"{"n":\#(number)}"#)
      try await settings.refresh()
    }
    // An override comes last; when its event was received, the others are merged or were received before.
    try await settings.setOverride("last", to: true)
    var seen: [Event] = []
    while seen.last?.cause != .override { seen.append(try #require(await events.next())) }
    #expect(seen.first?.old.int("n", default: -1) == 0)
    for (event, next) in zip(seen, seen.dropFirst()) {
      #expect(event.new.int("n", default: -1) == next.old.int("n", default: -2))
    }
  }

  @Test("A stream ends when its source or client is closed", arguments: [true, false])
  func closed(theClient: Bool) async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    let (events, changes) = (settings.events(), settings.changes())
    let reader = Task { await events.first { _ in true } }
    if theClient { stage.client.close() } else { settings.close() }
    #expect(await reader.value == nil)
    #expect(await changes.first { _ in true } == nil)
    #expect(await settings.events().first { _ in true } == nil)
  }

  @Test("A loop over events ends when its task is cancelled")
  func cancelled() async throws {
    let stage = try Stage()
    let settings = try stage.settings()
    let (started, reading) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for await _ in settings.events(replay: true) {
        count += 1
        reading.yield()
      }
      return count
    }
    _ = await started.first { _ in true }
    task.cancel()
    #expect(await task.value == 1)
  }

  @Test("A stream keeps its source open until the loop over the stream ends")
  func lifetime() async throws {
    weak var source: SettingsSource?
    let stage = try Stage()
    do {
      var settings: SettingsSource? = try await stage.fetched(#"{"a":1}"#)
      source = settings
      var changes = try #require(settings).changes().makeAsyncIterator()
      try await settings?.setOverride("a", to: 2)
      settings = nil
      #expect(await changes.next()?.new == 2)
      #expect(source != nil)
    }
    #expect(source == nil)
  }
}
