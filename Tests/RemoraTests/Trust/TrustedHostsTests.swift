// SPDX-License-Identifier: Apache-2.0
//
// Which URLs of a server's answer may be followed.

import Testing

@testable import Remora

@Suite("Trusted hosts of certificate chains")
struct TrustedHostsTests {
  private static let production = "https://firefox.settings.services.mozilla.com/v2"
  private static let loopback = "http://127.0.0.1:8888/v1"

  private func requireChain(at url: String, server: String, trusted: [String] = []) throws {
    try TrustedHosts(server: ParsedURL(server), trustedHosts: trusted).requireChain(at: ParsedURL(url))
  }

  @Test(
    "over https, the server's host, the built-in host for the preset prod and the configured hosts are trusted",
    arguments: [
      "firefox.settings.services.mozilla.com", "content-signature-2.cdn.mozilla.net",
      "CONTENT-SIGNATURE-2.cdn.mozilla.net", "chains.example", "other.example:8443", "[::2]",
    ])
  func trusted(host: String) throws {
    try requireChain(
      at: "https://\(host)/a.chain", server: Self.production,
      trusted: ["Chains.example", "other.example:8443", "[::2]"])
  }

  @Test(
    "a certificate chain on a host that is not trusted is refused",
    arguments: [
      "https://evil.example/", "https://content-signature-2.cdn.mozilla.net.evil.example/",
      "https://x.content-signature-2.cdn.mozilla.net/", "https://content-signature-2.cdn.mozilla.net:8443/",
      "https://content-signature-2.cdn.mozilla.net./", "http://content-signature-2.cdn.mozilla.net/",
      "https://firefox-settings-attachments.cdn.mozilla.net/", "https://169.254.169.254/", "https://localhost/",
      "http://127.0.0.1/",
    ])
  func refused(url: String) throws {
    let error = #expect(throws: RemoraError.self) { try requireChain(at: url, server: Self.production) }
    #expect(error?.code == .chainLocation)
  }

  @Test("the error about an untrusted host names the host, its port and the option to set")
  func message() throws {
    let error = #expect(throws: RemoraError.self) {
      try requireChain(at: "https://cdn.example:8443/", server: Self.production)
    }
    #expect(error?.message.contains("cdn.example:8443") == true)
    #expect(error?.message.contains("trusted_hosts") == true)
  }

  @Test(
    "if the server is on loopback with plain http, its certificate chain may be on any loopback port",
    arguments: ["127.0.0.1:9", "127.8.9.10:9", "localhost", "LOCALHOST", "[::1]"])
  func loopback(host: String) throws {
    try requireChain(at: "http://\(host)/", server: Self.loopback)
  }

  @Test(
    "if the server is on loopback with plain http, its chain may not be on another host with plain http",
    arguments: ["example.com", "127.0.0.1.example", "128.0.0.1", "localhost.example", "0.0.0.0", "10.0.0.1"])
  func elsewhere(host: String) throws {
    #expect(throws: RemoraError.self) {
      try requireChain(at: "http://\(host)/", server: Self.loopback, trusted: ["example.com"])
    }
  }

  @Test("if the server uses https, its certificate chain may not use plain http, not even on loopback")
  func secureServer() throws {
    #expect(throws: RemoraError.self) { try requireChain(at: "http://127.0.0.1/", server: "https://127.0.0.1/v2") }
  }

  @Test(
    "an error about an invalid trusted host names the option",
    arguments: ["", "https://a.example", "a.example/path", "a.example:0", "a.example:99999", "a b", "user@a.example"])
  func entries(entry: String) throws {
    let error = #expect(throws: RemoraError.self) {
      try TrustedHosts(server: ParsedURL(Self.production), trustedHosts: [entry])
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("trusted_hosts") == true)
  }
}
