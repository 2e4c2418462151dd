// SPDX-License-Identifier: Apache-2.0
//
// Downloads of attachments: what is sent, what breaks and is continued, and what is never stored.

import Glibc
import Testing

@testable import Remora

@Suite("Downloads of attachments (files that belong to records)")
struct AttachmentDownloadTests {
  let directory: TemporaryDirectory
  let server: AttachmentServer
  let body = noise(30_000)

  init() throws {
    directory = try TemporaryDirectory()
    server = try AttachmentServer()
    try server.put("a", body, at: 1000)
  }

  func stage(_ calls: SystemCalls = .real, headers: [String] = []) throws -> AttachmentStage {
    try AttachmentStage(server, in: directory, calls: calls, headers: headers)
  }

  var part: String { get throws { "storage/\(try attachmentName(of: body).hex).part" } }
  var stored: String { get throws { "storage/\(try attachmentName(of: body).hex).attachment" } }

  // MARK: What is sent

  @Test("the program's HTTP headers are sent to the settings server, but not to the attachment server")
  func headers() throws {
    let stage = try stage(headers: ["Authorization: secret"])
    try stage.open("a")
    let requests = stage.transport.requests.suffix(2)
    #expect(requests.map(\.options.headers) == [["Authorization: secret"], []])
    #expect(requests.map(\.options.totalTimeoutMs) == [120_000, -1])
  }

