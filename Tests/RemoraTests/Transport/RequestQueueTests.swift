// SPDX-License-Identifier: Apache-2.0
//
// The number of requests to one server at the same time, and what happens to those that wait.

import Glibc
import Testing

@testable import Remora

@Suite("Requests to one server at the same time")
struct RequestQueueTests {
  /// Queues that an expectation may change.
  private final class Queues {
    private var queues = RequestQueues<Int>()
    var nextDueMs: Int64? { queues.nextDueMs }

    func add(_ id: TransferID, _ request: Int, to server: String, dueMs: Int64) -> Bool {
      queues.add(id, request, to: server, dueMs: dueMs)
    }

    func remove(_ id: TransferID) -> Int? { queues.remove(id) }

    func removeLate(nowMs: Int64) -> [Int] { queues.removeLate(nowMs: nowMs) }
  }

  private func id(_ number: UInt64) -> TransferID { TransferID(number: number) }

  @Test("eight requests to a server are in progress, and the next one begins when one of them has ended")
  func limit() {
    let queues = Queues()
    #expect((1...8).allSatisfy { queues.add(id(UInt64($0)), $0, to: "a", dueMs: .max) })
    #expect(!queues.add(id(9), 9, to: "a", dueMs: .max))
    #expect(!queues.add(id(10), 10, to: "a", dueMs: .max))
    #expect(queues.add(id(11), 11, to: "b", dueMs: .max))
    #expect(queues.remove(id(11)) == nil)
    #expect(queues.remove(id(9)) == nil)
    #expect(queues.remove(id(3)) == 10)
    #expect(queues.remove(id(3)) == nil)
    #expect(queues.remove(id(10)) == nil)
    #expect(queues.add(id(12), 12, to: "a", dueMs: .max))
  }

  @Test("a waiting request ends at its own time limit")
  func late() {
    let queues = Queues()
    for number in 1...8 { _ = queues.add(id(UInt64(number)), number, to: "a", dueMs: 1) }
    #expect(queues.nextDueMs == nil)
    for (number, dueMs) in [(9, 300), (10, Int64.max), (11, 200)] {
      #expect(!queues.add(id(UInt64(number)), number, to: "a", dueMs: dueMs))
    }
    #expect(queues.nextDueMs == 200)
    #expect(queues.removeLate(nowMs: 199) == [])
    #expect(queues.removeLate(nowMs: 200) == [11])
    #expect(queues.nextDueMs == 300)
    #expect(queues.removeLate(nowMs: 1000) == [9])
    #expect(queues.nextDueMs == nil)
    #expect(queues.remove(id(1)) == 10)
  }

  @Test("of 100 requests that are started at once, libcurl sends eight at a time, and all of them succeed")
  func hundred() throws {
    let (arrived, most, mayAnswer) = (Box(0), Box(0), Box(false))
    try withServer {
      $0.answerAll { _ in
        let count = arrived.update { count in
          count += 1
          return count
        }
        most.update { $0 = max($0, count) }
        _ = mayAnswer.wait { $0 }
        arrived.update { $0 -= 1 }
        return answerBytes()
      }
    } run: { server throws in
      let transport = TestTransport.make()
      let boxes = try (0..<100).map { _ in try transport.start(HTTPRequest(url: server.url())).1 }
      #expect(arrived.wait { $0 == 8 })
      mayAnswer.update { $0 = true }
      for box in boxes { #expect(try box.outcome().get().status == 200) }
      #expect(most.read { $0 } == 8)
      #expect(server.acceptedCount <= 100)
    }
  }

  @Test("a request that waits for others can be cancelled or late, and is then never sent")
  func waiting() throws {
    let (paths, mayAnswer) = (Box<[String]>([]), Box(false))
    try withServer {
      $0.answerAll { request in
        paths.update { $0.append(String(request.prefix { !$0.isNewline })) }
        _ = mayAnswer.wait { $0 }
        return answerBytes()
      }
    } run: { server throws in
      let transport = TestTransport.make()
      let first = try (0..<8).map { _ in try transport.start(HTTPRequest(url: server.url("/first"))).1 }
      #expect(paths.wait { $0.count == 8 })
      let (cancelled, _) = try transport.start(HTTPRequest(url: server.url("/cancelled")))
      let options = TransportOptions(totalTimeoutMs: 1)
      let (_, late) = try transport.start(HTTPRequest(url: server.url("/late"), options: options))
      let (_, last) = try transport.start(HTTPRequest(url: server.url("/last")))
      #expect(transport.cancel(cancelled))
      let error = #expect(throws: RemoraError.self) { try late.outcome().get() }
      #expect(error?.code == .network)
      #expect(error?.message.contains("the request waited 1 ms for 8 other requests to this server") == true)
      mayAnswer.update { $0 = true }
      for box in first + [last] { #expect(try box.outcome().get().status == 200) }
      #expect(paths.read { Set($0) } == ["GET /first HTTP/1.1", "GET /last HTTP/1.1"])
    }
  }

  @Test("a connection that fails for a lack of file descriptors is unavailable, not a network error")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      try withServer(answering: answerBytes()) { server throws in
        try #require(try fetch(server.url()).status == 200)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let usual = limit.rlim_cur
        limit.rlim_cur = 3
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        defer {
          // A sanitizer reads /proc when the process exits.
          limit.rlim_cur = usual
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        let error = try fetchError("http://127.0.0.1:1/")
        try #require(error.code == .unavailable)
        try #require(
          error.message == "http://127.0.0.1:1: the process has no file descriptor left for a connection")
      }
    }
  }
}
