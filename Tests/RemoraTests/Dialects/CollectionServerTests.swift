// SPDX-License-Identifier: Apache-2.0
//
// Servers by preset and URL, and what is asked of them.

import Testing

@testable import Remora

@Suite("Servers and identities of collections")
struct CollectionServerTests {
  @Test(
    "the base URL of all requests is set by one of the names prod, stage and dev, or by a server URL",
    arguments: [
      ("prod", "https://firefox.settings.services.mozilla.com/v2"),
      ("stage", "https://firefox.settings.services.allizom.org/v2"),
      ("dev", "https://remote-settings-dev.allizom.org/v2"),
      ("https://h.example", "https://h.example/v2"), ("https://h.example/", "https://h.example/v2"),
      ("https://h.example/v1", "https://h.example/v1"), ("https://h.example/v1/", "https://h.example/v1"),
      ("https://h.example/v2/", "https://h.example/v2"), ("http://127.0.0.1:8888/v1", "http://127.0.0.1:8888/v1"),
      ("https://h.example/settings", "https://h.example/settings/v2"),
    ])
  func base(text: String, expected: String) throws {
    #expect("\(try CollectionServer(text).base)" == expected)
  }

  @Test(
    "an error about an invalid server names the option",
    arguments: ["", "Prod", "ftp://h", "h.example", "https://h?x"])
  func refused(text: String) {
    let error = #expect(throws: RemoraError.self) { try CollectionServer(text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("server ") == true)
  }

  @Test("the parameter _since is sent with quotes in protocol v1 and without quotes in protocol v2")
  func since() throws {
    for (base, expected) in [("https://h/v1", "&_since=%225%22"), ("https://h/v2", "&_since=5")] {
      let url = try CollectionServer(base).changeset(bucket: "b", collection: "c", since: 5)
      #expect("\(url)" == "\(base)/buckets/b/collections/c/changeset?_expected=0\(expected)")
    }
  }

  @Test("the parameter _expected is sent without quotes in protocol v1 and in protocol v2")
  func expected() throws {
    for base in ["https://h/v1", "https://h/v2"] {
      let url = try CollectionServer(base).changeset(bucket: "b", collection: "c", since: nil, expected: 7)
      #expect("\(url)" == "\(base)/buckets/b/collections/c/changeset?_expected=7")
    }
  }

  @Test("the list of collections of a server has the same URL for every bucket")
  func monitor() throws {
    let dialect = try CollectionDialect(
      server: CollectionServer("https://h/v1"), bucket: "main-preview", collection: "c", policy: .off)
    let monitor = try #require(try dialect.monitor(expected: 0))
    #expect(monitor.gather.urlText == "https://h/v1/buckets/monitor/collections/changes/changeset?_expected=0")
    #expect(monitor.key == "main-preview/c")
  }

  @Test("the root certificate pin of production is the default only for the host name of the production server")
  func production() throws {
    #expect(try CollectionServer("prod").isProduction)
    #expect(try CollectionServer("https://firefox.settings.services.mozilla.com/v1").isProduction)
    for other in ["stage", "dev", "https://firefox.settings.services.mozilla.com.evil.example/v2"] {
      #expect(try !CollectionServer(other).isProduction)
    }
  }

  @Test(
    "a bucket or collection name that would change the path of the request URL is refused",
    arguments: ["", "a/b", "..", "-a", "a b", "é", "a?"])
  func names(name: String) throws {
    let server = try CollectionServer("dev")
    #expect(
      code { _ = try CollectionDialect(server: server, bucket: name, collection: "c", policy: .off) }
        == .invalidArgument)
    #expect(
      code { _ = try CollectionDialect(server: server, bucket: "b", collection: name, policy: .off) }
        == .invalidArgument)
  }

  @Test("two collections that differ in server, bucket, name or trust policy are different sources")
  func identity() throws {
    func identity(_ server: String, _ bucket: String, _ collection: String, _ policy: TrustPolicy) throws -> String {
      try CollectionDialect(
        server: CollectionServer(server), bucket: bucket, collection: collection, policy: policy
      ).identity
    }
    let signer = TrustPolicy.required(root: .production, signer: "a")
    let all = try [
      identity("dev", "main", "c", .off), identity("stage", "main", "c", .off), identity("dev", "other", "c", .off),
      identity("dev", "main", "d", .off), identity("dev", "main", "c", signer),
      identity("dev", "main", "c", .required(root: .nonProduction, signer: "a")),
      identity("dev", "main", "c", .required(root: .production, signer: "b")),
    ]
    #expect(Set(all).count == all.count)
  }
}
