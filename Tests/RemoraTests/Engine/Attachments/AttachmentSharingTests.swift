// SPDX-License-Identifier: Apache-2.0
//
// Who waits for an attachment: joining, deadlines, giving up, taking turns, and the ends by close and fork.

import Glibc
import Testing

@testable import Remora

@Suite("Concurrent openings of attachments")
struct AttachmentSharingTests {
  let directory: TemporaryDirectory
  let server: AttachmentServer
  let body = noise(30_000)
  private let ends = AttachmentEnds([])

  init() throws {
    directory = try TemporaryDirectory()
    server = try AttachmentServer()
    try server.put("a", body, at: 1000)
  }

  /// Waits until so many requests for attachments and their base were made.
  private func waitForAsked(_ stage: AttachmentStage, _ count: Int) -> Bool {
    stage.transport.waitForRequests(stage.transport.requests.count - stage.asked.count + count)
  }

  @Test("two concurrent openings of an attachment share one download")
  func join() throws {
    let stage = try AttachmentStage(server, in: directory)
    server.script("a.bin", nil)
    _ = try stage.openAsync("a", into: ends)
    _ = try stage.openAsync("a", into: ends)
    #expect(waitForAsked(stage, 2))
    stage.transport.release(.success(.bytes(body)))
    #expect(ends.ends(2) == [.bytes(body), .bytes(body)])
    #expect(stage.asked == ["root", "a.bin"])
  }

  @Test("an attachment has no path if the storage directory was replaced during its download")
  func replacedDirectory() throws {
    let stage = try AttachmentStage(server, in: directory)
    let paths = Box<[String?]>([])
    server.script("a.bin", nil)
    _ = try stage.handle.openAttachmentAsync(
      AttachmentRequest(.record("a")), timeoutMs: -1,
      AttachmentListener { result in paths.update { $0.append((try? result.get())?.path) } })
    #expect(waitForAsked(stage, 2))
    try Runtime.shared.worker.perform { _ throws in
      #expect(rename(directory.path("storage"), directory.path("away")) == 0)
      try directory.makeDirectory("storage", mode: 0o700)
    }
    stage.transport.release(.success(.bytes(body)))
    #expect(paths.wait { $0.count == 1 })
    #expect(paths.read { $0 } == [nil])
  }

  @Test("an opening that waits for another client's download reports a wrong packaged file once")
  func wrongPackagedFile() throws {
    let first = try AttachmentStage(server, in: directory)
    let lines = Box<[String]>([])
    try directory.makeDirectory("packaged")
    try directory.write("packaged/a", Array(repeating: 0, count: body.count))
    let second = try AttachmentStage(
      server, in: directory, log: Log(level: .warning) { line in lines.update { $0.append(line.text) } }
    ) { $0.packagedAttachments = directory.path("packaged") }
    server.script("a.bin", nil)
    _ = try first.openAsync("a", into: ends)
    #expect(waitForAsked(first, 2))
    _ = try second.openAsync("a", into: ends)
    let deadline = Runtime.shared.lock.monotonicMs + 350
    while Runtime.shared.lock.monotonicMs < deadline { try drainWorker() }
    first.transport.release(.success(.bytes(body)))
    #expect(ends.ends(2) == [.bytes(body), .bytes(body)])
    #expect(lines.read { $0.filter { $0.contains("the file is not used") }.count } == 1)
  }

  @Test("two clients that share a directory download an attachment once")
  func twoClients() throws {
    let first = try AttachmentStage(server, in: directory)
    let second = try AttachmentStage(server, in: directory)
    server.script("a.bin", nil)
    _ = try first.openAsync("a", into: ends)
    #expect(waitForAsked(first, 2))
    _ = try second.openAsync("a", into: ends)
    try drainWorker()
    first.transport.release(.success(.bytes(body)))
    #expect(ends.ends(2) == [.bytes(body), .bytes(body)])
    #expect(second.asked.isEmpty)
  }

  @Test("two concurrent downloads share one request for the server's root document, which lists the attachment URL")
  func oneQuestion() throws {
    try server.put("b", noise(10), at: 2000)
    let stage = try AttachmentStage(server, in: directory)
    server.script("", nil)
    _ = try stage.openAsync("a", into: ends)
    _ = try stage.openAsync("b", into: ends)
    #expect(waitForAsked(stage, 1))
    try drainWorker()
    stage.transport.release(.success(server.root))
    #expect(ends.ends(2).count == 2)
    #expect(stage.asked.sorted() == ["a.bin", "b.bin", "root"])
  }