  @Test("if the settings server lists no attachment URL, each attempt fails and requests the server's root URL again")
  func noCapability() throws {
    server.script("", .success(.answer(200, #"{"capabilities":{}}"#)), .success(.answer(503)))
    let stage = try stage()
    #expect(code { try stage.open("a") } == .format)
    #expect(code { try stage.open("a") } == .http)
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "root", "root", "a.bin"])
  }

  @Test("a redirect of the server's root URL to the same origin is followed")
  func redirectedRoot() throws {
    let base = server.settings.base
    server.script("", .success(.answer(302, "", [("Location", "\(base)/start")])))
    server.script("start", .success(server.root))
    #expect(try stage().open("a") == body)
  }

  @Test("a redirect of an attachment to the same origin is followed, and a redirect to another origin is refused")
  func redirected() throws {
    server.script("a.bin", .success(.answer(302, "", [("Location", "b.bin")])))
    server.script("b.bin", .success(.bytes(body)))
    let stage = try stage()
    #expect(try stage.open("a") == body)
    try server.put("c", noise(10), at: 2000)
    stage.handle.refresh()
    server.script("c.bin", .success(.answer(302, "", [("Location", "https://evil.example/c.bin")])))
    #expect(code { try stage.open("c") } == .redirect)
    #expect(stage.asked == ["root", "a.bin", "b.bin", "c.bin"])
  }

  @Test("after the server's root URL returns 503 with Retry-After, no attachment is downloaded until the delay is over")
  func backoff() throws {
    server.script("", .success(.answer(503, "", [("Retry-After", "60")])))
    let stage = try stage()
    #expect(code { try stage.open("a") } == .http)
    let error = #expect(throws: RemoraError.self) { try stage.open("a") }
    #expect(error?.code == .backoff)
    #expect(error?.retryAfterMs == 60_000)
    #expect(stage.asked == ["root"])
    stage.scene.clock.advance(byMs: 60_000)
    #expect(try stage.open("a") == body)
  }

  @Test("a backoff header in the response to the root URL delays later downloads, but not the current one")
  func politeRoot() throws {
    var root = server.root
    root.headers.add(name: "Backoff", value: "60", nowMs: TestTime.nowMs)
    server.script("", .success(root))
    try server.put("b", noise(10), at: 2000)
    let stage = try stage()
    #expect(try stage.open("a") == body)
    #expect(code { try stage.open("b") } == .backoff)
    #expect(try stage.open("a") == body)
  }

  @Test("a 503 with Retry-After from a separate attachment server is reported, but does not delay the next download")
  func backoffElsewhere() throws {
    server.script("a.bin", .success(.answer(503, "", [("Retry-After", "60")])))
    let stage = try stage()
    let error = #expect(throws: RemoraError.self) { try stage.open("a") }
    #expect(error?.code == .http)
    #expect(error?.httpStatus == 503)
    #expect(error?.retryAfterMs == 60_000)
    #expect(try stage.open("a") == body)
  }

  @Test("if an attachment returns 404, the next download requests the attachment base URL from the server again")
  func movedBase() throws {
    let stage = try stage()
    try stage.open("a")
    try server.put("b", noise(10), at: 2000)
    stage.handle.refresh()
    server.script("b.bin", .success(.answer(404)))
    #expect(code { try stage.open("b") } == .http)
    #expect(try stage.open("b") == noise(10))
    #expect(stage.asked == ["root", "a.bin", "b.bin", "root", "b.bin"])
  }

  // MARK: Lies

  @Test("a downloaded file whose size or hash differs from its record is refused and never stored")
  func mismatch() throws {
    let stage = try stage()
    for lie in [body + [1], Array(body.dropLast()), body.reversed(), []] {
      server.script("a.bin", .success(.bytes(lie)))
      #expect(code { try stage.open("a") } == .attachmentMismatch)
      #expect(directory.read(try part) == nil)
      #expect(directory.read(try stored) == nil)
    }
    #expect(try stage.open("a") == body)
  }

  @Test("opening an attachment fails if the file from the server has another hash or size than its record states")
  func lyingRecord() throws {
    try server.put("short", body, at: 2000, ["size": "29999"])
    try server.put("long", body, at: 3000, ["size": "30001"])
    try server.put("other", body, at: 4000, ["hash": #""\#(String(repeating: "0", count: 64))""#])
    let stage = try stage()
    for id in ["short", "long", "other"] { #expect(code { try stage.open(id) } == .attachmentMismatch) }
    #expect(stage.asked == ["root", "short.bin", "long.bin", "other.bin"])
  }

  // MARK: Storage

  @Test("a download that fails because the disk is full frees its disk space")
  func fullDisk() throws {
    var calls = SystemCalls.real
    let written = Box(0)
    let isFull = Box(false)
    let write = calls.files.write
    calls.files.write = { file, bytes, offset in
      if isFull.read({ $0 }),
        written.update({ count in
          count += bytes.count
          return count
        }) > 20_000
      {
        return Int(-ENOSPC)
      }
      return write(file, bytes, offset)
    }
    let stage = try stage(calls)
    isFull.update { $0 = true }
    let error = #expect(throws: RemoraError.self) { try stage.open("a") }
    #expect(error?.code == .storage)
    #expect(directory.read(try part) == nil)
    isFull.update { $0 = false }
    #expect(try stage.open("a") == body)
  }

  @Test("opening an attachment fails if its file cannot be synced to disk, and the next attempt succeeds")
  func failedSync() throws {
    var calls = SystemCalls.real
    let isBroken = Box(false)
    let sync = calls.files.sync
    calls.files.sync = { isBroken.read { $0 } ? -EIO : sync($0) }
    let stage = try stage(calls)
    isBroken.update { $0 = true }
    #expect(code { try stage.open("a") } == .storage)
    isBroken.update { $0 = false }
    #expect(try stage.open("a") == body)
  }

  // MARK: Progress

  @Test("the progress callback of a download is called at most about 100 times, and the last value is the file size")
  func progress() throws {
    let large = noise(2_000_000)
    try server.put("large", large, at: 2000)
    let stage = try stage()
    var seen: [Int] = []
    var totals: Set<Int> = []
    let opened = try stage.open(
      "large",
      progress: { received, total in
        seen.append(received)
        totals.insert(total)
      })
    #expect(opened == large)
    #expect(totals == [2_000_000])
    #expect(seen.count <= 110)
    #expect(seen == seen.sorted())
    #expect(seen.last == 2_000_000)
    seen = []
    try stage.open("large", progress: { received, _ in seen.append(received) })
    #expect(seen.isEmpty)
  }

  @Test("the progress callback of an asynchronous opening is called before the completion callback")
  func asynchronousProgress() throws {
    let stage = try stage()
    let seen = Box<[Int]>([])
    _ = try stage.handle.openAttachmentAsync(
      AttachmentRequest(.record("a")),
      AttachmentListener(progress: { now in seen.update { $0.append(now.received) } }) { _ in
        seen.update { $0.append(-1) }
      })
    #expect(seen.wait { $0.last == -1 })
    #expect(seen.read { $0.dropLast().last } == body.count)
  }

  @Test("an attachment of 9 MiB that is hashed in several pieces passes its verification")
  func pieces() throws {
    let large = [UInt8](repeating: 5, count: 9 << 20)
    try server.put("large", large, at: 2000)
    try stage().open("large")
    let later = try stage()
    #expect(try later.open("large", timeoutMs: 0).count == large.count)
    #expect(later.asked.isEmpty)
  }
}
