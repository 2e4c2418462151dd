// SPDX-License-Identifier: Apache-2.0
//
// When a destination is let go, with what it holds: then, and on the driving thread alone.

import Testing

@testable import Remora

@Suite("Lifetime of the file that receives a response body")
struct DestinationLifeTests {
  /// A server that sends a part of a body, and the rest when it may.
  private struct Halting {
    let half = [UInt8](repeating: 1, count: 50_000)
    let arrived = Box(0)
    let mayEnd = Box(false)

    var script: LoopbackServer.Script {
      { connection in
        guard connection.readRequest() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        connection.send(half)
        arrived.update { $0 += 1 }
        if mayEnd.wait(until: { $0 }) { connection.send(half) }
      }
    }
  }

  @Test(
    "the file that receives a body is released on the transport thread before the completion is called",
    arguments: [true, false])
  func completion(isAnswered: Bool) throws {
    // Not before the caller has let go of its own copy.
    let mayEnd = Box(false)
    try withServer { connection in
      guard connection.readRequest() != nil, mayEnd.wait(until: { $0 }) else { return }
      if isAnswered { connection.send(answerBytes(body: [1, 2, 3])) }
    } run: { server throws in
      let thread = Box("")
      let isGone = Box<Bool?>(nil)
      _ = try TestTransport.shared.start(request(server.url(), thread)) { _ in
        let name = thread.read { $0 }
        isGone.update { $0 = name == "remora-io" }
      }
      mayEnd.update { $0 = true }
      #expect(isGone.wait { $0 != nil })
      #expect(isGone.read { $0 } == true)
    }
  }

  @Test("after a cancel, the file that receives a body is released and never written again")
  func cancel() throws {
    let halting = Halting()
    try withServer(halting.script) { server throws in
      let landing = Landing()
      let thread = Box("")
      let id = try TestTransport.shared.start(request(server.url(), thread, landing)) { _ in }
      #expect(landing.told.wait { $0.last == 50_000 })
      #expect(thread.read { $0.isEmpty })
      #expect(TestTransport.shared.cancel(id))
      #expect(thread.wait { $0 == "remora-io" })
      halting.mayEnd.update { $0 = true }
      #expect(try fetch(server.url()).body.count == 100_000)
      #expect(landing.bytes.read { $0.count } == 50_000)
    }
  }

  @Test("cancelling a transfer before it starts releases the file that receives its body")
  func cancelEarly() throws {
    for _ in 0..<100 {
      let thread = Box("")
      let id = try TestTransport.shared.start(request("http://127.0.0.1:1/", thread)) { _ in }
      _ = TestTransport.shared.cancel(id)
      // By whom depends on who is faster: the test holds the request while it starts it.
      try #require(thread.wait { !$0.isEmpty })
    }
  }

  @Test("when the HTTP transport stops, the file that receives a body is closed before the completion is called")
  func stop() throws {
    let transport = TestTransport.make()
    let halting = Halting()
    try withServer(halting.script) { server throws in
      let landing = Landing()
      let thread = Box("")
      let isGone = Box<Bool?>(nil)
      _ = try transport.start(request(server.url(), thread, landing)) { _ in
        let name = thread.read { $0 }
        isGone.update { $0 = name == "remora-io" }
      }
      #expect(landing.told.wait { $0.last == 50_000 })
      #expect(transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true))
      halting.mayEnd.update { $0 = true }
      #expect(isGone.read { $0 } == true)
    }
  }

  @Test("the lock of the file that receives a body is held until that file is released", .forks)
  func lock() throws {
    let temporary = try TemporaryDirectory()
    let directory = try StorageDirectory.open(path: temporary.path)
    let halting = Halting()
    try withServer(halting.script) { server throws in
      let landing = Landing()
      let request = HTTPRequest(
        url: server.url(), to: landing.destination(holding: try directory.locked()))
      let id = try TestTransport.shared.start(request) { _ in }
      #expect(landing.told.wait { $0.last == 50_000 })
      #expect(try directory.tryLock(source) == nil)
      _ = consume request
      #expect(try directory.tryLock(source) == nil)
      #expect(TestTransport.shared.cancel(id))
      #expect(try waitUntil { try directory.tryLock(source) != nil })
      halting.mayEnd.update { $0 = true }
    }
  }

  private func request(_ url: String, _ thread: Box<String>, _ landing: Landing = Landing()) -> HTTPRequest {
    let tracer = Tracer {
      let name = currentThreadName()
      thread.update { $0 = name }
    }
    return HTTPRequest(url: url, to: landing.destination(holding: tracer))
  }
}