  @Test("if one of two openings of an attachment times out, the download continues for the other one")
  func deadline() throws {
    let stage = try AttachmentStage(server, in: directory)
    server.script("a.bin", nil)
    _ = try stage.openAsync("a", into: ends)
    #expect(waitForAsked(stage, 2))
    #expect(code { try stage.open("a", timeoutMs: 1) } == .timeout)
    #expect(code { try stage.open("a", timeoutMs: 0) } == .timeout)
    #expect(code { try stage.open("a") { $0.isLocal = true } } == .notFound)
    #expect(stage.transport.cancelCount == 0)
    stage.transport.release(.success(.bytes(body)))
    #expect(ends.ends() == [.bytes(body)])
  }

  @Test("an asynchronous opening ends when its timeout expires, and sends no request if its timeout is 0")
  func asynchronousLimit() throws {
    let stage = try AttachmentStage(server, in: directory)
    server.script("a.bin", nil)
    _ = try stage.openAsync("a", timeoutMs: 0, into: ends)
    #expect(ends.ends() == [.error(.timeout)])
    #expect(stage.asked.isEmpty)
    _ = try stage.openAsync("a", timeoutMs: 20, into: ends)
    #expect(ends.ends(2) == [.error(.timeout), .error(.timeout)])
    // On a slow machine the timeout ends the request for the base URL, or comes before it.
    #expect(stage.asked.count { $0 == "a.bin" } <= stage.transport.cancelCount)
    #expect(stage.transport.cancelCount <= 1)
  }

  @Test("a download is cancelled when its last caller cancels, and the next opening resumes it")
  func lastOneWithdraws() throws {
    let stage = try AttachmentStage(server, in: directory)
    try directory.write("storage/\(attachmentName(of: body).hex).part", Array(body[..<5000]))
    server.script("a.bin", nil)
    let tickets = try [stage.openAsync("a", into: ends), stage.openAsync("a", into: ends)]
    #expect(waitForAsked(stage, 2))
    stage.handle.cancel(tickets[0])
    #expect(stage.transport.cancelCount == 0)
    stage.handle.cancel(tickets[1])
    stage.handle.cancel(tickets[1])
    #expect(stage.transport.cancelCount == 1)
    #expect(ends.ends(2) == [.error(.cancelled), .error(.cancelled)])
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin from 5000", "a.bin from 5000"])
    #expect(ends.read(\.count) == 2)
  }

  @Test("a response that arrives after all callers have cancelled is discarded")
  func lateAnswer() throws {
    let stage = try AttachmentStage(server, in: directory, ignoresCancel: true)
    server.script("a.bin", nil)
    let ticket = try stage.openAsync("a", into: ends)
    #expect(waitForAsked(stage, 2))
    stage.handle.cancel(ticket)
    stage.transport.release(.success(.bytes(body)))
    #expect(ends.ends() == [.error(.cancelled)])
    #expect(try stage.open("a") == body)
  }

