// SPDX-License-Identifier: Apache-2.0
//
// Tags that are refreshed when they expire. The tests move the clock and look as the worker does once a second.

import Testing

@testable import Remora

@Suite("Automatic refreshes of expired settings with a tag (an additional dictionary under the same URL)")
struct ExpiryTests {
  private static let minute: Int64 = 60_000
  private let told = Recorder()

  /// Opens the tag "x", which is fresh for a minute, and fetches it.
  private func fetched(_ stage: SettingsStage, _ lifetime: Lifetime = .ms(minute)) throws -> OpenSource {
    let handle = try stage.open(tag: "x") { $0.lifetime = lifetime }
    #expect([.updated, .unchanged].contains(handle.refresh().outcome))
    return handle
  }

  private func subscribe(_ handle: OpenSource) throws {
    _ = try handle.subscribe(key: nil, replay: false, told.sink)
  }

  @Test("a settings dictionary with a tag and a subscriber is refreshed each time its lifetime has passed")
  func expires() throws {
    let stage = try SettingsStage()
    let handle = try fetched(stage)
    try subscribe(handle)
    stage.say(#"{"a":1}"#)
    for round in 1...3 {
      stage.clock.advance(byMs: Self.minute - 1)
      try handle.look()
      #expect(stage.count == round)
      stage.clock.advance(byMs: 1)
      try handle.look()
      #expect(told.seen(round).count == round)
      #expect(stage.count == round + 1)
    }
    #expect(told.all.map(\.outcome) == [.updated, .unchanged, .unchanged])
    #expect(handle.keys == ["a"])
  }

  @Test("settings are not refreshed automatically if they have no tag, no subscriber or an infinite lifetime")
  func others() throws {
    let stage = try SettingsStage()
    let silent = try fetched(stage)
    let main = try stage.open({ $0.lifetime = .ms(Self.minute) }, subscriber: told.sink)
    let never = try stage.open(tag: "never", { $0.lifetime = .none }, subscriber: told.sink)
    for handle in [main, never] { handle.refresh() }
    let count = stage.count
    stage.clock.advance(byMs: dayMs)
    for handle in [silent, main, never] { try handle.look() }
    #expect(stage.count == count)
  }

  @Test("settings are not refreshed at expiry after their subscription ended or freeze was called")
  func ends() throws {
    let stage = try SettingsStage()
    let first = try fetched(stage)
    first.unsubscribe(try first.subscribe(key: nil, replay: false, told.sink))
    let second = try stage.open(tag: "y", { $0.lifetime = .ms(Self.minute) }, subscriber: told.sink)
    second.refresh()
    try second.source.freeze()
    stage.clock.advance(byMs: dayMs)
    for handle in [first, second] { try handle.look() }
    #expect(stage.count == 2)
  }

  @Test("the lifetime of settings is taken from Cache-Control, and a response with no-store is not refreshed")
  func said() throws {
    let stage = try SettingsStage()
    stage.say("{}", [("Cache-Control", "max-age=10")])
    let handle = try fetched(stage, .said)
    try subscribe(handle)
    stage.say("{}")
    stage.clock.advance(byMs: 9999)
    try handle.look()
    #expect(stage.count == 1)
    stage.clock.advance(byMs: 1)
    try handle.look()
    #expect(stage.transport.waitForRequests(2))
    _ = told.seen(1)
    stage.say("{}", [("Cache-Control", "no-store")])
    stage.clock.advance(byMs: Lifetime.silentMs - 1)
    try handle.look()
    #expect(stage.count == 2)
    stage.clock.advance(byMs: 1)
    try handle.look()
    _ = told.seen(2)
    stage.clock.advance(byMs: dayMs)
    try handle.look()
    #expect(stage.count == 3)
  }

  @Test("the header Age shortens the lifetime, and data that was too old on arrival expires after max-age")
  func age() throws {
    let stage = try SettingsStage()
    stage.say("{}", [("Cache-Control", "max-age=60"), ("Age", "50")])
    let handle = try fetched(stage, .said)
    try subscribe(handle)
    stage.clock.advance(byMs: 9999)
    _ = try handle.source.awaitFresh(timeoutMs: -1)
    try handle.look()
    #expect(stage.count == 1)
    stage.say("{}", [("Cache-Control", "max-age=60"), ("Age", "3000")])
    stage.clock.advance(byMs: 1)
    try handle.look()
    _ = told.seen(1)
    // The event comes before the end of its refresh, which the wait would join.
    try drainWorker()
    #expect(stage.count == 2)
    _ = try handle.source.awaitFresh(timeoutMs: -1)
    #expect(stage.count == 3)
    stage.clock.advance(byMs: Self.minute - 1)
    try handle.look()
    #expect(stage.count == 3)
    stage.clock.advance(byMs: 1)
    try handle.look()
    #expect(stage.transport.waitForRequests(4))
  }

  @Test("settings that an earlier client fetched expire after their lifetime")
  func afterRestart() throws {
    let directory = try TemporaryDirectory()
    let first = try SettingsStage(in: directory)
    _ = try fetched(first)
    first.scene.client.close()
    let second = try SettingsStage(in: directory, clock: first.clock, base: first)
    second.clock.advance(byMs: Self.minute)
    let handle = try second.open(tag: "x", { $0.lifetime = .ms(Self.minute) }, subscriber: told.sink)
    try handle.look()
    #expect(second.transport.waitForRequests(2))
  }

  @Test("the lifetime of settings from a seed (data from an installer) starts when the installer fetched them")
  func seed() throws {
    let directory = try TemporaryDirectory()
    let stage = try SettingsStage(in: directory)
    var options = SettingsOptions()
    options.url = "\(stage.scene.server.base)/settings"
    options.tag = "x"
    let now = stage.clock.nowMs
    let seed = try Seeds().compile(
      Array(#"{"a":1}"#.utf8), named: "seed.json", of: options.dialect(), fetchedAtMs: now - 1000, nowMs: now)
    try Seeds().save(seed.accepted, in: StorageDirectory.open(path: directory.path("storage")))
    let handle = try stage.open(tag: "x", { $0.lifetime = .ms(Self.minute) }, subscriber: told.sink)
    #expect(try handle.source.info().origin == .cached)
    stage.clock.advance(byMs: Self.minute - 1001)
    try handle.look()
    #expect(stage.count == 0)
    stage.clock.advance(byMs: 1)
    try handle.look()
    #expect(told.seen(2).last?.cause == .refreshed)
  }

  @Test("a failed refresh of expired settings is retried 5 s later, and the old values stay readable")
  func failures() throws {
    let stage = try SettingsStage()
    stage.say(#"{"a":1}"#)
    let handle = try fetched(stage, .ms(1000))
    try subscribe(handle)
    stage.fail(RemoraError(.network, "no connection"))
    stage.clock.advance(byMs: 1000)
    for round in 1...4 {
      try handle.look()
      #expect(told.seen(round).last?.error == .network)
      stage.clock.advance(byMs: 4999)
      try handle.look()
      #expect(stage.count == round + 1)
      stage.clock.advance(byMs: 1)
    }
    #expect(handle.keys == ["a"])
    stage.say(#"{"b":1}"#)
    try handle.look()
    #expect(told.seen(5).last?.outcome == .updated)
  }

  @Test("settings with a tag that were never fetched are refreshed automatically only after a requested refresh failed")
  func neverCame() throws {
    let stage = try SettingsStage()
    let handle = try stage.open(tag: "x", subscriber: told.sink)
    stage.clock.advance(byMs: dayMs)
    try handle.look()
    #expect(stage.count == 0)
    stage.say("", status: 500)
    handle.refresh()
    stage.say(#"{"a":1}"#)
    stage.clock.advance(byMs: 5000)
    try handle.look()
    #expect(told.seen(3).last?.outcome == .updated)
  }

  @Test("while a backoff of the server applies, expired settings are not requested and no event is sent")
  func backoff() throws {
    let stage = try SettingsStage()
    let handle = try fetched(stage)
    stage.say("", [("Retry-After", "600")], status: 503)
    try subscribe(handle)
    stage.clock.advance(byMs: Self.minute)
    try handle.look()
    _ = told.seen(1)
    for _ in 0..<9 {
      stage.clock.advance(byMs: Self.minute)
      try handle.look()
    }
    #expect(stage.count == 2)
    #expect(told.all.count == 1)
    stage.clock.advance(byMs: Self.minute)
    try handle.look()
    #expect(stage.transport.waitForRequests(3))
  }

  @Test("clients that share a directory together send one request for expired settings")
  func shared() throws {
    let directory = try TemporaryDirectory()
    let first = try SettingsStage(in: directory)
    first.say("{}", [("Cache-Control", "max-age=60")])
    let stages = [first] + (try (0..<2).map { _ in try SettingsStage(in: directory, clock: first.clock, base: first) })
    let handles = try stages.map { try $0.open(tag: "x", subscriber: told.sink) }
    handles[0].refresh()
    for round in 2...4 {
      for handle in handles { try handle.look() }
      #expect(first.count == round - 1)
      let events = told.all.count
      first.clock.advance(byMs: Self.minute)
      // One alone knows of the others' success, and how long that is fresh.
      for handle in round == 3 ? handles.suffix(1) : handles { try handle.look() }
      #expect(first.transport.waitForRequests(round))
      // The answer counts from when it was stored, so the clock stands still until then.
      #expect(told.seen(events + 1).count > events)
      for handle in handles { try handle.look() }
      #expect(waitUntilIdle(handles))
      #expect(first.count == round)
    }
  }

  /// Waits until no refresh of these sources is under way: one that found the files taken looks again soon, and would
  /// answer the look behind it.
  private func waitUntilIdle(_ handles: [OpenSource]) -> Bool {
    let lock = Runtime.shared.lock
    let deadline = lock.monotonicMs + 60_000
    return lock.withLock { locked in
      for handle in handles {
        while !handle.source.refreshes.runs.all(locked).isEmpty {
          guard lock.monotonicMs < deadline else { return false }
          _ = lock.wait(untilMonotonicMs: lock.monotonicMs + 10, locked)
        }
      }
      return true
    }
  }

  @Test("if settings have a lifetime and an interval, the earlier of the two times starts the refresh")
  func withInterval() throws {
    let stage = try SettingsStage()
    let handle = try stage.open(
      tag: "x",
      {
        $0.lifetime = .ms(Self.minute)
        $0.opening.refreshIntervalMs = 10 * Self.minute
      }, subscriber: told.sink)
    let often = try stage.open(
      tag: "y",
      {
        $0.lifetime = .ms(10 * Self.minute)
        $0.opening.refreshIntervalMs = Self.minute
      }, subscriber: { _, _ in })
    // A refresh joins that of the opening, unless it has completed already.
    for opened in [handle, often] { opened.refresh() }
    let before = stage.count
    stage.clock.advance(byMs: Self.minute)
    for opened in [handle, often] { try opened.look() }
    #expect(stage.transport.waitForRequests(before + 2))
    for opened in [handle, often] { try opened.look() }
    #expect(stage.count == before + 2)
  }

  @Test("setting the clock back by years does not stop refreshes at expiry")
  func clockSetBack() throws {
    let stage = try SettingsStage()
    let handle = try fetched(stage)
    try subscribe(handle)
    stage.clock.advance(byMs: -1000 * dayMs)
    try handle.look()
    _ = told.seen(1)
    stage.clock.advance(byMs: Self.minute)
    try handle.look()
    #expect(told.seen(2).count == 2)
  }
}
