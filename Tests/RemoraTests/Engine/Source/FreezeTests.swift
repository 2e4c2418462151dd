// SPDX-License-Identifier: Apache-2.0
//
// A host that does not want to hear any more: what is live stays, what comes is stored, and nobody is told.

import Testing

@testable import Remora

@Suite("freeze (after this call, reads keep their values and no event is sent)")
struct FreezeTests {
  let directory: TemporaryDirectory
  let scene: Scene
  let recorder = Recorder()

  init() throws {
    directory = try TemporaryDirectory()
    scene = try Scene(in: directory)
    scene.server.put("a", at: 1000)
  }

  @Test("data that is fetched after freeze is not used by this client, but by the next one")
  func stays() throws {
    let handle = try scene.open(subscriber: recorder.sink)
    #expect(handle.refresh().outcome == .updated)
    #expect(recorder.seen(2).count == 2)
    try handle.source.freeze()
    scene.server.put("b", at: 2000)
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    #expect(ends.outcomes() == [.staged])
    #expect(handle.keys == ["a"])
    #expect(try handle.source.info().hasStaged)
    try handle.set("a", "/v", "2")
    #expect(try handle.json("a", "/v") == "2")
    #expect(recorder.all.count == 2)
    scene.client.close()
    #expect(try Scene(in: directory, server: scene.server).keysAndClose() == ["a", "b"])
  }

  @Test("a response that arrives after freeze is stored for the next client, and is not used by this one")
  func underWay() throws {
    let handle = try scene.open(subscriber: recorder.sink)
    scene.transport.answer { _ in nil }
    let ends = Completions([])
    _ = try handle.source.refreshAsync(into: ends)
    #expect(scene.transport.waitForRequests(1))
    try handle.source.freeze()
    let server = scene.server
    scene.transport.answer { .success(server.answer($0.url)) }
    scene.transport.release(.success(server.answer(scene.transport.requests[0].url)))
    #expect(ends.outcomes() == [.staged])
    #expect(handle.keys.isEmpty)
    scene.client.close()
    #expect(try Scene(in: directory, server: server).keysAndClose() == ["a"])
  }

  @Test("a handle opened after freeze gets only its opening event; activation still changes what reads return")
  func laterHandles() throws {
    let handle = try scene.open()
    try handle.source.freeze()
    try handle.source.freeze()
    handle.refresh()
    handle.close()
    let later = try scene.open(subscriber: recorder.sink)
    #expect(recorder.seen(1) == [SeenEvent(cause: .opened, staged: 1000)])
    #expect(later.keys.isEmpty)
    scene.server.put("b", at: 2000)
    #expect(later.refresh().outcome == .staged)
    #expect(try later.source.activate() == .updated)
    #expect(later.keys == ["a", "b"])
    #expect(recorder.all.count == 1)
  }

  @Test("freeze waits for a running callback, and drops events that were not delivered yet")
  func barrier() throws {
    let gate = Box(false)
    let told = Box<[Cause]>([])
    let handle = try scene.open(subscriber: { event, _ in
      told.update { $0.append(event.cause) }
      _ = gate.wait { $0 }
    })
    _ = told.wait { !$0.isEmpty }
    handle.refresh()
    let isOver = Box(false)
    let source = handle.source
    let stopper = try NamedThread.startAsHost(name: "test-stop") {
      try? source.freeze()
      isOver.update { $0 = true }
    }
    let lock = Runtime.shared.lock
    lock.withLock { locked in
      while !source.core.state[locked].data.isMuted {
        _ = lock.wait(untilMonotonicMs: monotonicMs() + 5, locked)
      }
    }
    #expect(!isOver.read { $0 })
    gate.update { $0 = true }
    #expect(isOver.wait { $0 })
    _ = stopper.join(untilMonotonicMs: .max)
    #expect(told.read { $0 } == [.opened])
  }

  @Test("freeze inside a callback does not wait for that callback")
  func inside() throws {
    let stopped = Box(false)
    let source = Box<Source?>(nil)
    let handle = try scene.open(subscriber: { event, _ in
      guard event.outcome == .updated else { return }
      try? source.read { $0 }?.freeze()
      stopped.update { $0 = true }
    })
    source.update { $0 = handle.source }
    handle.refresh()
    #expect(stopped.wait { $0 })
    source.update { $0 = nil }
  }

  @Test("data that another client fetches after freeze is not used by this client")
  func adopted() throws {
    let handle = try scene.open()
    try handle.source.freeze()
    let other = try Scene(in: directory, server: scene.server)
    #expect(try other.open().refresh().outcome == .updated)
    #expect(handle.refresh().outcome == .unchanged)
    #expect(handle.keys.isEmpty)
    #expect(try handle.source.info().hasStaged)
  }
}
