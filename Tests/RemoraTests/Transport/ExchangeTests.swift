// SPDX-License-Identifier: Apache-2.0
//
// What goes over the wire and comes back when the server behaves.

import Testing

@testable import Remora

@Suite("Requests and responses of the HTTP transport")
struct ExchangeTests {
  @Test("a response has a status, headers and a body")
  func plain() throws {
    let answer = answerBytes(
      headers: [
        "ETag: \"7\"", "Content-Type: application/json", "Retry-After: 5", "Backoff: 9", "Cache-Control: max-age=60",
        "Date: Fri, 20 Nov 2026 12:00:00 GMT",
      ],
      body: Array("{}".utf8))
    try withServer(answering: answer) { server throws in
      let response = try fetch(server.url("/a?b=%22c%22"))
      #expect(response.status == 200)
      #expect(response.url == server.url("/a?b=%22c%22"))
      #expect(response.body == Array("{}".utf8))
      #expect(response.headers.etag == "\"7\"")
      #expect(response.headers.contentType == "application/json")
      #expect(response.headers.retryAfterMs == 9000)
      #expect(response.headers.cacheControlMaxAge == 60)
      #expect(response.headers.dateMs == FixedClock().nowMs)
      #expect(response.headers.location == nil)
    }
  }

  @Test(
    "every final HTTP status is returned as a response",
    arguments: [200, 204, 206, 304, 400, 401, 404, 407, 412, 429, 500, 503, 599])
  func statuses(status: Int32) throws {
    let bodiless = status == 204 || status == 304
    let answer = bodiless ? Array("HTTP/1.1 \(status) X\r\n\r\n".utf8) : answerBytes("\(status) X", body: [1])
    try withServer(answering: answer) { server throws in
      let response = try fetch(server.url())
      #expect(response.status == status)
      #expect(response.body == (bodiless ? [] : [1]))
    }
  }

  @Test("a POST request has an empty body and no Content-Type")
  func post() throws {
    try withServer { connection in
      connection.answerAll { request in answerBytes(body: Array(request.utf8)) }
    } run: { server throws in
      var request = HTTPRequest(url: server.url("/a"))
      request.method = .post
      let sent = String(decoding: try TestTransport.shared.fetch(request).body, as: UTF8.self)
      #expect(sent.hasPrefix("POST /a HTTP/1.1\r\n"))
      #expect(sent.contains("\r\nContent-Length: 0\r\n"))
      #expect(!sent.contains("Content-Type"))
      #expect(!sent.contains("Expect"))
    }
  }

