// SPDX-License-Identifier: Apache-2.0
//
// Which URLs are accepted, how they are written, and how a Location is resolved (RFC 3986 section 5.4).

import Testing

@testable import Remora

@Suite("Parsing of URLs")
struct ParsedURLTests {
  @Test(
    "an absolute URL is normalised to one spelling",
    arguments: [
      ("https://example.com", "https://example.com/"),
      ("HTTPS://Example.COM:443/A/b", "https://example.com/A/b"),
      ("http://example.com:80?x=1", "http://example.com/?x=1"),
      ("http://example.com:8080/", "http://example.com:8080/"),
      ("http://127.0.0.1:65535/v1?_since=%22123%22", "http://127.0.0.1:65535/v1?_since=%22123%22"),
      ("https://[::1]:8443/x", "https://[::1]:8443/x"),
      ("https://[2001:DB8:0:0:0:0:0:1]/", "https://[2001:db8::1]/"),
      ("https://[::ffff:1.2.3.4]/", "https://[::ffff:1.2.3.4]/"),
      ("https://under_score.example/", "https://under_score.example/"),
      ("https://xn--bcher-kva.example./", "https://xn--bcher-kva.example./"),
      ("https://a/b/../c/./d", "https://a/c/d"),
      ("https://a/?x[]=1", "https://a/?x[]=1"),
      ("https://a/?", "https://a/?"),
      ("https://a/~u/(x);y=1,2:3@4", "https://a/~u/(x);y=1,2:3@4"),
    ])
  func accepts(text: String, spelling: String) throws {
    let url = try ParsedURL(text)
    #expect(url.description == spelling)
    #expect(try ParsedURL(url.description) == url)
  }

