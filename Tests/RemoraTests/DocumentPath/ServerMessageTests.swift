// SPDX-License-Identifier: Apache-2.0
//
// What the error of an HTTP status says, and how requests appear in the log.

import Testing

@testable import Remora

@Suite("Messages of servers in errors")
struct ServerMessageTests {
  private func failure(_ status: Int32, _ body: String) throws -> String {
    let gather = Gather(.document(since: nil), at: try ParsedURL("https://s.example/v2/x?_since=secret"))
    let content = try Array(body.utf8).withBytes(ReceivedBody.init(copying:))
    let response = HTTPResponse(status: status, url: gather.urlText, content: content)
    return gather.failure(response, of: "the server https://s.example").message
  }

  @Test(
    "the error of an HTTP status contains the message and the detail of a JSON body",
    arguments: [
      (#"{"code": 400, "errno": 107, "error": "Invalid parameters", "message": "_since is wrong"}"#, "_since is wrong"),
      (#"{"message": "not signed", "detail": "no key"}"#, "not signed: no key"),
      (#"{"type": "about:blank", "title": "No quota", "detail": "50 of 50"}"#, "No quota: 50 of 50"),
      (#"{"error": "Not Found", "details": {"a": 1}}"#, "Not Found"),
      (#"{"message": "two\nlines"}"#, #"two\u{a}lines"#),
    ])
  func message(body: String, text: String) throws {
    let expected = #"the server https://s.example answered /v2/x with HTTP status 400, and says "\#(text)""#
    #expect(try failure(400, body) == expected)
  }

  @Test(
    "a body without a message adds nothing to the error",
    arguments: ["", "<html>", "[]", "{}", #"{"message": ""}"#, #"{"message": 1}"#, #"{"message": "cut"#])
  func none(body: String) throws {
    #expect(try failure(503, body) == "the server https://s.example answered /v2/x with HTTP status 503")
  }

  @Test("a long message is truncated")
  func long() throws {
    let message = try failure(500, #"{"message": "\#(String(repeating: "x", count: 5000))"}"#)
    #expect(message.hasSuffix(String(repeating: "x", count: 300) + "…\""))
    #expect(message.count < 400)
  }

  @Test("status 407 is attributed to the proxy")
  func proxy() throws {
    let expected =
      "the proxy between this process and https://s.example answered /v2/x with HTTP status 407"
      + ": check the name and the password in the option proxy"
    #expect(try failure(407, "") == expected)
  }

  @Test(
    "the log line of a request has no values of the query",
    arguments: [
      ("https://s.example/v2/x?_since=1&token=abc", "GET https://s.example/v2/x?_since=…&token=…"),
      ("http://127.0.0.1:8080/a?abc", "GET http://127.0.0.1:8080/a?…"),
      ("https://s.example/a", "GET https://s.example/a"),
    ])
  func logText(url: String, text: String) throws {
    #expect(Gather(.chain, at: try ParsedURL(url)).logText == text)
  }
}
