// SPDX-License-Identifier: Apache-2.0
//
// Where an attachment is opened from: storage, a package, the server; and what is refused before anything is asked.

import Glibc
import Testing

@testable import Remora

@Suite("Opening of attachments (files that belong to records)")
struct AttachmentOpeningTests {
  let directory: TemporaryDirectory
  let server: AttachmentServer
  let body = noise(30_000)

  init() throws {
    directory = try TemporaryDirectory()
    server = try AttachmentServer()
    try server.put("a", body, at: 1000)
  }

  private func stored(_ body: [UInt8]) throws -> String { "storage/\(try attachmentName(of: body).hex).attachment" }

  @Test("an attachment is downloaded once and stored, and later openings read the stored file")
  func once() throws {
    let stage = try AttachmentStage(server, in: directory)
    let attachment = try stage.handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: longestWaitMs)
    #expect(attachment.array == body)
    #expect(attachment.path == directory.path(try stored(body)))
    #expect(directory.read(try stored(body)) == body)
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin"])
    #expect(directory.names == ["storage"])
  }

  @Test("another client that uses the same directory opens a stored attachment without a request")
  func restart() throws {
    try AttachmentStage(server, in: directory).open("a")
    let later = try AttachmentStage(server, in: directory)
    later.transport.answer { _ in .failure(RemoraError(.network, "no connection")) }
    let before = later.transport.requests.count
    #expect(try later.open("a") == body)
    #expect(try later.open("a", timeoutMs: 0) == body)
    #expect(later.transport.requests.count == before)
  }

  @Test("if a record's file changes, the new file is downloaded, and an old snapshot still opens the old file")
  func changed() throws {
    let stage = try AttachmentStage(server, in: directory)
    let old = try stage.source.acquire()
    #expect(try stage.open("a") == body)
    let next = noise(2000, seed: 9)
    try server.put("a", next, at: 2000)
    stage.handle.refresh()
    #expect(try stage.open("a") == next)
    #expect(try stage.open("a") { $0.snapshot = old } == body)
    #expect(stage.asked == ["root", "a.bin", "a.bin"])
  }

  @Test("a file to which two records refer is downloaded and stored once")
  func shared() throws {
    try server.put("b", body, at: 2000)
    let stage = try AttachmentStage(server, in: directory)
    #expect(try stage.open("a") == body)
    #expect(try stage.open("b") == body)
    #expect(stage.asked == ["root", "a.bin"])
  }

  @Test("an attachment whose record is hidden by its filter can be opened by location, but not by record id")
  func hidden() throws {
    try server.put("h", body, at: 2000, [:], #","filter_expression":"1 == 2""#)
    let stage = try AttachmentStage(server, in: directory)
    #expect(code { try stage.open("h") } == .notFound)
    #expect(try stage.open("h") { $0.selector = .location("main/h.bin") } == body)
    let all = try stage.source.acquire(isUnfiltered: true)
    #expect(try stage.open("h") { $0.snapshot = all } == body)
  }

  @Test("opening an attachment that does not exist returns NOT_FOUND and sends no request")
  func absent() throws {
    server.settings.put("plain", at: 2000)
    let stage = try AttachmentStage(server, in: directory)
    #expect(code { try stage.open("x") } == .notFound)
    #expect(code { try stage.open("plain") } == .notFound)
    #expect(code { try stage.open("a") { $0.selector = .location("main/x.bin") } } == .notFound)
    #expect(code { try stage.open("a") { $0.isLocal = true } } == .notFound)
    #expect(code { try stage.open("a", timeoutMs: 0) } == .timeout)
    #expect(stage.asked.isEmpty)
  }

  @Test("an attachment that is too large, or whose record is malformed, is refused without a request")
  func refused() throws {
    try server.put("climbing", body, at: 2000, ["location": #""../a""#])
    try server.put("negative", body, at: 3000, ["size": "-1"])
    try server.put("huge", body, at: 4000, ["size": "\(1 << 40)"])
    let stage = try AttachmentStage(server, in: directory)
    #expect(code { try stage.open("a") { $0.maximumBytes = body.count - 1 } } == .tooLarge)
    #expect(code { try stage.open("huge") } == .tooLarge)
    #expect(code { try stage.open("huge") { $0.maximumBytes = nil } } == .tooLarge)
    #expect(code { try stage.open("climbing") } == .format)
    #expect(code { try stage.open("a") { $0.selector = .location("../a") } } == .format)
    #expect(code { try stage.open("negative") } == .format)
    #expect(stage.asked.isEmpty)
    #expect(try stage.open("a") { $0.maximumBytes = body.count } == body)
  }

  @Test("opening an attachment with a snapshot of another source fails with the error for invalid arguments")
  func otherSnapshot() throws {
    let stage = try AttachmentStage(server, in: directory)
    let other = try AttachmentStage(AttachmentServer())
    let snapshot = try other.source.acquire()
    #expect(code { try stage.open("a") { $0.snapshot = snapshot } } == .invalidArgument)
  }

  @Test("a damaged attachment file is downloaded again, or causes an error if no request is allowed")
  func damaged() throws {
    try AttachmentStage(server, in: directory).open("a")
    for damage in [Array(body.dropLast()), Array(body.reversed()), []] {
      try directory.write(try stored(body), damage)
      let stage = try AttachmentStage(server, in: directory)
      #expect(code { try stage.open("a") { $0.isLocal = true } } == .corrupt)
      #expect(code { try stage.open("a", timeoutMs: 0) } == .timeout)
      #expect(stage.asked.isEmpty)
      #expect(try stage.open("a") == body)
      #expect(stage.asked == ["root", "a.bin"])
      #expect(directory.read(try stored(body)) == body)
    }
  }

  @Test("a file that one record describes correctly is kept, even if another record states a wrong size for it")
  func otherSize() throws {
    try server.put("lie", body, at: 2000, ["size": "\(body.count - 1)"])
    let stage = try AttachmentStage(server, in: directory)
    try stage.open("a")
    #expect(code { try stage.open("lie") { $0.isLocal = true } } == .corrupt)
    #expect(code { try stage.open("lie") } == .attachmentMismatch)
    #expect(try stage.open("a", timeoutMs: 0) == body)
  }

  @Test("an attachment of zero bytes is opened without a request")
  func empty() throws {
    try server.put("empty", [], at: 2000)
    let stage = try AttachmentStage(server, in: directory)
    #expect(try stage.open("empty") == [])
    #expect(stage.asked.isEmpty)
  }

  // MARK: Packaged

  @Test("an attachment that is shipped with the program as a file is opened from that file without a request")
  func packaged() throws {
    try directory.makeDirectory("package")
    try directory.write("package/a", body, mode: 0o644)
    let stage = try AttachmentStage(server, in: directory) { $0.packagedAttachments = directory.path("package") }
    let attachment = try stage.handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: 0)
    #expect(attachment.array == body)
    #expect(attachment.path == directory.path("package/a"))
    #expect(try stage.open("a") { $0.isLocal = true } == body)
    #expect(stage.asked.isEmpty)
  }

  @Test("a shipped attachment file that does not match its record is ignored, and the attachment is downloaded")
  func packagedLie() throws {
    let lines = Box<[String]>([])
    try directory.makeDirectory("package")
    try directory.write("package/a", body.reversed(), mode: 0o644)
    let log = Log(level: .warning) { line in lines.update { $0.append(line.text) } }
    let stage = try AttachmentStage(server, in: directory, log: log) {
      $0.packagedAttachments = directory.path("package")
    }
    #expect(code { try stage.open("a") { $0.isLocal = true } } == .notFound)
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin"])
    #expect(lines.wait { $0.contains { $0.contains("main/c: \(directory.path("package/a")) does not have the SHA") } })
  }

  @Test("a shipped attachment file that was replaced or changed after an opening is compared with its record again")
  func packagedReplaced() throws {
    try directory.makeDirectory("package")
    try directory.write("package/a", body, mode: 0o644)
    let stage = try AttachmentStage(server, in: directory) { $0.packagedAttachments = directory.path("package") }
    #expect(try stage.open("a") { $0.isLocal = true } == body)
    try directory.write("package/new", body.reversed(), mode: 0o644)
    #expect(rename(directory.path("package/new"), directory.path("package/a")) == 0)
    #expect(code { try stage.open("a") { $0.isLocal = true } } == .notFound)
    try directory.write("package/new", body, mode: 0o644)
    #expect(rename(directory.path("package/new"), directory.path("package/a")) == 0)
    #expect(try stage.open("a") { $0.isLocal = true } == body)
    #expect(stage.asked.isEmpty)
  }

  @Test("a stored attachment file that was replaced after an opening is compared with its record again")
  func storedReplaced() throws {
    let stage = try AttachmentStage(server, in: directory)
    #expect(try stage.open("a") == body)
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin"])
    let path = try #require(stage.handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: 0).path)
    try directory.write("new", body.reversed(), mode: 0o600)
    #expect(rename(directory.path("new"), path) == 0)
    #expect(code { try stage.open("a") { $0.isLocal = true } } == .corrupt)
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin", "a.bin"])
  }

  // MARK: Memory

  @Test("without a storage directory, an open attachment is kept in memory and shared with later openings")
  func memory() throws {
    let stage = try AttachmentStage(server)
    do {
      let attachment = try stage.handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: longestWaitMs)
      #expect(attachment.array == body)
      #expect(attachment.path == nil)
      let again = try stage.handle.openAttachment(AttachmentRequest(.record("a")), timeoutMs: 0)
      #expect(again === attachment)
      stage.scene.client.close()
      #expect(attachment.array == body)
    }
    let other = try AttachmentStage(server)
    #expect(try other.open("a") == body)
    // The worker holds what it gave for another moment.
    try drainWorker()
    #expect(code { try other.open("a", timeoutMs: 0) } == .timeout)
    #expect(try other.open("a") == body)
    #expect(other.asked == ["root", "a.bin", "a.bin"])
  }

  @Test(
    "if the storage directory is read-only, a downloaded attachment is kept in memory",
    .enabled(if: geteuid() != 0, "root writes anywhere"))
  func unwritable() throws {
    let stage = try AttachmentStage(server, in: directory)
    chmod(directory.path("storage"), 0o500)
    defer { chmod(directory.path("storage"), 0o700) }
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin"])
  }

  @Test("opening an attachment on a closed client returns CLOSED")
  func closed() throws {
    let stage = try AttachmentStage(server, in: directory)
    try stage.open("a")
    stage.scene.client.close()
    #expect(code { try stage.open("a") } == .closed)
    #expect(code { _ = try stage.openAsync("a", into: AttachmentEnds([])) } == .closed)
  }
}
