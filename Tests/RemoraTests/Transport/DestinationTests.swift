// SPDX-License-Identifier: Apache-2.0
//
// Bodies that go into a destination: whole, continued, begun anew, refused; and when the destination is let go.

import Glibc
import Testing

@testable import Remora

@Suite("Response bodies that are written to a file")
struct DestinationTests {
  private let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  @Test("a response body is written to its file, and not kept in the response", arguments: [0, 1, 65_536, 200_000])
  func whole(count: Int) throws {
    let body = Array(body[..<count])
    let head = Box("")
    try withServer {
      $0.answerAll { request in
        head.update { $0 = request }
        return rangedAnswer(request, body)
      }
    } run: { server throws in
      let landing = Landing()
      let response = try TestTransport.shared.fetch(HTTPRequest(url: server.url(), to: landing.destination()))
      #expect(response.status == 200)
      #expect(response.body.isEmpty)
      #expect(response.bodyEnd == count)
      #expect(landing.bytes.read { $0 } == body)
      #expect(landing.told.read { $0.last } == (count == 0 ? nil : count))
      #expect(landing.told.read { $0 == $0.sorted() })
      #expect(head.read { $0.contains("\r\nAccept-Encoding: identity\r\n") && rangeStart(of: $0) == nil })
    }
  }

  @Test("bytes that the file already has are not requested again", arguments: [1, 100, 199_999])
  func resumed(start: Int) throws {
    try withServer { [body] in
      $0.answerAll { rangedAnswer($0, body) }
    } run: { server throws in
      let landing = Landing(Array(body[..<start]))
      let request = HTTPRequest(url: server.url(), to: landing.destination(limit: body.count))
      let response = try TestTransport.shared.fetch(request)
      #expect(response.status == 206)
      #expect(response.bodyEnd == body.count)
      #expect(response.headers.contentRange?.first == start)
      #expect(landing.bytes.read { $0 } == body)
      #expect(landing.told.read { $0.first ?? 0 } > start)
    }
  }

  @Test(
    "if the server ignores the Range header, the file is emptied before the body is written",
    arguments: [0, 10, 200_000])
  func restarted(count: Int) throws {
    let body = Array(body[..<count])
    try withServer(answering: answerBytes(body: body)) { server throws in
      let landing = Landing([9, 9, 9])
      let response = try TestTransport.shared.fetch(HTTPRequest(url: server.url(), to: landing.destination()))
      #expect(response.status == 200)
      #expect(response.bodyEnd == count)
      #expect(landing.bytes.read { $0 } == body)
    }
  }

  @Test("the body of an error response is not written to the file", arguments: [404, 416, 301, 503])
  func otherStatuses(status: Int32) throws {
    // Pages of errors are compressed by some servers, whatever was asked for.
    let answer = answerBytes(
      "\(status) X", headers: ["Content-Encoding: gzip", "Retry-After: 5", "Location: /x"], body: body)
    try withServer(answering: answer) { server throws in
      let landing = Landing([1, 2])
      let response = try TestTransport.shared.fetch(HTTPRequest(url: server.url(), to: landing.destination(limit: 3)))
      #expect(response.status == status)
      #expect(response.headers.retryAfterMs == 5000)
      #expect(response.bodyEnd == 2)
      #expect(response.body.isEmpty)
      #expect(landing.bytes.read { $0 } == [1, 2])
      #expect(landing.told.read { $0.isEmpty })
    }
  }

