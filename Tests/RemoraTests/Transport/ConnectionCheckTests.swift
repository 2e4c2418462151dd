// SPDX-License-Identifier: Apache-2.0
//
// Options of connections that cannot work are refused when they are set.

import Testing

@testable import Remora

@Suite("Proxy and CA file (options that cannot work are errors of the setup)")
struct ConnectionCheckTests {
  @Test(
    "a proxy in the syntax of libcurl is accepted",
    arguments: [
      "", "proxy", "proxy.example:3128", "http://proxy.example", "HTTP://proxy.example/",
      "https://user:pass@proxy.example:443",
      "socks4://h:1", "socks4a://h", "socks5://10.0.0.1:1080", "socks5h://u:p@[::1]:9050/", "user:p@ss@h:8080", "[::1]",
      "unix:/run/sidecar.sock",
    ])
  func accepted(proxy: String) throws {
    var options = TransportOptions()
    try options.setProxy(proxy)
    #expect(options.proxy == proxy)
  }

  @Test(
    "a proxy that cannot work is refused, and the message contains no part of it",
    arguments: [
      "http://", "ftp://secret.example", "secret.example:0", "secret.example:99999", "secret.example:",
      "secret example",
      "secret:1a", "http://user:secret@", "http://user:secret@:80", "[::1", "[]:1", "://secret", "secr\u{e9}t", "a\nb",
      "unix:secret.sock", "unix:", "unix:/\(String(repeating: "a", count: 107))",
    ])
  func refused(proxy: String) {
    var options = TransportOptions()
    do throws(RemoraError) {
      try options.setProxy(proxy)
      Issue.record("accepted")
    } catch {
      #expect((error.code, String(error.parameter)) == (.invalidArgument, "proxy"))
      #expect(!error.message.contains("secret"))
    }
    #expect(options.proxy == nil)
  }

  @Test("a CA file must exist, be a regular file, and have a certificate in PEM form")
  func roots() throws {
    let directory = try TemporaryDirectory()
    try directory.write("empty.pem", [])
    try directory.write("key.pem", Array("-----BEGIN PRIVATE KEY-----\n".utf8))
    try directory.write("roots.pem", Array("# roots\n-----BEGIN CERTIFICATE-----\r\n".utf8))
    try directory.makeDirectory("folder")
    var options = TransportOptions()
    for name in ["missing.pem", "empty.pem", "key.pem", "folder"] {
      do throws(RemoraError) {
        try options.setCAFile(directory.path(name))
        Issue.record("\(name) was accepted")
      } catch {
        #expect((error.code, String(error.parameter)) == (.invalidArgument, "ca_file"))
        #expect(error.message.hasPrefix("ca_file cannot be used: "))
      }
    }
    #expect(options.caFile == nil)
    try options.setCAFile(directory.path("roots.pem"))
    #expect(options.caFile == directory.path("roots.pem"))
  }
}