  @Test(
    "an absolute URI of any scheme is accepted by the rules of RFC 3986",
    arguments: [
      "https://a/b#c", "picsart://editor", "mailto:a@b.example", "app:", "data:,x", "x+1.0-y://u:p@h:1/p?q#f",
      "urn:a:b", "custom://[::1]/", "custom://%41",
    ])
  func absolute(text: String) { #expect(ParsedURL.isAbsolute(text)) }

  @Test(
    "a text without a scheme, with an invalid byte or with an invalid host is not an absolute URI",
    arguments: [
      "", "editor", "/path", "//host/path", "?x:y", "1a://b", ":x", "a b:c", "custom://a b", "custom://%4",
      "custom://a\\b", "custom://a\u{e9}", "custom:a\"b", "http:", "https://", "http://u@h/", "http:editor",
    ])
  func notAbsolute(text: String) { #expect(!ParsedURL.isAbsolute(text)) }

  @Test(
    "an invalid URL is refused, and the error does not contain it",
    arguments: [
      "", "/", "example.com", "//example.com/", "http:", "http:/", "http://", "http:///x", "http:example.com",
      "file:///etc/passwd", "ftp://a/", "gopher://a/", "javascript:alert(1)", "data:,x", "httpss://a/", "://a/",
      "http://user@a/", "http://user:secret@a/", "http://@a/", "http://a#f", "http://a/#",
      "http://a b/", "http://a/b c", "http://a/\r\nX: y", "http://a/\u{0}", "http://a/\t", "http://a/\u{7F}",
      "http://a/é", "http://é/", "http://a/%", "http://a/%4", "http://a/%zz", "http://a/%%41",
      "http://a/\\b", "http://a\\b/", "http://a/{x}", "http://a/|", "http://a/^", "http://a/`", "http://a/<",
      "http://a/\"",
      "http://a:/", "http://a:0/", "http://a:080/", "http://a:65536/", "http://a:99999999999999999999/", "http://a:-1/",
      "http://a:1:2/", "http://a:x/", "http://.a/", "http://a..b/", "http://-a/", "http://a-/", "http://./",
      "http://a%41/", "http://a*/", "http://a,b/", "http://127.1/", "http://2130706433/", "http://0x7f000001/",
      "http://0x7f.1/", "http://0177.0.0.1/", "http://1.2.3.256/", "http://1.2.3.4.5/", "http://1.2.3/",
      "http://127.0.0.1./",
      "http://a.0x/", "http://[::1/", "http://::1/", "http://[]/", "http://[:::1]/", "http://[fe80::1%25eth0]/",
      "http://[fe80::1%eth0]/", "http://[1.2.3.4]/", "http://[::1]x/", "http://[::1]:/", "http://x[::1]/",
      "http://[v1.a]/",
      " http://a/", "http://a/ ", "http\u{0}://a/", "https:\\\\a/",
    ])
  func refuses(text: String) {
    let error = #expect(throws: RemoraError.self) { try ParsedURL(text, as: "server") }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("server ") == true)
    #expect(error?.message.contains("secret") == false)
  }

  @Test("host labels, hosts and URLs above their length limits are refused")
  func lengths() throws {
    func label(_ count: Int) -> String { String(repeating: "a", count: count) }
    _ = try ParsedURL("http://\(label(63)).example/")
    #expect(throws: RemoraError.self) { try ParsedURL("http://\(label(64)).example/") }
    let long = Array(repeating: label(63), count: 4).joined(separator: ".")
    #expect(throws: RemoraError.self) { try ParsedURL("http://\(long)/") }
    _ = try ParsedURL("http://a/" + label(ParsedURL.longest - 9))
    #expect(throws: RemoraError.self) { try ParsedURL("http://a/" + label(ParsedURL.longest - 8)) }
  }

  @Test(
    "a redirect location is resolved as in RFC 3986 section 5.4, without its fragment",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
      ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
      ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
      ("./g/.", "http://a/b/c/g/"),
      ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
      ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("https://h:444/../x", "https://h:444/x"), ("HTTP://H", "http://h/"),
    ])
  func resolves(reference: String, target: String) throws {
    let base = try ParsedURL("http://a/b/c/d;p?q")
    #expect(try base.resolving(reference).description == target)
  }

  @Test(
    "a redirect location that is malformed, or is neither http nor https, is refused",
    arguments: [
      "g:h", "http:g", "file:///etc/passwd", "ftp://a/", "//user@g/", "//", "///x", "x y", "x\r\ny", "%", "1:2",
      "http://a:0/",
    ])
  func refusesLocations(reference: String) throws {
    let base = try ParsedURL("http://a/b/c/d;p?q")
    #expect(throws: RemoraError.self) { try base.resolving(reference) }
  }

  @Test("the origin of a URL is its scheme, host and effective port")
  func origins() throws {
    func same(_ first: String, _ second: String) throws -> Bool {
      try ParsedURL(first).hasSameOrigin(as: ParsedURL(second))
    }
    #expect(try same("http://A/x", "http://a:80/y?z"))
    #expect(try same("https://[::0001]/", "https://[0:0::1]:443/"))
    #expect(try !same("http://a/", "https://a/"))
    #expect(try !same("http://a/", "http://a:81/"))
    #expect(try !same("http://a/", "http://b/"))
    #expect(try ParsedURL("http://a:81/x?secret").originText == "http://a:81")
  }

  @Test("loopback hosts are recognised by their text, without a look-up")
  func loopback() throws {
    for host in ["localhost", "LOCALHOST", "x.localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
      #expect(try ParsedURL("http://\(host)/").host.isLoopback)
    }
    for host in ["localhost.example", "127.example", "126.0.0.1", "[::2]", "169.254.169.254"] {
      #expect(try !ParsedURL("http://\(host)/").host.isLoopback)
    }
  }

  @Test("a path segment is percent-encoded except for unreserved characters")
  func encodes() throws {
    #expect(percentEncode("main") == "main")
    #expect(percentEncode("a/b?c#d%\"é\u{0}\r\n +") == "a%2Fb%3Fc%23d%25%22%C3%A9%00%0D%0A%20%2B")
    for byte in UInt8.min...UInt8.max {
      _ = try ParsedURL("http://a/" + percentEncode(String(decoding: [byte], as: UTF8.self)))
    }
  }
}
