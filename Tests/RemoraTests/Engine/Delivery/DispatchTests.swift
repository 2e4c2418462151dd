// SPDX-License-Identifier: Apache-2.0
//
// A client whose host dispatches: who runs calls, while the worker queues more. Run it with the thread sanitizer.

import Testing

@testable import Remora

@Suite("Manual dispatch (callbacks are called only inside remora_dispatch)")
struct DispatchTests {
  let scene: Scene
  let handle: OpenSource

  init() throws {
    scene = try Scene(callbacks: .dispatch)
    scene.server.put("a", at: 1000)
    handle = try scene.open()
  }

  @Test("with manual dispatch, callbacks wait until remora_dispatch is called, and events keep their order")
  func order() throws {
    let recorder = Recorder()
    _ = try handle.subscribe(key: nil, replay: true, recorder.sink)
    handle.refresh()
    handle.refresh()
    #expect(recorder.all.isEmpty)
    #expect(try scene.client.delivery.dispatch() == 3)
    #expect(recorder.all.map(\.outcome) == [.none, .updated, .unchanged])
    #expect(try scene.client.delivery.dispatch() == 0)
  }

  @Test("if several threads dispatch at the same time, each callback is called exactly once")
  func concurrency() throws {
    let refreshes = 200
    let state = Box((ends: 0, inside: 0, mistakes: 0))
    let delivery = scene.client.delivery
    let threads = try (0..<3).map { _ in
      try NamedThread.startAsHost(name: "test-dispatcher") {
        while state.read(\.ends) < refreshes { _ = try? delivery.dispatch() }
      }
    }
    for _ in 0..<refreshes {
      _ = try handle.source.refreshAsync { _ in
        state.update { $0.inside += 1 }
        state.update {
          if $0.inside != 1 { $0.mistakes += 1 }
          $0.inside -= 1
          $0.ends += 1
        }
      }
    }
    for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    #expect(state.read(\.ends) == refreshes)
    #expect(state.read(\.mistakes) == 0)
  }

  @Test("the dispatch descriptor is refused if the client has its own delivery thread or is closed")
  func refusals() throws {
    let other = try Scene()
    #expect(throws: RemoraError.self) { try other.client.descriptor() }
    #expect(try scene.client.descriptor() >= 0)
    scene.client.close()
    #expect(throws: RemoraError.closed) { try scene.client.descriptor() }
    #expect(throws: RemoraError.closed) { _ = try scene.client.delivery.dispatch() }
  }
}
