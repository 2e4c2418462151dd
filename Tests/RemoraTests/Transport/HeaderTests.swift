// SPDX-License-Identifier: Apache-2.0
//
// What response headers mean, and which request headers are accepted.

import Testing

@testable import Remora

/// 2026-11-20T12:00:00Z, a Friday.
private let noon: Int64 = 1_795_176_000_000

@Suite("Response headers")
struct ResponseHeadersTests {
  private func read(_ lines: [(String, String)], nowMs: Int64 = noon) -> ResponseHeaders {
    var headers = ResponseHeaders()
    for (name, value) in lines { headers.add(name: name, value: value, nowMs: nowMs) }
    return headers
  }

  @Test(
    "each valid form of Retry-After results in a delay, and any other form does not",
    arguments: [
      ("0", 0), ("30", 30_000), ("000030", 30_000), ("86400", 86_400_000), ("86401", 86_400_000),
      ("1000000000000", 86_400_000), ("99999999999999999999999999", 86_400_000),
      ("Fri, 20 Nov 2026 12:00:30 GMT", 30_000), ("Friday, 20-Nov-26 12:00:30 GMT", 30_000),
      ("Fri Nov 20 12:00:30 2026", 30_000), ("Fri, 20 Nov 2026 11:00:00 GMT", 0),
      ("Fri, 31 Dec 9999 00:00:00 GMT", 86_400_000), ("-1", nil), ("+5", nil), ("1.5", nil), ("1e3", nil), ("", nil),
      ("soon", nil), ("30 s", nil), ("0x10", nil), ("٣", nil), ("Fri, 20 Nov 2026 12:00:30", nil),
    ] as [(String, Int64?)])
  func retryAfter(value: String, ms: Int64?) {
    #expect(read([("Retry-After", value)]).retryAfterMs == ms)
  }

  @Test("the larger of Retry-After and Backoff is used, whatever the order and the case of the headers")
  func larger() {
    #expect(read([("Retry-After", "10"), ("BACKOFF", "60")]).retryAfterMs == 60_000)
    #expect(read([("backoff", "60"), ("retry-after", "10")]).retryAfterMs == 60_000)
    #expect(read([("Backoff", "x"), ("Retry-After", "10")]).retryAfterMs == 10_000)
    #expect(read([("Retry-After", "5"), ("Retry-After", "7")]).retryAfterMs == 7_000)
    #expect(read([("Backoff", "Fri, 20 Nov 2026 12:00:30 GMT")]).retryAfterMs == nil)
  }

  @Test(
    "a Retry-After date counts from the server's own time: the header Date, plus Age if a cache sent the response",
    arguments: [Int64.min, 0, noon - 86_400_000, noon + 3_600_000, Int64.max])
  func dateOfServer(nowMs: Int64) {
    let until = ("Retry-After", "Fri, 20 Nov 2026 12:00:30 GMT")
    let date = ("Date", "Fri, 20 Nov 2026 12:00:00 GMT")
    for headers in [[until, date], [date, until]] {
      #expect(read(headers, nowMs: nowMs).retryAfterMs == 30_000)
      #expect(read(headers + [("Age", "10")], nowMs: nowMs).retryAfterMs == 20_000)
      #expect(read(headers + [("Age", "31")], nowMs: nowMs).retryAfterMs == 0)
    }
  }

  @Test(
    "the header Age is a number of seconds, and the first one counts",
    arguments: [
      (["0"], 0), (["59"], 59), (["5", "7"], 5), (["x", "7"], 7), (["-1"], nil), ([""], nil),
      (["99999999999999999999"], 1 << 31),
    ] as [([String], Int64?)])
  func age(values: [String], age: Int64?) {
    #expect(read(values.map { ("Age", $0) }).age == age)
  }

  @Test(
    "a Retry-After date results in a delay within the limits, however far off the clock is",
    arguments: [Int64.min, 0, Int64.max])
  func anyClock(nowMs: Int64) throws {
    let wait = try #require(read([("Retry-After", "Fri, 20 Nov 2026 12:00:30 GMT")], nowMs: nowMs).retryAfterMs)
    #expect((0...longestRetryAfterMs).contains(wait))
  }

  @Test(
    "the lifetime from Cache-Control is max-age, or 0 for no-store and no-cache",
    arguments: [
      ("max-age=60", 60), ("public, Max-Age=60, immutable", 60), ("max-age=\"60\"", 60), ("max-age=60, max-age=5", 5),
      ("no-store", 0), ("no-cache, max-age=60", 0), ("max-age=99999999999999999999", .max), ("s-maxage=60", nil),
      ("max-age", nil), ("max-age=", nil), ("max-age=-1", nil), ("max-age=x", nil), ("", nil), (",,=,", nil),
    ] as [(String, Int64?)])
  func cacheControl(value: String, age: Int64?) {
    #expect(read([("Cache-Control", value)]).cacheControlMaxAge == age)
  }

  @Test("an ETag is accepted only if it can be sent back unchanged")
  func entityTags() {
    #expect(read([("ETag", "\"123\"")]).etag == "\"123\"")
    #expect(read([("etag", "W/\"x\"")]).etag == "W/\"x\"")
    #expect(read([("ETag", "\"\"")]).etag == "\"\"")
    for bad in [
      "", "123", "\"", "W/", "\"a\"b\"", "\"a b\"", "\"a\rb\"", "\"é\"", "\"" + String(repeating: "x", count: 2000),
    ] {
      #expect(read([("ETag", bad)]).etag == nil)
    }
  }

  @Test("if a header is repeated, the first one is used")
  func first() {
    let headers = read([
      ("Location", ""), ("Location", "/a"), ("Location", "/b"), ("Content-Type", "application/json"),
      ("Content-Type", "x"),
      ("Date", "junk"), ("Date", "Fri, 20 Nov 2026 12:00:00 GMT"), ("Set-Cookie", "a=b"),
    ])
    #expect(headers.location == "/a")
    #expect(headers.contentType == "application/json")
    #expect(headers.dateMs == noon)
  }
}

@Suite("Request headers")
struct RequestHeaderTests {
  @Test(
    "a valid header line that the program adds to its requests is accepted",
    arguments: ["X-A: b", "x:y", "X-Empty:", "X-Empty: ", "Authorization: Bearer é\tz"])
  func accepts(line: String) throws {
    try validateHeader(line)
  }

  @Test(
    "a header line that would add another header is refused, and the error does not contain its value",
    arguments: [
      "", ":", ": secret", "X secret", "X Y: secret", "X\u{0}: secret", "X: secret\r\nY: z", "X: secret\n",
      "X: \u{0}secret",
      "X: \u{7F}secret", "É: secret", "X\t: secret", "Accept-Encoding: secret", "content-length: secret",
      "Transfer-Encoding: secret", "If-None-Match: secret", "Range: secret",
    ])
  func refuses(line: String) {
    let error = #expect(throws: RemoraError.self) { try validateHeader(line) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("secret") == false)
  }

  @Test("a header line with any control character is refused")
  func controls() {
    for byte in UInt8.min...0x1F where byte != 0x09 {
      #expect(throws: RemoraError.self) { try validateHeader("X: a" + String(decoding: [byte], as: UTF8.self)) }
    }
  }
}
