// SPDX-License-Identifier: Apache-2.0
//
// Freshness, and the events about its transitions. The tests move the clock, and check as the worker does once a
// second.

import Testing

@testable import Remora

/// Collects the causes of events and their freshness.
private final class FreshnessRecorder: Sendable {
  struct Seen: Equatable, Sendable {
    let cause: Cause
    let change: FreshnessChange

    init(_ cause: Cause, _ old: Freshness, _ new: Freshness) {
      (self.cause, change) = (cause, FreshnessChange(old, new))
    }
  }

  private let events = Box<[Seen]>([])

  var sink: EventSink {
    { [events] event, _ in
      events.update { $0.append(Seen(event.cause, event.freshness.old, event.freshness.new)) }
    }
  }

  /// The events after the first `skipped`, once there are `count` of them.
  func seen(_ count: Int, after skipped: Int = 0) -> [Seen] {
    _ = events.wait { $0.count >= skipped + count }
    return events.read { Array($0.dropFirst(skipped)) }
  }
}

@Suite("Freshness with max_stale_ms")
struct StalenessTests {
  private static let limit: Int64 = 90_000

  private let server: SignedServer
  private let clock = ManualClock()

  init() throws {
    server = try SignedServer.onOwnHost()
    server.put("a", at: 1000)
  }

  private func scene(in directory: TemporaryDirectory? = nil, limit: Int64? = limit) throws -> Scene {
    try Scene(in: directory, server: server, clock: clock, maxStaleMs: limit)
  }

  /// Checks as the worker does once a second.
  private func check(_ handle: OpenSource) throws {
    Runtime.shared.lock.withLock {
      Runtime.shared.worker.enqueue($0) { [source = handle.source] exclusive in source.everySecond(exclusive) }
    }
    for _ in 0..<3 { try drainWorker() }
  }

  private func freshness(_ handle: OpenSource) throws -> Freshness { try handle.source.info().freshness }

  @Test("without the option there is no freshness and no event about it")
  func off() throws {
    let scene = try scene(limit: nil)
    let events = FreshnessRecorder()
    let handle = try scene.open(subscriber: events.sink)
    handle.refresh()
    clock.advance(byMs: 100 * dayMs)
    try check(handle)
    #expect(try freshness(handle) == .none)
    #expect(events.seen(2) == [.init(.opened, .none, .none), .init(.refreshed, .none, .none)])
  }