  @Test("requests that share a connection have only their own headers, method and limits")
  func ownOptions() throws {
    try withServer { connection in
      connection.answerAll { request in answerBytes(body: Array(request.utf8)) }
    } run: { server throws in
      let transport = TestTransport.make()
      var first = HTTPRequest(url: server.url("/1"), ifNoneMatch: "\"7\"")
      try first.options.setHeaders(["X-Key: secret"])
      var second = HTTPRequest(url: server.url("/2"))
      try second.options.setHeaders(["X-Other: 2"])
      var third = HTTPRequest(url: server.url("/3"))
      third.method = .post
      var fourth = HTTPRequest(url: server.url("/4"))
      try fourth.options.setUserAgent("other", as: "user_agent")
      let sent = try [first, second, third, fourth, HTTPRequest(url: server.url("/5"))].map {
        String(decoding: try transport.fetch($0).body, as: UTF8.self)
      }
      #expect(sent[0].contains("\r\nX-Key: secret\r\n") && sent[0].contains("If-None-Match"))
      #expect(sent[1].contains("\r\nX-Other: 2\r\n"))
      #expect(sent[2].hasPrefix("POST /3 "))
      #expect(sent[3].hasPrefix("GET /4 ") && sent[3].contains("\r\nUser-Agent: other\r\n"))
      #expect(sent[4].hasPrefix("GET /5 ") && sent[4].contains("\r\nUser-Agent: remora\r\n"))
      for text in sent.dropFirst() { #expect(!text.contains("X-Key") && !text.contains("If-None-Match")) }
      for text in sent.dropFirst(2) { #expect(!text.contains("X-Other")) }
      #expect(transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true))
    }
  }

  @Test("the ETag is sent with a request, and a 304 response is returned")
  func notModified() throws {
    try withServer { connection in
      connection.answerAll { request in
        request.contains("\r\nIf-None-Match: \"7\"\r\n")
          ? Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8) : answerBytes()
      }
    } run: { server throws in
      #expect(try fetch(server.url(), tag: "\"7\"").status == 304)
      #expect(try fetch(server.url()).status == 200)
    }
  }

  @Test("a request has only the configured headers and those of the library, and no cookie")
  func requestHead() throws {
    let head = Box("")
    try withServer { connection in
      connection.answerAll { request in
        head.update { $0 = request }
        return answerBytes(headers: ["Set-Cookie: a=b; Path=/"])
      }
    } run: { server throws in
      var options = TransportOptions()
      try options.setHeaders(["X-One: 1", "X-Empty:", "Authorization: Bearer t"])
      try options.setUserAgent("fish/1 (é)", as: "user_agent")
      for _ in 0..<2 { _ = try fetch(server.url("/p?q"), options: options, tag: "W/\"x\"") }
      #expect(
        head.read { $0.split(separator: "\r\n").map(String.init).sorted() }
          == [
            "GET /p?q HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "User-Agent: fish/1 (é)", "Accept: */*",
            "Accept-Encoding: gzip", "X-One: 1", "X-Empty:", "Authorization: Bearer t", "If-None-Match: W/\"x\"",
          ].sorted())
    }
  }

  @Test(
    "a redirect is not followed by the transport but returned with its location", arguments: [301, 302, 303, 307, 308])
  func redirect(status: Int32) throws {
    try withServer(answering: answerBytes("\(status) X", headers: ["Location: /elsewhere"])) { server throws in
      let response = try fetch(server.url("/a/b"))
      #expect(response.status == status)
      #expect(response.headers.location == "/elsewhere")
      #expect(server.acceptedCount == 1)
    }
  }

  @Test("headers of an interim response (1xx) and of a trailer are ignored")
  func interimAndTrailer() throws {
    let bytes =
      "HTTP/1.1 103 Early Hints\r\nETag: \"no\"\r\nRetry-After: 99\r\n\r\n"
      + "HTTP/1.1 200 OK\r\nETag: \"yes\"\r\nTransfer-Encoding: chunked\r\nTrailer: Location\r\n\r\n"
      + "3\r\nabc\r\n0\r\nLocation: /trailer\r\n\r\n"
    try withServer(answering: Array(bytes.utf8)) { server throws in
      let response = try fetch(server.url())
      #expect(response.body == Array("abc".utf8))
      #expect(response.headers.etag == "\"yes\"")
      #expect(response.headers.retryAfterMs == nil)
      #expect(response.headers.location == nil)
    }
  }

  @Test("a body with gzip encoding is decoded", arguments: [0, 1, 65_535, 200_000])
  func gzip(count: Int) throws {
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let answer = answerBytes(headers: ["Content-Encoding: gzip"], body: gzipStored(body))
    try withServer(answering: answer) { server throws in
      #expect(try fetch(server.url()).body == body)
    }
  }

  @Test("a hundred consecutive requests share one connection")
  func reuse() throws {
    try withServer(answering: answerBytes(body: [1, 2, 3])) { server throws in
      // Other tests would push its connection out of the shared cache.
      let transport = TestTransport.make()
      for _ in 0..<100 {
        #expect(try transport.fetch(HTTPRequest(url: server.url())).body == [1, 2, 3])
      }
      #expect(server.acceptedCount == 1)
      #expect(transport.stop(untilMonotonicMs: monotonicMs() + 10_000, forGood: true))
    }
  }

  @Test("many concurrent requests each receive their own response")
  func parallel() throws {
    let waiting = Box(0)
    try withServer { connection in
      connection.answerAll { request in
        // Nobody is answered before as many are there as may be in progress at the same time.
        waiting.update { $0 += 1 }
        _ = waiting.wait { $0 >= 8 }
        return answerBytes(body: Array(request.split(separator: " ")[1].utf8))
      }
    } run: { server throws in
      let pending = try (0..<60).map { number in
        try TestTransport.shared.start(HTTPRequest(url: server.url("/\(number)")))
      }
      for (number, (_, box)) in pending.enumerated() {
        #expect(try box.outcome().get().body == Array("/\(number)".utf8))
      }
    }
  }

  @Test("if a proxy refuses to connect to a server, the error names the proxy", arguments: [407, 502])
  func refusingProxy(status: Int) throws {
    try withServer {
      _ = $0.readRequest()
      $0.answer("\(status) Refused")
    } run: { proxy throws in
      var options = TransportOptions()
      try options.setProxy(proxy.url())
      let error = try fetchError("https://127.0.0.1:1/", options: options)
      let advice = status == 407 ? ": check the name and the password in the proxy's URL" : ""
      let text = "https://127.0.0.1:1: the proxy refused the connection with HTTP status \(status)\(advice)"
      #expect((error.code, error.message) == (.network, text))
    }
  }

  @Test("a request through a proxy is sent to the proxy")
  func proxy() throws {
    try withServer {
      $0.answerAll { request in answerBytes(body: Array(request.prefix(31).utf8)) }
    } run: { proxy throws in
      var options = TransportOptions()
      try options.setProxy(proxy.url())
      let response = try fetch("http://settings.invalid/x", options: options)
      #expect(response.body == Array("GET http://settings.invalid/x H".utf8))
    }
  }

  @Test(
    "starting a request with an unsupported or malformed URL throws an error",
    arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/", "127.0.0.1", "http://a/\r\nX: y"])
  func badURLs(url: String) {
    let error = #expect(throws: RemoraError.self) { try fetch(url) }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a request that contains control characters is never sent")
  func controls() {
    for byte in (UInt8.min...0x1F).filter({ $0 != 9 }) + [0x7F] {
      let bad = "a" + String(decoding: [byte], as: UTF8.self)
      var options = TransportOptions()
      #expect(throws: RemoraError.self) { try options.setHeaders(["X: \(bad)"]) }
      #expect(throws: RemoraError.self) { try options.setUserAgent(bad, as: "user_agent") }
      #expect(throws: RemoraError.self) { try options.setProxy(bad) }
      #expect(options == TransportOptions())
      #expect(throws: RemoraError.self) { try fetch("http://127.0.0.1:1/", tag: bad) }
    }
  }
}
