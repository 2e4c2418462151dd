// SPDX-License-Identifier: Apache-2.0
//
// What subscribers are told, in which order, and when never again.

import Testing

@testable import Remora

@Suite("Subscriptions to events of a source")
struct SubscriptionTests {
  let scene: Scene
  let handle: OpenSource

  init() throws {
    scene = try Scene()
    scene.server.put("a", at: 1000)
    handle = try scene.open()
  }

  @Test("a subscriber receives one event for each refresh, in order, whether the refresh succeeds or fails")
  func order() throws {
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: false, recorder.sink)
    #expect(handle.refresh().outcome == .updated)
    #expect(handle.refresh().outcome == .unchanged)
    scene.transport.answer { _ in .success(.answer(503)) }
    #expect(handle.refresh().outcome == .failed)
    #expect(
      recorder.seen(3) == [
        SeenEvent(cause: .refreshed, outcome: .updated, old: 0, new: 1000, changes: ["created a"]),
        SeenEvent(cause: .refreshed, outcome: .unchanged, old: 1000, new: 1000),
        SeenEvent(cause: .refreshed, outcome: .failed, old: 1000, new: 1000, error: .http),
      ])
  }

  @Test("a subscriber receives the current state as its first event only if it subscribes with replay")
  func replay() throws {
    #expect(handle.refresh().outcome == .updated)
    let (with, without) = (Recorder(), Recorder())
    _ = try handle.subscribe(key: nil, replay: true, with.sink)
    _ = try handle.subscribe(key: nil, replay: false, without.sink)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(with.seen(2).map(\.cause) == [.opened, .refreshed])
    #expect(without.seen(1).map(\.cause) == [.refreshed])
  }

  @Test("a subscriber of one key receives an event only if the value of that key changes")
  func key() throws {
    let recorder = Recorder()
    _ = try handle.subscribe(key: Array("b".utf8), replay: false, recorder.sink)
    handle.refresh()
    scene.server.put("b", at: 2000)
    handle.refresh()
    #expect(recorder.seen(1).count == 1)
    handle.refresh()
    scene.server.put("c", at: 3000)
    handle.refresh()
    scene.server.put("b", #""v":2"#, at: 4000)
    handle.refresh()
    #expect(recorder.seen(2).count == 2)
    scene.server.remove("b", at: 5000)
    handle.refresh()
    #expect(recorder.seen(3).map(\.changes) == [["created b"], ["updated b"], ["deleted b"]])
  }

  @Test("events that a slow subscriber has not received yet are merged into one event")
  func merge() throws {
    let recorder = Recorder()
    let sink = recorder.sink
    let gate = Box((isInside: false, isOpen: false))
    _ = try handle.subscribe(key: nil, replay: true) { event, changes in
      if event.cause == .opened {
        gate.update { $0.isInside = true }
        _ = gate.wait { $0.isOpen }
      }
      sink(event, changes)
    }
    #expect(gate.wait { $0.isInside })
    handle.refresh()
    scene.server.put("b", at: 2000)
    handle.refresh()
    scene.server.remove("b", at: 3000)
    handle.refresh()
    handle.refresh()
    scene.server.put("a", #""v":2"#, at: 4000)
    handle.refresh()
    gate.update { $0.isOpen = true }
    // The outcome in between keeps its place.
    #expect(
      recorder.seen(4) == [
        SeenEvent(cause: .opened),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 0, new: 3000, changes: ["created a"]),
        SeenEvent(cause: .refreshed, outcome: .unchanged, old: 3000, new: 3000),
        SeenEvent(cause: .refreshed, outcome: .updated, old: 3000, new: 4000, changes: ["updated a"]),
      ])
  }

  @Test("unsubscribe waits for a running callback, and the callback is not called afterwards")
  func unsubscribe() throws {
    let state = Box((entered: 0, left: 0, isOpen: false))
    let subscription = try handle.subscribe(key: nil, replay: true) { _, _ in
      state.update { $0.entered += 1 }
      _ = state.wait { $0.isOpen }
      state.update { $0.left += 1 }
    }
    #expect(state.wait { $0.entered == 1 })
    let leftAtReturn = Box<Int?>(nil)
    let thread = try NamedThread.startAsHost(name: "test-leaver") { [handle] in
      handle.unsubscribe(subscription)
      leftAtReturn.update { $0 = state.read(\.left) }
    }
    #expect(leftAtReturn.read { $0 } == nil)
    state.update { $0.isOpen = true }
    #expect(thread.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    #expect(leftAtReturn.read { $0 } == 1)
    handle.refresh()
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: true, recorder.sink)
    #expect(recorder.seen(1).count == 1)
    #expect(state.read(\.entered) == 1)
  }

  @Test("a callback can unsubscribe itself, and is not called again")
  func unsubscribeInside() throws {
    let calls = Box(0)
    let own = Box<Subscription?>(nil)
    let subscription = try handle.subscribe(key: nil, replay: false) { [handle] _, _ in
      calls.update { $0 += 1 }
      if let subscription = own.read({ $0 }) { handle.unsubscribe(subscription) }
    }
    own.update { $0 = subscription }
    handle.refresh()
    #expect(calls.wait { $0 == 1 })
    handle.refresh()
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: true, recorder.sink)
    #expect(recorder.seen(1).count == 1)
    #expect(calls.read { $0 } == 1)
    own.update { $0 = nil }
  }

  @Test("a callback can refresh, subscribe and reset")
  func callsBack() throws {
    let outcomes = Box<[Outcome]>([])
    let inner = Recorder()
    _ = try handle.subscribe(key: nil, replay: true) { [handle] event, _ in
      guard event.cause == .opened else { return }
      let outcome = handle.source.refresh(timeoutMs: -1).outcome
      _ = try? handle.subscribe(key: nil, replay: true, inner.sink)
      try? handle.source.reset()
      outcomes.update { $0.append(outcome) }
    }
    #expect(outcomes.wait { $0 == [.updated] })
    #expect(inner.seen(2).map(\.cause) == [.opened, .reset])
  }

  @Test("closing a handle ends its subscriptions, but not those of another handle of the same source")
  func handles() throws {
    let second = try scene.open()
    let (first, other) = (Recorder(), Recorder())
    _ = try handle.subscribe(key: nil, replay: false, first.sink)
    _ = try second.subscribe(key: nil, replay: false, other.sink)
    handle.close()
    #expect(second.refresh().outcome == .updated)
    #expect(other.seen(1).count == 1)
    #expect(first.all.isEmpty)
  }
}