  @Test("an event reports each transition, by a refresh, by time alone and by a reset")
  func transitions() throws {
    let scene = try scene()
    let events = FreshnessRecorder()
    let handle = try scene.open(subscriber: events.sink)
    #expect(try freshness(handle) == .never)
    handle.refresh()
    #expect(
      events.seen(3)
        == [.init(.opened, .never, .never), .init(.refreshed, .fresh, .fresh), .init(.freshness, .never, .fresh)])
    clock.advance(byMs: Self.limit)
    try check(handle)
    #expect(try freshness(handle) == .fresh && events.seen(3).count == 3)
    clock.advance(byMs: 1)
    try check(handle)
    try check(handle)
    #expect(events.seen(1, after: 3) == [.init(.freshness, .fresh, .stale)])
    #expect(try freshness(handle) == .stale)
    scene.transport.answer { _ in .failure(RemoraError(.network, "no connection")) }
    handle.refresh()
    #expect(events.seen(1, after: 4) == [.init(.refreshed, .stale, .stale)])
    let server = server
    scene.transport.answer { .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .unchanged)
    #expect(events.seen(2, after: 5) == [.init(.refreshed, .fresh, .fresh), .init(.freshness, .stale, .fresh)])
    try handle.source.reset()
    #expect(events.seen(2, after: 7) == [.init(.reset, .never, .never), .init(.freshness, .fresh, .never)])
  }

  @Test("a subscriber of a key, or of a frozen source, receives no event about freshness")
  func unconcerned() throws {
    let scene = try scene()
    let handle = try scene.open()
    handle.refresh()
    let (ofKey, frozen) = (FreshnessRecorder(), FreshnessRecorder())
    let subscription = try handle.subscribe(key: Array("a".utf8), replay: true, ofKey.sink)
    clock.advance(byMs: Self.limit + 1)
    try check(handle)
    #expect(ofKey.seen(1) == [.init(.opened, .fresh, .fresh)])
    handle.unsubscribe(subscription)
    _ = try handle.subscribe(key: nil, replay: true, frozen.sink)
    #expect(frozen.seen(1) == [.init(.opened, .stale, .stale)])
    try handle.source.freeze()
    handle.refresh()
    #expect(try freshness(handle) == .fresh && frozen.seen(1).count == 1)
  }

  @Test("a success of another client counts, also after the next opening")
  func shared() throws {
    let directory = try TemporaryDirectory()
    let first = try scene(in: directory)
    let events = FreshnessRecorder()
    let handle = try first.open(subscriber: events.sink)
    handle.refresh()
    clock.advance(byMs: Self.limit + 1)
    try check(handle)
    #expect(events.seen(1, after: 3) == [.init(.freshness, .fresh, .stale)])
    let second = try scene(in: directory)
    let other = try second.open()
    #expect(try freshness(other) == .stale)
    other.refresh()
    try check(handle)
    #expect(try freshness(handle) == .fresh)
    #expect(events.seen(1, after: 4) == [.init(.freshness, .stale, .fresh)])
  }

  @Test("a clock that was ahead, or that was set back, does not keep data fresh")
  func clocks() throws {
    let scene = try scene()
    let handle = try scene.open({ $0.requiresSignature = false })
    clock.advance(byMs: 400 * dayMs)
    handle.refresh()
    #expect(try freshness(handle) == .fresh)
    clock.advance(byMs: -400 * dayMs)
    #expect(try freshness(handle) == .stale)
    handle.refresh()
    #expect(try freshness(handle) == .fresh)
    clock.advance(byMs: 400 * dayMs)
    #expect(try freshness(handle) == .stale)
  }

  @Test("a cache that replays an old empty diff, or one without a valid signature, does not keep data fresh")
  func replays() throws {
    let scene = try scene()
    let handle = try scene.open()
    handle.refresh()
    let server = server
    let old = Changeset(changes: [], timestamp: 1000, signatures: try server.changeset().signatures)
    let oldSet = try server.changeset()
    server.put("b", at: 2000)
    #expect(handle.refresh().outcome == .updated)
    clock.advance(byMs: Self.limit + 1)
    let forged = signatureObject(forgedSignature, x5u: server.x5u)
    let replayed: [(diff: Changeset, full: Changeset)] = [
      (old, old), (old, oldSet),
      (Changeset(changes: [], timestamp: 2000, signatures: old.signatures), oldSet),
      (Changeset(changes: [], timestamp: 2000, signatures: [forged]), oldSet),
      (Changeset(changes: [], timestamp: 2000, signatures: []), oldSet),
    ]
    for (diff, full) in replayed {
      scene.transport.answer { request in
        if request.url.hasSuffix(".pem") { return .success(server.answer(request.url)) }
        return .success((request.url.contains("_since") ? diff : full).response)
      }
      let outcome = handle.refresh().outcome
      #expect(outcome == .refused || outcome == .notNewer, "\(outcome)")
      #expect(try freshness(handle) == .stale)
      #expect(handle.keys == ["a", "b"])
    }
    scene.transport.answer { .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try freshness(handle) == .fresh)
  }

  @Test("an empty diff whose signature was not seen before is verified over the stored data")
  func unknownSignature() throws {
    let directory = try TemporaryDirectory()
    try scene(in: directory).fetchAndClose()
    let scene = try scene(in: directory)
    let handle = try scene.open()
    let server = server
    // Another valid signature of the same data: each signature of ECDSA has a random part.
    clock.advance(byMs: Self.limit + 1)
    #expect(try freshness(handle) == .stale)
    scene.transport.answer { .success(server.answer($0.url)) }
    #expect(handle.refresh().outcome == .unchanged)
    #expect(try freshness(handle) == .fresh)
  }

  @Test("a bundle without a server has no freshness")
  func withoutServer() throws {
    var options = ClientOptions(storage: nil)
    options.maxStaleMs = 1
    let client = try Client(options)
    defer { client.close() }
    let handle = try client.openBundle(BundleOptions())
    #expect(try freshness(handle) == .none)
  }
}
