// SPDX-License-Identifier: Apache-2.0
//
// Downloads of attachments that go on where an earlier one ended.

import Glibc
import Testing

@testable import Remora

extension AttachmentDownloadTests {
  @Test("if the connection breaks after some bytes, a download resumes at once, up to three times")
  func resumed() throws {
    let cuts = [7000, 9000, 11_000]
    var offset = 0
    for cut in cuts {
      server.script("a.bin", .success(.bytes(body, from: offset, cutAfter: cut)))
      offset += cut
    }
    let stage = try stage()
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin", "a.bin from 7000", "a.bin from 16000", "a.bin from 27000"])
  }

  @Test("a download fails if its connection breaks a fourth time, and the next client resumes it from the partial file")
  func keptPart() throws {
    for offset in 0..<4 { server.script("a.bin", .success(.bytes(body, from: offset * 1000, cutAfter: 1000))) }
    let first = try stage()
    #expect(code { try first.open("a") } == .network)
    #expect(directory.read(try part) == Array(body[..<4000]))
    first.scene.client.close()
    let second = try stage()
    #expect(try second.open("a") == body)
    #expect(second.asked == ["root", "a.bin from 4000"])
    #expect(directory.read(try part) == nil)
  }

  @Test("a download is not retried again if its last attempt received no bytes")
  func noProgress() throws {
    server.script("a.bin", .success(.bytes(body, cutAfter: 100)), .failure(RemoraError(.network, "no connection")))
    let stage = try stage()
    #expect(code { try stage.open("a") } == .network)
    #expect(stage.asked == ["root", "a.bin", "a.bin from 100"])
    #expect(directory.read(try part) == Array(body[..<100]))
  }

  @Test("a partial file that already has all bytes is verified and used without a request")
  func wholePart() throws {
    let stage = try stage()
    try directory.write(try part, body)
    #expect(try stage.open("a") == body)
    #expect(stage.asked.isEmpty)
  }

  @Test("if the server ignores the Range header of a resumed download, the download restarts from the first byte")
  func ignoredRange() throws {
    let stage = try stage()
    try directory.write(try part, Array(repeating: 7, count: 29_999))
    server.script("a.bin", .success(.bytes(body)))
    var seen: [Int] = []
    let opened = try stage.open("a", progress: { received, _ in seen.append(received) })
    #expect(opened == body)
    #expect(seen.last == body.count)
    #expect(stage.asked == ["root", "a.bin from 29999"])
  }

  @Test("if the server answers a resumed download with status 416, the whole attachment is requested once")
  func unsatisfiable() throws {
    let stage = try stage()
    try directory.write(try part, Array(body[..<5000]))
    server.script("a.bin", .success(.answer(416)))
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin from 5000", "a.bin"])
    try server.put("b", noise(10), at: 2000)
    stage.handle.refresh()
    server.script("b.bin", .success(.answer(416)))
    #expect(code { try stage.open("b") } == .http)
  }

  @Test("if the server sends another byte range than requested, the whole attachment is requested once")
  func otherRange() throws {
    let stage = try stage()
    try directory.write(try part, Array(body[..<5000]))
    server.script("a.bin", .success(.answer(206, "", [("Content-Range", "bytes 0-29999/30000")])))
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin from 5000", "a.bin"])
  }

  @Test("a partial file whose bytes are not those of the attachment is replaced by a complete download")
  func foreignPart() throws {
    let stage = try stage()
    try directory.write(try part, noise(5000, seed: 3))
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin from 5000", "a.bin"])
  }

  @Test("a partial file that is longer than the attachment is deleted, and the attachment is downloaded")
  func longPart() throws {
    let stage = try stage()
    try directory.write(try part, noise(40_000, seed: 3))
    #expect(try stage.open("a") == body)
    #expect(stage.asked == ["root", "a.bin"])
  }
}
