// SPDX-License-Identifier: Apache-2.0
//
// The queue of callbacks by itself: calls that are withdrawn while the thread is about to run them.

import Testing

@testable import Remora

@Suite("The thread that calls callbacks")
struct DeliveryTests {
  private final class Owner: Sendable {}

  private let delivery = Delivery(.thread, runtime: .shared)
  private var lock: ProcessLock { Runtime.shared.lock }

  @Test(
    "the delivery thread continues after callbacks are cancelled at the moment when they are due", arguments: [1, 2, 8])
  func withdrawnCalls(threadCount: Int) throws {
    let threads = try (0..<threadCount).map { _ in
      try NamedThread.startAsHost(name: "test-withdrawer") { [delivery, lock] in
        let owner = Owner()
        for round in 0..<200_000 / threadCount {
          lock.withLock { delivery.enqueue(for: ObjectIdentifier(owner), $0) {} }
          // For a different moment of the withdrawal in each round.
          for _ in 0..<round % 16 { lock.withLock { _ in } }
          let dropped = lock.withLock { delivery.endCalls(for: ObjectIdentifier(owner), $0) }
          withExtendedLifetime((owner, dropped)) {}
        }
      }
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    let isDelivered = Box(false)
    lock.withLock { delivery.enqueue($0) { isDelivered.update { $0 = true } } }
    #expect(isDelivered.wait { $0 })
    let thread = lock.withLock { delivery.stop($0) }
    #expect(thread?.join(untilMonotonicMs: monotonicMs() + longestWaitMs) == true)
  }

  @Test("callbacks are still delivered after many threads unsubscribe, cancel and close handles at the same time")
  func endsDuringDelivery() throws {
    let scene = try Scene()
    let handle = try scene.open()
    let (client, options) = (scene.client, try scene.options())
    let threads = try (0..<8).map { _ in
      try NamedThread.startAsHost(name: "test-racer") {
        for round in 1...200 {
          guard let subscription = try? handle.subscribe(key: nil, replay: true, { _, _ in }) else { continue }
          handle.unsubscribe(subscription)
          guard round % 4 == 0,
            let own = try? client.openCollection(options, subscriber: { _, _ in })
          else { continue }
          if let ticket = try? own.source.refreshAsync(on: own.id, completion: { _ in }) {
            own.source.cancel(ticket)
          }
          own.close()
        }
      }
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: true, recorder.sink)
    #expect(recorder.seen(1).count == 1)
  }

  @Test("no callback is called after the client was closed, even while threads add and remove subscribers")
  func closeDuringDelivery() throws {
    for _ in 0..<20 {
      let scene = try Scene()
      let handle = try scene.open()
      let state = Box((begun: 0, isClosed: false, late: 0))
      let threads = try (0..<8).map { _ in
        try NamedThread.startAsHost(name: "test-racer") {
          while let subscription = try? handle.subscribe(
            key: nil, replay: true, { _, _ in state.update { if $0.isClosed { $0.late += 1 } } })
          {
            handle.unsubscribe(subscription)
            state.update { $0.begun += 1 }
          }
        }
      }
      #expect(state.wait { $0.begun >= 8 })
      scene.client.close()
      state.update { $0.isClosed = true }
      for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
      #expect(state.read(\.late) == 0)
    }
  }
}