  @Test("an endless body of an error response is cut off, and the HTTP status is returned")
  func endlessError() throws {
    let sent = Box(0)
    try withServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0, count: 65_536) + Array("\r\n".utf8)
      while connection.send(chunk) { sent.update { $0 += 65_536 } }
    } run: { server throws in
      let response = try TestTransport.shared.fetch(HTTPRequest(url: server.url(), to: Landing().destination()))
      #expect(response.status == 503)
    }
    #expect(sent.read { $0 } < 32 << 20, "the server could send on")
  }

  @Test(
    "a byte range that was not requested is refused, and none of its bytes are written",
    arguments: [
      "0-5/10", "3-5/10", "5-4/10", "4-9/9", "4-9/x", "4-/10", "-4/10", "*/10", "4-9", "", "4-9/10/11", "4-9 /10",
      "4-99999999999999999999/*", "4-9223372036854775807/*", "+4-9/10", "４-9/10",
    ])
  func otherRange(range: String) throws {
    for header in ["Content-Range: bytes \(range)", "Content-Range: items 4-9/10", "X: y"] {
      let answer = answerBytes("206 Partial Content", headers: [header], body: [5, 6, 7, 8, 9, 10])
      try withServer(answering: answer) { server throws in
        let landing = Landing([1, 2, 3, 4])
        let error = try landing.failure(of: HTTPRequest(url: server.url(), to: landing.destination(limit: 10)))
        #expect(error.code == .format)
        #expect(error.message.contains("requested byte range"))
        #expect(landing.bytes.read { $0 } == [1, 2, 3, 4])
      }
    }
  }

  @Test("a 206 response with the whole body is accepted if no range was requested")
  func unasked() throws {
    for range in ["bytes 0-2/3", "bytes 0-2/*", "BYTES  0-2/3"] {
      try withServer(answering: answerBytes("206 X", headers: ["Content-Range: \(range)"], body: [1, 2, 3])) {
        server throws in
        let landing = Landing()
        let request = HTTPRequest(url: server.url(), to: landing.destination(limit: 3))
        #expect(try TestTransport.shared.fetch(request).bodyEnd == 3)
        #expect(landing.bytes.read { $0 } == [1, 2, 3])
      }
    }
  }

  @Test("a 206 body that is shorter or longer than its stated range is a network error, and only a shorter one is kept")
  func shortRange() throws {
    let range = ["Content-Range: bytes 4-6/10"]
    for (body, kept) in [([5, 6, 7], 7), ([5, 6], 6), ([5, 6, 7, 8], 4)] as [([UInt8], Int)] {
      try withServer(answering: answerBytes("206 Partial Content", headers: range, body: body)) { server throws in
        let landing = Landing([1, 2, 3, 4])
        let error = try landing.failure(of: HTTPRequest(url: server.url(), to: landing.destination(limit: 10)))
        #expect(error.code == .network)
        #expect(landing.bytes.read { $0 } == Array([1, 2, 3, 4, 5, 6, 7][..<kept]))
      }
    }
  }

  @Test("a body of exactly the size limit is written to the file, and a larger one is refused")
  func limit() throws {
    let count = body.count
    let chunked =
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n".utf8) + body
      + Array("\r\n0\r\n\r\n".utf8)
    for answer in [answerBytes(body: body), chunked] {
      try withServer(answering: answer) { server throws in
        for (limit, isEnough) in [(count, true), (count - 1, false)] {
          let landing = Landing()
          let result = Result { () throws in
            try TestTransport.shared.fetch(HTTPRequest(url: server.url(), to: landing.destination(limit: limit)))
          }
          #expect((try? result.get())?.bodyEnd == (isEnough ? count : nil))
          #expect(landing.bytes.read { $0.count } <= limit)
          if !isEnough { #expect(throws: RemoraError.self) { try result.get() } }
        }
      }
    }
    try withServer(
      answering: answerBytes("206 Partial Content", headers: ["Content-Range: bytes 1-2/9"], body: [1, 2])
    ) { server throws in
      let landing = Landing([0])
      let error = try landing.failure(of: HTTPRequest(url: server.url(), to: landing.destination(limit: 8)))
      #expect(error.code == .tooLarge)
      #expect(landing.bytes.read { $0 } == [0])
    }
  }

  @Test("a compressed body is not written to a file but refused", arguments: ["gzip", "br", "gzip, gzip", "x"])
  func encoded(encoding: String) throws {
    let answer = answerBytes(headers: ["Content-Encoding: \(encoding)"], body: gzipStored([1, 2, 3]))
    try withServer(answering: answer) { server throws in
      let landing = Landing()
      #expect(try landing.failure(of: HTTPRequest(url: server.url(), to: landing.destination())).code == .network)
      #expect(landing.bytes.read { $0.isEmpty })
    }
  }

  @Test(
    "if the file cannot be written, the transfer fails with the error message of the system",
    arguments: [ENOSPC, EIO, EDQUOT])
  func failedWrite(number: Int32) throws {
    try withServer { [body] in
      $0.answerAll { _ in answerBytes(body: body) }
    } run: { server throws in
      let landing = Landing()
      landing.failure.update { $0 = -number }
      let error = try landing.failure(of: HTTPRequest(url: server.url(), to: landing.destination()))
      #expect(error.code == .storage)
      #expect(error.message.hasSuffix(errorText(number)))
      #expect(landing.told.read { $0.isEmpty })
    }
  }

  @Test("if a response ends early, the received bytes are kept and the next request asks for the rest")
  func cut() throws {
    let body = Array(body[..<300])
    let cuts = Box(0)
    try withServer { connection in
      guard let request = connection.readRequest() else { return }
      connection.send(rangedAnswer(request, body).prefix(cuts.read { $0 }))
      if cuts.read({ $0 % 2 == 1 }) { connection.reset() }
    } run: { server throws in
      for cut in stride(from: 0, to: answerBytes(body: body).count, by: 7) {
        cuts.update { $0 = cut }
        let landing = Landing()
        let error = try landing.failure(of: HTTPRequest(url: server.url(), to: landing.destination(limit: 300)))
        #expect(error.code == .network, "cut at \(cut)")
        #expect(landing.bytes.read { $0 == Array(body[..<$0.count]) }, "cut at \(cut)")
        cuts.update { $0 = .max }
        let request = HTTPRequest(url: server.url(), to: landing.destination(limit: 300))
        #expect(try TestTransport.shared.fetch(request).bodyEnd == 300)
        #expect(landing.bytes.read { $0 } == body)
      }
    }
  }

  @Test(
    "no request is sent if the file is already larger than its limit or the offset is invalid",
    arguments: [(-1, 0), (1, 0), (.max, .min)])
  func badDestination(offset: Int, limit: Int) {
    let destination = BodyDestination(offset: offset, limit: limit, write: { _, _ in 0 })
    #expect(
      code { _ = try TestTransport.shared.fetch(HTTPRequest(url: "http://127.0.0.1:1/", to: destination)) }
        == .invalidArgument)
  }
}

extension Landing {
  /// The error that a request ends with.
  func failure(of request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation) throws -> RemoraError {
    let error = #expect(throws: RemoraError.self, sourceLocation: sourceLocation) {
      try TestTransport.shared.fetch(request)
    }
    return try #require(error, sourceLocation: sourceLocation)
  }
}
