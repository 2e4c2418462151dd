// SPDX-License-Identifier: Apache-2.0
//
// Where one document is: what is taken for a URL, what is added to it, and where a redirect may lead.

import Testing

@testable import Remora

@Suite("URLs of settings and bundles")
struct DocumentURLTests {
  @Test(
    "a URL without a scheme gets https",
    arguments: [
      ("h.example/x.json", "https://h.example/x.json"), ("127.0.0.1:1/x", "https://127.0.0.1:1/x"),
      ("localhost:80/x", "https://localhost:80/x"), ("h.example/x?to=http://y", "https://h.example/x?to=http://y"),
      ("[::1]:8080", "https://[::1]:8080/"), ("http://h.example", "http://h.example/"),
      ("HTTPS://h.example/a/../b", "https://h.example/b"),
    ])
  func schemes(text: String, url: String) throws {
    #expect(try DocumentURL(text, as: "url").url.description == url)
  }

  @Test(
    "the error about an invalid URL of settings or of a bundle names the option",
    arguments: [
      "", "ftp://h/x", "iglu:h/x", "https://u@h/x", "u:p@h/x", "https://h/x#y", "https://h/a b", "https://", "//h/x",
      "https://h/%zz", "https://h/é", "mailto:me", "https://h/" + String(repeating: "x", count: 8192),
    ])
  func refused(text: String) throws {
    let error = #expect(throws: RemoraError.self) { try DocumentURL(text, as: "url") }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("url ") == true)
  }

  @Test("query items are percent-encoded and added after the existing query of the URL")
  func items() throws {
    let items = [(name: "tag", value: "a/b c&d"), (name: "é", value: "")]
    #expect(
      try DocumentURL("h.example/x", adding: items, as: "url").url.description
        == "https://h.example/x?tag=a%2Fb%20c%26d&%C3%A9=")
    #expect(
      try DocumentURL("h.example/x?k=v", adding: items, as: "url").url.description
        == "https://h.example/x?k=v&tag=a%2Fb%20c%26d&%C3%A9=")
  }

  @Test("a redirect to any host is followed, but a redirect from https to http is not")
  func redirects() throws {
    let secure = try DocumentURL("https://h.example/x", as: "url")
    let plain = try DocumentURL("http://h.example/x", as: "url")
    #expect(try secure.redirect("https://other.example/y", of: secure.gather).isOwnOrigin == false)
    #expect(try secure.redirect("y", of: secure.gather).urlText == "https://h.example/y")
    #expect(try secure.redirect("y", of: secure.gather).isOwnOrigin)
    #expect(throws: RemoraError.self) { try secure.redirect("http://h.example/y", of: secure.gather) }
    let upgraded = try plain.redirect("https://h.example/y", of: plain.gather)
    #expect(upgraded.urlText == "https://h.example/y")
    #expect(throws: RemoraError.self) { try plain.redirect("http://h.example/y", of: upgraded) }
    #expect(try plain.redirect("http://other.example/y", of: plain.gather).urlText == "http://other.example/y")
    #expect(throws: RemoraError.self) { try plain.redirect("http://u:p@h.example/y", of: plain.gather) }
  }

  @Test("five redirects are followed with the same method, and the sixth is refused")
  func limit() throws {
    let document = try DocumentURL("h.example/0", method: .post, as: "url")
    var gather = document.gather
    for step in 1...5 { gather = try document.redirect("/\(step)", of: gather) }
    #expect(gather.method == .post)
    #expect(throws: RemoraError.self) { try document.redirect("/6", of: gather) }
  }

  @Test("two URLs with different queries are different sources, and neither messages nor identities show the query")
  func names() throws {
    let document = try DocumentURL("h.example/x?key=secret", as: "url")
    #expect(document.location == "https://h.example/x")
    let digest = hexText(sha256(Array("key=secret".utf8)))
    #expect(document.identity == "url https://h.example/x\nquery \(digest)\nmethod get")
    #expect(try DocumentURL("h.example/x?key=other", as: "url").identity != document.identity)
    #expect(try DocumentURL("h.example/x", as: "url").identity == "url https://h.example/x\nmethod get")
    #expect(document.serverIdentity == "origin https://h.example")
  }
}
