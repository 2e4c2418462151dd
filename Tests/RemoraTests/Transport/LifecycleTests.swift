// SPDX-License-Identifier: Apache-2.0
//
// Cancelling, stopping and the driving thread itself.

import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Start, cancel and stop of the HTTP transport")
struct LifecycleTests {
  /// A server that never answers, and tells what it sees.
  private struct Hanging {
    let arrived = Box(0)
    let closed = Box(0)

    var script: LoopbackServer.Script {
      { connection in
        guard connection.readRequest() != nil else { return }
        arrived.update { $0 += 1 }
        if connection.waitForClose() { closed.update { $0 += 1 } }
      }
    }
  }

  @Test("cancelling a transfer closes its connection at once, and its completion is not called")
  func cancel() throws {
    let hanging = Hanging()
    try withServer(hanging.script) { server throws in
      let (id, box) = try TestTransport.shared.start(HTTPRequest(url: server.url()))
      #expect(hanging.arrived.wait { $0 == 1 })
      let begin = monotonicMs()
      #expect(TestTransport.shared.cancel(id))
      #expect(hanging.closed.wait { $0 == 1 })
      #expect(monotonicMs() - begin < 5000)
      #expect(!TestTransport.shared.cancel(id))
      #expect(box.read { $0.isEmpty })
    }
  }

  @Test("a transfer that is cancelled right after its start calls no completion")
  func cancelEarly() throws {
    try withServer(answering: answerBytes()) { server throws in
      for _ in 0..<200 {
        let (id, box) = try TestTransport.shared.start(HTTPRequest(url: server.url()))
        if TestTransport.shared.cancel(id) {
          #expect(box.read { $0.isEmpty })
        } else {
          _ = try box.outcome()
        }
      }
      #expect(try fetch(server.url()).status == 200)
    }
  }

  @Test("cancelling a completed or unknown transfer does nothing")
  func cancelLate() throws {
    try withServer(answering: answerBytes()) { server throws in
      let (id, box) = try TestTransport.shared.start(HTTPRequest(url: server.url()))
      _ = try box.outcome()
      #expect(!TestTransport.shared.cancel(id))
      #expect(!TestTransport.shared.cancel(TransferID(number: .max)))
    }
  }

  @Test("the completion of a transfer can start and cancel transfers")
  func reentry() throws {
    try withServer(answering: answerBytes()) { server throws in
      let transport = TestTransport.shared
      let request = HTTPRequest(url: server.url())
      let box = OutcomeBox([])
      _ = try transport.start(request) { _ in
        guard let id = try? transport.start(request, completion: { _ in }) else { return }
        transport.cancel(id)
        _ = try? transport.start(request) { result in box.update { $0.append(result) } }
      }
      #expect(try box.outcome().get().status == 200)
    }
  }

  @Test("stopping the HTTP transport ends all transfers and its thread, and a later transfer starts it again")
  func stop() throws {
    let transport = TestTransport.make()
    let hanging = Hanging()
    try withServer(hanging.script) { server throws in
      for round in 1...3 {
        let pending = try (0..<3).map { _ in try transport.start(HTTPRequest(url: server.url())).1 }
        #expect(hanging.arrived.wait { $0 == 3 * round })
        let begin = monotonicMs()
        #expect(transport.stop(untilMonotonicMs: begin + 10_000, forGood: false))
        #expect(monotonicMs() - begin < 5000)
        for box in pending {
          #expect(box.read { $0.count } == 1)
          #expect(throws: RemoraError(.closed, "the transport was stopped")) { try box.outcome().get() }
        }
        #expect(hanging.closed.wait { $0 == 3 * round })
      }
    }
  }

  @Test("after the final stop at exit, no transfer can be started")
  func stopForGood() throws {
    let transport = TestTransport.make()
    #expect(transport.stop(untilMonotonicMs: 0, forGood: true))
    #expect(throws: RemoraError.closed) { try transport.start(HTTPRequest(url: "http://127.0.0.1:1/")) { _ in } }
    #expect(transport.stop(untilMonotonicMs: 0, forGood: true))
  }

  @Test("stopping the HTTP transport inside a completion does not cause a deadlock")
  func stopInside() throws {
    let transport = TestTransport.make()
    try withServer(answering: answerBytes()) { server throws in
      let ended = Box<Bool?>(nil)
      _ = try transport.start(HTTPRequest(url: server.url())) { _ in
        let result = transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: false)
        ended.update { $0 = result }
      }
      #expect(ended.wait { $0 == false })
      #expect(try transport.fetch(HTTPRequest(url: server.url())).status == 200)
      #expect(transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true))
    }
  }

  @Test("completions are called on a thread named remora-io that blocks every signal")
  func thread() throws {
    let seen = Box<(name: String, blocksPipe: Bool, blocksAlarm: Bool)?>(nil)
    try withServer(answering: answerBytes()) { server throws in
      _ = try TestTransport.shared.start(HTTPRequest(url: server.url())) { _ in
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        let name = currentThreadName()
        seen.update { $0 = (name, sigismember(&mask, SIGPIPE) == 1, sigismember(&mask, SIGALRM) == 1) }
      }
      #expect(seen.wait { $0 != nil })
      #expect(seen.read { $0?.name == "remora-io" && $0?.blocksPipe == true && $0?.blocksAlarm == true })
    }
  }

  @Test("a program started with exec inherits no file descriptor of the transport, and a stop closes all of them")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { $0.answerAll { _ in answerBytes() } }
      let transport = TestTransport.make()
      TestTransport.load()
      let before = openDescriptors()
      _ = try transport.fetch(HTTPRequest(url: "http://localhost:\(server.port)/"))
      let added = openDescriptors().subtracting(before)
      try #require(added.count >= 3)  // two of the connection, and an eventfd or two sockets to wake the thread
      for descriptor in added { try #require(fcntl(descriptor, F_GETFD) == FD_CLOEXEC) }
      try #require(transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true))
      server.stop()
      try #require(openDescriptors().isSubset(of: before))
    }
  }

  @Test("the eventfd with which newer versions of libcurl wake a poll is found among others")
  func eventfds() async {
    await #expect(processExitsWith: .success) {
      try #require(test_finds_eventfd() == 1)
    }
  }

  @Test("while threads start, cancel and stop transfers, each transfer that was not cancelled completes once")
  func storm() throws {
    let transport = TestTransport.make()
    let outcomes = Box(0)
    let promised = Box(0)
    try withServer(answering: answerBytes(body: [1])) { server throws in
      let url = server.url()
      let threads = try (0..<4).map { number in
        try NamedThread.startAsHost(name: "test-storm") {
          for round in 0..<100 {
            guard let id = try? transport.start(HTTPRequest(url: url), completion: { _ in outcomes.update { $0 += 1 } })
            else { continue }
            promised.update { $0 += 1 }
            if (round + number) % 3 == 0, transport.cancel(id) { promised.update { $0 -= 1 } }
            if number == 0, round % 25 == 24 {
              _ = transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: false)
            }
          }
        }
      }
      for thread in threads { #expect(thread.join(untilMonotonicMs: monotonicMs() + 60_000)) }
      #expect(outcomes.wait { $0 == promised.read { $0 } })
      #expect(transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true))
      #expect(outcomes.read { $0 } == promised.read { $0 })
    }
  }
}
