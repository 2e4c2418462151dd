// SPDX-License-Identifier: Apache-2.0
//
// Forking while a transfer hangs: parent and child both go on. Each scenario has a process of its own, as
// threads of other tests could hold locks of the Swift runtime at the moment of the fork.

import CTestSupport
import Glibc
import Testing

@testable import Remora

/// Makes the test's own threads use every type once: the Swift runtime locks then, also while a test forks.
private func warmUp() throws {
  try withServer(answering: answerBytes(body: [1])) { server throws in
    _ = try TestTransport.shared.fetch(HTTPRequest(url: server.url()))
    let (id, box) = try TestTransport.shared.start(HTTPRequest(url: server.url()))
    if !TestTransport.shared.cancel(id) { _ = try box.outcome() }
  }
  _ = TestTransport.shared.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true)
}

/// ThreadSanitizer ends a process that starts threads after a fork of many threads.
private let underThreadSanitizer = dlsym(nil, "__tsan_init") != nil

@Suite("HTTP transport in forked processes", .disabled(if: underThreadSanitizer))
struct ForkTests {
  @Test("a forked child can send its own request, and the running request of the parent still completes")
  func bothGoOn() async {
    await #expect(processExitsWith: .success) {
      try warmUp()
      let arrived = Box(0)
      let mayAnswer = Box(false)
      let server = try LoopbackServer { connection in
        connection.answerAll { request in
          if request.contains("/hang") {
            arrived.update { $0 += 1 }
            _ = mayAnswer.wait { $0 }
          }
          return answerBytes(body: Array("answer".utf8))
        }
      }
      let transport = TestTransport.make()
      let (_, first) = try transport.start(HTTPRequest(url: server.url("/hang")))
      try #require(arrived.wait { $0 == 1 })
      for _ in 0..<50 {
        let child = forked(transport) {
          let own = try transport.fetch(HTTPRequest(url: server.url("/own")))
          return own.body == Array("answer".utf8)
        }
        try #require(test_wait(child) == 0)
      }
      try #require(first.read { $0.isEmpty })
      mayAnswer.update { $0 = true }
      try #require(try first.outcome().get().body == Array("answer".utf8))
      // The parent's connection is whole: it serves again.
      try #require(try transport.fetch(HTTPRequest(url: server.url("/again"))).status == 200)
      try #require(server.acceptedCount == 51)
      server.stop()
    }
  }

  @Test("a forked child does not change the partial file of a download that its parent continues")
  func destination() async {
    await #expect(processExitsWith: .success) {
      try warmUp()
      _ = (logo, photo)
      let body = [UInt8](repeating: 7, count: 100_000)
      let mayGoOn = Box(false)
      let server = try LoopbackServer { connection in
        guard let request = connection.readRequest() else { return }
        let answer = rangedAnswer(request, body)
        if request.contains("/part") {
          connection.send(answer.dropLast(40_000))
          _ = mayGoOn.wait { $0 }
          connection.send(answer.suffix(40_000))
        } else {
          connection.send(answer)
        }
      }
      let temporary = try TemporaryDirectory()
      let directory = try StorageDirectory.open(path: temporary.path)
      let transport = TestTransport.make()
      let told = Box(0)
      func request(_ path: String, _ part: PartFile) -> HTTPRequest {
        HTTPRequest(
          url: server.url(path),
          to: BodyDestination(
            offset: part.count, limit: body.count, write: { part.write($0, at: $1) },
            progress: { count in told.update { $0 = count } }))
      }
      let part = try directory.locked(logo).openPart(logo)
      let (_, box) = try transport.start(request("/part", part))
      try #require(told.wait { $0 == 60_000 })
      LockFiles.shared.prepareFork()
      let child = forked(transport) {
        LockFiles.shared.resumeChild()
        // The inherited part is nobody's here; one of the child's own is as good as in any process.
        guard part.write(UnsafeRawBufferPointer(start: nil, count: 0), at: 0) == -EBADF else { return false }
        guard try directory.tryLock(logo.storageName) == nil else { return false }
        let own = try directory.locked(photo).openPart(photo)
        guard try transport.fetch(request("/own", own)).bodyEnd == body.count else { return false }
        try own.lock?.install(own)
        return true
      }
      LockFiles.shared.resumeParent()
      try #require(test_wait(child) == 0)
      try #require(part.count == 60_000)
      mayGoOn.update { $0 = true }
      try #require(try box.outcome().get().bodyEnd == body.count)
      try part.lock?.install(part)
      for name in [logo, photo] {
        try #require(try directory.attachment(name, bytes: body.count) == image(7, count: body.count))
      }
      server.stop()
      withExtendedLifetime(temporary) {}
    }
  }

  @Test("a forked child closes its copies of the parent's sockets and does not continue the parent's requests")
  func closesSockets() async {
    await #expect(processExitsWith: .success) {
      try warmUp()
      let arrived = Box(false)
      let closed = Box(false)
      let server = try LoopbackServer { connection in
        _ = connection.readRequest()
        arrived.update { $0 = true }
        if connection.waitForClose() { closed.update { $0 = true } }
      }
      let transport = TestTransport.make()
      TestTransport.load()
      let before = openDescriptors()
      let (id, box) = try transport.start(HTTPRequest(url: server.url()))
      try #require(arrived.wait { $0 })
      var gate: [Int32] = [0, 0]
      try #require(pipe(&gate) == 0)
      // The gate, and the server's side of the connection, which the child inherits from the test itself.
      let ofTest = before.count + 3
      let child = forked(transport) { [gate, ofTest] in
        guard openDescriptors().count == ofTest else { return false }
        close(gate[1])
        // Lives until the parent has seen the close, which a copy of the socket would prevent.
        var byte: UInt8 = 0
        guard read(gate[0], &byte, 1) == 0 else { return false }
        return box.read { $0.isEmpty } && !transport.cancel(id)
          && transport.stop(untilMonotonicMs: 0, forGood: true)
      }
      try #require(transport.cancel(id))
      try #require(closed.wait { $0 })
      close(gate[1])
      try #require(test_wait(child) == 0)
      server.stop()
    }
  }

  @Test("after a fork at any moment during many requests, the parent and the child can still send requests")
  func busy() async {
    await #expect(processExitsWith: .success) {
      try warmUp()
      let server = try LoopbackServer { $0.answerAll { _ in answerBytes(body: [1]) } }
      let transport = TestTransport.make()
      let done = Box(0)
      let url = server.url()
      for _ in 0..<100 {
        let count = done.read { $0 }
        for _ in 0..<5 {
          _ = try transport.start(HTTPRequest(url: url)) { _ in done.update { $0 += 1 } }
        }
        let child = forked(transport) { try transport.fetch(HTTPRequest(url: url)).status == 200 }
        try #require(test_wait(child) == 0)
        try #require(done.wait { $0 == count + 5 })
      }
      server.stop()
    }
  }
}

/// Forks around the transport's hooks, as the process runtime does. The child ends with 0 when `body` holds.
private func forked(_ transport: CurlTransport, _ body: @escaping () throws -> Bool) -> Int32 {
  var childsPart = {
    transport.resumeChild()
    ForkGate.resumeChild()
    return (try? body()) == true ? Int32(0) : 1
  }
  ForkGate.prepareFork()
  transport.prepareFork()
  defer {
    transport.resumeParent()
    ForkGate.resumeParent()
  }
  return withUnsafeMutablePointer(to: &childsPart) {
    test_fork({ $0?.assumingMemoryBound(to: (() -> Int32).self).pointee() ?? 127 }, $0)
  }
}
