// SPDX-License-Identifier: Apache-2.0
//
// Forking while a transfer hangs: parent and child both go on. Each scenario has a process of its own, as
// threads of other tests could hold locks of the Swift runtime at the moment of the fork.

import Glibc
import Testing

@testable import Remora

/// Makes the test's own threads use every type once: the Swift runtime locks then, also while a test forks.
private func warmUp() throws {
  try withServer {
    $0.answerAll { _ in answerBytes(body: [1]) }
  } run: { server throws in
    _ = try TestTransport.shared.fetch(HTTPRequest(url: server.url()))
    let (id, box) = try TestTransport.shared.start(HTTPRequest(url: server.url()))
    if !TestTransport.shared.cancel(id) { _ = try box.outcome() }
  }
  _ = TestTransport.shared.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true)
}

/// ThreadSanitizer ends a process that starts threads after a fork of many threads.
private let underThreadSanitizer = dlsym(nil, "__tsan_init") != nil

@Suite("Fork", .disabled(if: underThreadSanitizer))
struct ForkTests {
  @Test("the child makes its own request, and the parent's hanging transfer still completes")
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
        try #require(exitStatus(of: child) == 0)
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

  @Test("the child keeps no socket of the parent open, and forgets its transfers")
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
      try #require(exitStatus(of: child) == 0)
      server.stop()
    }
  }

  @Test("forks at any moment of a busy transport leave both sides working")
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
        try #require(exitStatus(of: child) == 0)
        try #require(done.wait { $0 == count + 5 })
      }
      server.stop()
    }
  }
}

/// Forks around the transport's hooks, as the process runtime does. The child ends with 0 when `body` holds.
private func forked(_ transport: CurlTransport, _ body: () throws -> Bool) -> pid_t {
  typealias Fork = @convention(c) () -> pid_t
  guard let address = dlsym(nil, "fork") else { return -1 }
  let fork = unsafeBitCast(address, to: Fork.self)  // Swift hides it
  transport.prepareForkGate()
  transport.prepareForkQueue()
  let child = fork()
  guard child == 0 else {
    transport.resumeParent()
    return child
  }
  transport.resumeChild()
  var alarms = sigset_t()
  sigemptyset(&alarms)
  sigaddset(&alarms, SIGALRM)
  pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
  alarm(20)
  _exit((try? body()) == true ? 0 : 1)
}

private func exitStatus(of child: pid_t) -> Int32 {
  var status: Int32 = -1
  guard child > 0, waitpid(child, &status, 0) == child else { return -1 }
  return status
}