  @Test("cancelling the last opening of an attachment also cancels the request for the server's root document")
  func cancelledQuestion() throws {
    let stage = try AttachmentStage(server, in: directory)
    server.script("", nil)
    let ticket = try stage.openAsync("a", into: ends)
    #expect(waitForAsked(stage, 1))
    stage.handle.cancel(ticket)
    #expect(stage.transport.cancelCount == 1)
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "root", "a.bin"])
  }

  @Test("at most eight attachments are downloaded at the same time, and further downloads wait")
  func turns() throws {
    for number in 1...20 { try server.put("n\(number)", noise(100, seed: UInt8(number)), at: 1000 + Int64(number)) }
    let stage = try AttachmentStage(server, in: directory)
    #expect(try stage.open("a") == body)
    for number in 1...20 { server.script("n\(number).bin", nil) }
    let tickets = try (1...20).map { try stage.openAsync("n\($0)", into: ends) }
    #expect(waitForAsked(stage, 2 + 8))
    try drainWorker()
    #expect(stage.asked.count == 2 + 8)
    // One that waits gives up, and leaves its turn to another.
    stage.handle.cancel(tickets[15])
    for number in 1...20 where number != 16 {
      #expect(waitForAsked(stage, 2 + min(19, number < 16 ? number : number - 1)))
      stage.transport.release(.success(.bytes(noise(100, seed: UInt8(number)))))
    }
    #expect(ends.ends(20).count == 20)
    #expect(ends.ends(20).count { $0 == .error(.cancelled) } == 1)
    #expect(ends.ends(20).count { if case .bytes = $0 { true } else { false } } == 19)
  }

  // MARK: Ends

  @Test("closing the client cancels a download, and blocked calls that wait for it return CLOSED")
  func close() throws {
    let stage = try AttachmentStage(server, in: directory)
    server.script("a.bin", nil)
    let (handle, ends) = (stage.handle, ends)
    let thread = try NamedThread.startAsHost(name: "test-waiter") {
      let result = Result { () throws(RemoraError) in
        try handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: longestWaitMs).array
      }
      ends.update { $0.append(result) }
    }
    #expect(waitForAsked(stage, 2))
    _ = try stage.openAsync("a", into: ends)
    stage.scene.client.close()
    #expect(thread.join(untilMonotonicMs: monotonicMs() + longestWaitMs))
    #expect(ends.ends() == [.error(.closed)])
    #expect(stage.transport.cancelCount == 1)
  }

  @Test("the progress callback and the completion callback of an opening can close the client")
  func closeInside() throws {
    let stage = try AttachmentStage(server, in: directory)
    let client = stage.scene.client
    let request = AttachmentRequest(.record("a"))
    server.script("a.bin", .success(.bytes(body, cutAfter: 7000)), nil)
    #expect(
      code { _ = try stage.handle.openAttachment(request, timeoutMs: longestWaitMs) { _ in client.close() } } == .closed
    )
    let another = try AttachmentServer()
    try another.put("a", body, at: 1000)
    let second = try AttachmentStage(another, in: directory)
    let (other, isEnded) = (second.scene.client, Box(false))
    _ = try second.handle.openAttachmentAsync(
      request,
      AttachmentListener { _ in
        other.close()
        isEnded.update { $0 = true }
      })
    #expect(isEnded.wait { $0 })
    #expect(code { try second.open("a") } == .closed)
  }

  @Test("closing a handle cancels its openings: no callback is called, and the user data of the callbacks is freed")
  func handleClose() throws {
    final class Held: Sendable {
      let count: Box<Int>
      init(_ count: Box<Int>) { self.count = count }
      deinit { count.update { $0 += 1 } }
    }
    let stage = try AttachmentStage(server, in: directory)
    let other = try stage.scene.open()
    server.script("a.bin", nil)
    let (freed, told) = (Box(0), Box(0))
    do {
      let held = Held(freed)
      _ = try other.openAttachmentAsync(
        AttachmentRequest(.record("a")),
        AttachmentListener(progress: { _ in withExtendedLifetime(held) {} }) { _ in told.update { $0 += 1 } })
    }
    _ = try stage.openAsync("a", into: ends)
    #expect(waitForAsked(stage, 2))
    other.close()
    #expect(freed.wait { $0 == 1 })
    stage.transport.release(.success(.bytes(body)))
    #expect(ends.ends() == [.bytes(body)])
    #expect(told.read { $0 } == 0)
  }

  @Test("a download continues for another source after the source that started it was closed")
  func sourceClose() throws {
    let stage = try AttachmentStage(server, in: directory)
    let other = try stage.scene.open { $0.requiresSignature = false }
    other.refresh()
    server.script("a.bin", nil)
    let handle = try stage.scene.open { $0.collection = "c" }
    let ends = ends
    _ = try other.openAttachmentAsync(
      AttachmentRequest(.record("a")), AttachmentListener { _ in })
    #expect(waitForAsked(stage, 2))
    _ = try stage.openAsync("a", into: ends)
    other.close()
    #expect(stage.transport.cancelCount == 0)
    stage.transport.release(.success(.bytes(body)))
    #expect(ends.ends() == [.bytes(body)])
    handle.close()
  }

  @Test("a forked child does not continue its parent's download, and the parent completes it", .forks)
  func fork() throws {
    let stage = try AttachmentStage(server)
    server.script("a.bin", nil)
    _ = try stage.openAsync("a", into: ends)
    #expect(waitForAsked(stage, 2))
    let (handle, client) = (stage.handle, stage.scene.client)
    let child = ForkedChild {
      // No thread plays the driving thread in the child: nothing comes, and the limit ends it.
      let local = code { _ = try handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: 0) }
      let isIdle = Runtime.shared.lock.withLock { client.attachments.state[$0].runs.isEmpty }
      guard local == .timeout, isIdle else { return 1 }
      let late = code { _ = try handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: 50) }
      guard late == .timeout else { return 2 }
      client.close()
      return 0
    }
    #expect(child.wait() == 0)
    stage.transport.release(.success(.bytes(body)))
    #expect(ends.ends() == [.bytes(body)])
  }
}
