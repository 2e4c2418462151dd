// SPDX-License-Identifier: Apache-2.0
//
// Servers and networks that misbehave: every answer is whole or an error, within its limits.

import Glibc
import Testing

@testable import Remora

@Suite("Malicious servers")
struct HostileServerTests {
  private let body = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

  @Test("a body of exactly the size limit is accepted, and a larger one is refused", arguments: [0, 1, 1000, 70_000])
  func limit(count: Int) throws {
    let bytes = [UInt8](repeating: 7, count: count)
    let chunk = String(count, radix: 16) + "\r\n"
    let chunked =
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
      + (count == 0 ? [] : Array(chunk.utf8) + bytes + Array("\r\n".utf8)) + Array("0\r\n\r\n".utf8)
    let gzipped = answerBytes(headers: ["Content-Encoding: gzip"], body: gzipStored(bytes))
    for answer in [answerBytes(body: bytes), chunked, gzipped] {
      try withServer(answering: answer) { server throws in
        #expect(try fetch(server.url(), options: TransportOptions(maxBodyBytes: count)).body == bytes)
        if count > 0 {
          let error = try fetchError(server.url(), options: TransportOptions(maxBodyBytes: count - 1))
          #expect(error.code == .tooLarge)
        }
      }
    }
  }

  @Test("a Content-Length above the size limit ends the transfer at once")
  func announced() throws {
    let closed = Box(false)
    try withServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx")
      if connection.waitForClose() { closed.update { $0 = true } }
    } run: { server throws in
      #expect(try fetchError(server.url()).code == .tooLarge)
      #expect(closed.wait { $0 })
    }
  }

  @Test("an endless body is stopped at the size limit")
  func endless() throws {
    let sent = Box(0)
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0, count: 65_536) + Array("\r\n".utf8)
    try withServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.send(chunk) { sent.update { $0 += 65_536 } }
    } run: { server throws in
      #expect(try fetchError(server.url(), options: TransportOptions(maxBodyBytes: 1 << 20)).code == .tooLarge)
    }
    #expect(sent.read { $0 } < 32 << 20, "the server could send on")
  }

  @Test("a small gzip body that expands to a huge one is stopped at the size limit")
  func bomb() throws {
    let answer = answerBytes(headers: ["Content-Encoding: gzip"], body: gzipBomb(zeros: 100 << 20))
    try withServer(answering: answer) { server throws in
      #expect(try fetchError(server.url()).code == .tooLarge)
    }
  }

  @Test(
    "a content encoding other than a single gzip is refused",
    arguments: [
      "Content-Encoding: gzip, gzip", "Content-Encoding: gzip\r\nContent-Encoding: gzip", "Content-Encoding: deflate",
      "Content-Encoding: br", "Content-Encoding: zstd", "Content-Encoding: nonsense",
      "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked",
    ])
  func encodings(header: String) throws {
    let answer = answerBytes(headers: [header], body: gzipStored(gzipStored(body)))
    try withServer(answering: answer) { server throws in
      #expect(try fetchError(server.url()).code == .network)
    }
  }

  @Test(
    "for settings and bundles, gzip is recognised by the bytes of the body and not by its header",
    arguments: [
      ("utf-8", false, "utf-8"), ("aws-chunked", false, "aws-chunked"), ("gzip", false, "gzip"), ("gzip", true, nil),
      ("aws-chunked, gzip", true, "aws-chunked, gzip"), ("none, none", false, "none, none"), ("identity", false, nil),
      ("UTF-8\u{1B}", false, "utf-8\\u{1b}"),
    ])
  func idleEncoding(header: String, isGzip: Bool, idle: String?) throws {
    let text = Array(#"{"a":1}"#.utf8)
    let answer = answerBytes(headers: ["Content-Encoding: \(header)"], body: isGzip ? gzipStored(text) : text)
    try withServer(answering: answer) { server throws in
      var request = HTTPRequest(url: server.url())
      request.hosting = .any
      let response = try TestTransport.shared.fetch(request)
      #expect(response.body == text)
      #expect(response.headers.idleEncoding == idle)
    }
  }

  @Test("if a response is refused after its headers were received, the error has the HTTP status")
  func statusOfRefusal() throws {
    let answer = answerBytes("203 X", body: [UInt8](repeating: 7, count: 11))
    try withServer(answering: answer) { server throws in
      let error = try fetchError(server.url(), options: TransportOptions(maxBodyBytes: 10))
      #expect(error.code == .tooLarge)
      #expect(error.httpStatus == 203)
    }
  }

  @Test("a response that ends early at any byte is an error, and never a shorter response")
  func truncated() throws {
    let whole = [
      answerBytes(headers: ["ETag: \"1\""], body: body),
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n3\r\n567\r\n0\r\n\r\n".utf8),
      answerBytes(headers: ["Content-Encoding: gzip"], body: gzipStored(body)),
    ]
    for answer in whole {
      let cuts = Box(0)
      try withServer { connection in
        _ = connection.readRequest()
        connection.send(answer.prefix(cuts.read { $0 }))
        if cuts.read({ $0 % 2 == 1 }) { connection.reset() }
      } run: { server throws in
        for cut in 0..<answer.count {
          cuts.update { $0 = cut }
          #expect(try fetchError(server.url()).code == .network, "cut at \(cut)")
        }
        cuts.update { $0 = answer.count + 1 }
        _ = try? fetch(server.url())
      }
    }
  }

  @Test("a gzip body that is truncated, or has bytes after its end, is an error")
  func cutGzip() throws {
    let whole = gzipStored(body)
    let length = Box(0)
    try withServer { connection in
      connection.answerAll { _ in
        let bytes = (whole + whole).prefix(length.read { $0 })
        return answerBytes(headers: ["Content-Encoding: gzip"], body: Array(bytes))
      }
    } run: { server throws in
      for count in Array(1..<whole.count) + [whole.count + 1, 2 * whole.count] {
        length.update { $0 = count }
        #expect(try fetchError(server.url()).code == .network, "\(count) bytes")
      }
      length.update { $0 = whole.count }
      #expect(try fetch(server.url()).body == body)
    }
  }

  @Test("a gzip body with a wrong checksum or length is an error", arguments: [8, 4])
  func corruptGzip(fromEnd: Int) throws {
    let whole = gzipStored(body)
    let answer = answerBytes(
      headers: ["Content-Encoding: gzip"],
      body: whole.dropLast(fromEnd) + [whole[whole.count - fromEnd] ^ 1] + whole.suffix(fromEnd - 1))
    try withServer(answering: answer) { server throws in
      #expect(try fetchError(server.url()).code == .network)
    }
  }

  @Test(
    "a response that is not HTTP/1.1 is an error",
    arguments: [
      "", "hello", "\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/0.9 200\r\n", "HTTP/9.9 200 OK\r\n\r\n",
      "HTTP/1.1 abc OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nx",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nETag: \u{0}\r\nContent-Length: 0\r\n\r\n",
    ])
  func nonsense(bytes: String) throws {
    try withServer { connection in
      _ = connection.readRequest()
      connection.send(bytes)
    } run: { server throws in
      let error = try fetchError(server.url("/secret?secret"))
      #expect(error.code == .network || error.code == .tooLarge)
      #expect(error.message.contains("127.0.0.1"))
      #expect(!error.message.contains("secret"))
      #expect(error.message.utf8.allSatisfy { $0 >= 0x20 })
    }
  }

  @Test(
    "response headers above the size limits are refused",
    arguments: [(201, 1), (3, 30_000), (1, 70_000), (1, 110_000), (1, 1_000_000)])
  func headerFlood(lines: Int, length: Int) throws {
    let line = "X: " + String(repeating: "y", count: length) + "\r\n"
    let bytes = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: lines) + "Content-Length: 0\r\n\r\n"
    try withServer { connection in
      _ = connection.readRequest()
      connection.send(bytes)
    } run: { server throws in
      #expect(try fetchError(server.url()).code == .tooLarge)
    }
  }

  @Test(
    "endless headers, interim responses and trailers are refused", arguments: ["X: y\r\n", "HTTP/1.1 103 X\r\n\r\n"])
  func endlessHeader(line: String) throws {
    for start in ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"] {
      try withServer { connection in
        _ = connection.readRequest()
        if !line.hasPrefix("HTTP") || start.contains("chunked") { connection.send(start) }
        while connection.send(line) {}
      } run: { server throws in
        let error = try fetchError(server.url())
        #expect(error.code == .tooLarge || error.code == .network)
      }
    }
  }

  @Test(
    "a transfer that makes no progress ends at its total time limit",
    arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
  func stall(start: String) throws {
    try withServer { connection in
      _ = connection.readRequest()
      connection.send(start)
      _ = connection.waitForClose()
    } run: { server throws in
      let begin = monotonicMs()
      let error = try fetchError(server.url(), options: TransportOptions(totalTimeoutMs: 200))
      #expect(error.code == .network)
      #expect((190..<5000).contains(monotonicMs() - begin))
    }
  }

  @Test("a transfer of less than 100 bytes per second ends after the stall time")
  func trickle() throws {
    try withServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
      _ = connection.waitForClose()
    } run: { server throws in
      let begin = monotonicMs()
      let options = TransportOptions(connectTimeoutMs: -1, stallTimeoutMs: 1, totalTimeoutMs: -1)
      #expect(try fetchError(server.url(), options: options).code == .network)
      #expect((900..<10_000).contains(monotonicMs() - begin))
    }
  }

  @Test("an error about an unreachable server or proxy is a network error and contains no credentials")
  func refused() throws {
    let (descriptor, port) = try listen()
    close(descriptor)
    let dead = "127.0.0.1:\(port)"
    #expect(try fetchError("http://\(dead)/").code == .network)
    for proxy in ["http://user:secret@\(dead)", "socks5h://user:secret@\(dead)"] {
      var options = TransportOptions()
      try options.setProxy(proxy)
      let error = try fetchError("http://settings.invalid/", options: options)
      #expect(error.code == .network)
      #expect(error.systemCode != 0)
      #expect(!error.message.contains("secret"))
      #expect(error.message.contains("settings.invalid"))
    }
  }

  @Test(
    "an https request fails with a TLS error if the server has no TLS or the file of root certificates has become unusable"
  )
  func tls() throws {
    try withServer { connection in
      connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
      _ = connection.waitForClose()
    } run: { server throws in
      let url = "https://127.0.0.1:\(server.port)/"
      #expect(try fetchError(url).code == .tls)
      var options = TransportOptions()
      let directory = try TemporaryDirectory()
      try directory.write("roots.pem", Array("-----BEGIN CERTIFICATE-----".utf8))
      try options.setCAFile(directory.path("roots.pem"))
      #expect(try fetchError(url, options: options).code == .tls)
    }
  }
}
