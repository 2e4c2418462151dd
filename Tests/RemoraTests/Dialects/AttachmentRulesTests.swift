// SPDX-License-Identifier: Apache-2.0
//
// What records and servers say of attachments, and what is made of it: no request leaves the place that was announced.

import Testing

@testable import Remora

@Suite("Rules for attachments (files that belong to records)")
struct AttachmentRulesTests {
  private let digits = String(repeating: "aB", count: 32)

  /// What a record with these members of an attachment says.
  private func metadata(_ attachment: String) throws -> AttachmentMetadata? {
    let text = #"{"data":[{"id":"r","last_modified":1,"attachment":\#(attachment)}],"timestamp":1}"#
    let document = try Array(text.utf8).withBytes { bytes throws(RemoraError) in
      try decodeCollection(bytes, .packaged, named: "the test")
    }
    return try AttachmentMetadata(of: document.entries[0])
  }

  private func members(hash: String? = nil, size: String = "3", location: String = "a/b.bin") -> String {
    #"{"filename":"f","hash":"\#(hash ?? digits)","size":\#(size),"location":"\#(location)","mimetype":1}"#
  }

  private func rules(_ server: String) throws -> AttachmentRules {
    AttachmentRules(server: try CollectionServer(server).base)
  }

  private func base(_ text: String, of server: String = "https://h.example/v2") throws(RemoraError) -> String {
    let rules = AttachmentRules(server: try CollectionServer(server).base)
    return try Array(text.utf8).withBytes { bytes throws(RemoraError) in "\(try rules.base(in: bytes))" }
  }

  private func announcing(_ url: String) -> String { #"{"capabilities":{"attachments":{"base_url":"\#(url)"}}}"# }

  @Test("the hash, size and location of an attachment are read from its record, and other members are ignored")
  func wellFormed() throws {
    let metadata = try #require(try metadata(members()))
    #expect(metadata.sha256 == digits.lowercased())
    #expect(metadata.bytes == 3)
    #expect(metadata.location == "a/b.bin")
    #expect(try self.metadata(members(size: "0"))?.bytes == 0)
  }

  @Test("a record whose attachment is null has no attachment")
  func none() throws { #expect(try metadata("null") == nil) }

  @Test(
    "an error about an invalid attachment names the record and the member",
    arguments: [
      ("1", "attachment of record r"), ("[]", "attachment of record r"), ("{}", "attachment.hash of record r"),
    ])
  func malformed(attachment: String, place: String) throws {
    let error = #expect(throws: RemoraError.self) { try metadata(attachment) }
    #expect(error?.code == .format)
    #expect(error?.message.hasPrefix(place) == true)
  }

  @Test(
    "an attachment's hash that does not consist of exactly 64 hexadecimal digits is refused",
    arguments: ["", "ab", "g" + String(repeating: "a", count: 63)])
  func hash(text: String) {
    let error = #expect(throws: RemoraError.self) { try metadata(members(hash: text)) }
    #expect(error?.message.hasPrefix("attachment.hash of record r") == true)
  }

  @Test(
    "an attachment's size that is negative or not an integer is refused",
    arguments: ["-1", "1.5", "3.0", #""3""#, "null", "true"])
  func size(text: String) {
    let error = #expect(throws: RemoraError.self) { try metadata(members(size: text)) }
    #expect(error?.message.hasPrefix("attachment.size of record r") == true)
  }

  @Test(
    "an attachment's location that leads outside of the base URL is refused",
    arguments: [
      "", "/a", "//evil.example/a", "https://evil.example/a", "http:a", "x:", ".", "..", "../a", "a/../b", "a/..",
      "a/.",
      "./a", "%2e%2e/a", "a/%2E%2E/b", "a/.%2e/b", "a%2f..%2fb", "%2fa", "a\\\\..\\\\b", "a%5c..%5cb", "a\\u0000",
      "a\\u000ab", "a%0ab", "a%00", "a?b", "a#b", "a%", "a%2", "a%zz",
    ])
  func climbing(location: String) {
    let error = #expect(throws: RemoraError.self) { try metadata(members(location: location)) }
    #expect(error?.code == .format)
    #expect(error?.message.hasPrefix("attachment.location of record r") == true)
  }

  @Test("the base URL of attachments is read from the server's root document, and ends with a slash")
  func base() throws {
    let root = try rules("https://h.example/v2").root()
    #expect(root.urlText == "https://h.example/v2/")
    #expect(root.isOwnOrigin)
    #expect(try base(announcing("https://cdn.example/files")) == "https://cdn.example/files/")
    #expect(try base(announcing("https://cdn.example/files/")) == "https://cdn.example/files/")
    #expect(try base(announcing("https://cdn.example")) == "https://cdn.example/")
  }

  @Test(
    "a root document that lists no base URL of attachments, or an invalid one, is refused with the error FORMAT",
    arguments: [
      "{}", #"{"capabilities":{}}"#, #"{"capabilities":[]}"#, #"{"capabilities":{"attachments":{}}}"#,
      #"{"capabilities":{"attachments":{"base_url":7}}}"#, "[]",
    ])
  func noBase(document: String) {
    let error = #expect(throws: RemoraError.self) { try base(document) }
    #expect(error?.code == .format)
  }

  @Test("a server's root document that is not JSON is refused with the error PARSE")
  func noJSON() {
    let error = #expect(throws: RemoraError.self) { try base("<html>") }
    #expect(error?.code == .parse)
  }

  @Test(
    "a base URL of attachments that is relative, is not https, or has credentials or a query is refused",
    arguments: [
      ("http://cdn.example/", "https://h.example/v2"), ("http://h.example/", "http://h.example/v2"),
      ("http://169.254.169.254/", "http://127.0.0.1:8888/v2"), ("http://127.0.0.1/", "https://h.example/v2"),
      ("http://127.0.0.1/", "http://h.example/v2"), ("file:///etc/", "https://h.example/v2"),
      ("https://user@cdn.example/", "https://h.example/v2"), ("https://cdn.example/?a", "https://h.example/v2"),
      ("https://cdn.example/#a", "https://h.example/v2"), ("/files/", "https://h.example/v2"),
      ("", "https://h.example/v2"),
    ])
  func unsafeBase(url: String, server: String) {
    let error = #expect(throws: RemoraError.self) { try base(announcing(url), of: server) }
    #expect(error?.code == .format)
  }

  @Test("a base URL with plain http is accepted if the attachments and the settings server are both on loopback")
  func loopback() throws {
    #expect(try base(announcing("http://localhost:99/f"), of: "http://127.0.0.1:8888/v1") == "http://localhost:99/f/")
  }

  @Test(
    "the URL of an attachment is the base URL, followed by the percent-encoded location of the attachment",
    arguments: [
      ("main/a.bin", "https://cdn.example/files/main/a.bin"), ("a b", "https://cdn.example/files/a%20b"),
      ("é", "https://cdn.example/files/%C3%A9"), ("a%20b", "https://cdn.example/files/a%20b"),
      ("a//b", "https://cdn.example/files/a//b"), ("a/b:c@d", "https://cdn.example/files/a/b:c@d"),
      (#"a"<>^`{|}"#, "https://cdn.example/files/a%22%3C%3E%5E%60%7B%7C%7D"),
    ])
  func url(location: String, expected: String) throws {
    let gather = try rules("https://h.example/v2").gather(location, under: try ParsedURL("https://cdn.example/files/"))
    #expect(gather.urlText == expected)
    #expect(!gather.isOwnOrigin)
  }

  @Test("an attachment URL with the scheme, host and port of the settings server counts as same-origin")
  func origin() throws {
    let rules = try rules("https://h.example/v2")
    let base = try ParsedURL("https://h.example/files/")
    #expect(try rules.gather("a", under: base).isOwnOrigin)
  }

  @Test("an overlong URL of an attachment is refused with the error FORMAT")
  func overlong() throws {
    let rules = try rules("https://h.example/v2")
    let base = try ParsedURL("https://h.example/files/")
    #expect(code { _ = try rules.gather(String(repeating: "a", count: 9000), under: base) } == .format)
  }

  @Test("the fields of a record are its members except id, last_modified and attachment, sorted by name")
  func fields() throws {
    for (record, expected) in [
      (#"{"id":"r","last_modified":1}"#, "{}"),
      (#"{"id":"r","last_modified":1,"attachment":{"a":1}}"#, "{}"),
      (
        #"{"z":[1.5,{"id":1}],"id":"r","é":null,"last_modified":1,"a":"x\u0000","attachment":null}"#,
        #"{"a":"x\u0000","z":[1.5E0,{"id":1}],"\u00e9":null}"#
      ),
    ] {
      let document = try Array(#"{"data":[\#(record)],"timestamp":1}"#.utf8).withBytes { bytes throws(RemoraError) in
        try decodeCollection(bytes, .packaged, named: "the test")
      }
      var buffer = ByteBuffer()
      try appendCanonicalFields(of: document.entries[0].value, to: &buffer)
      #expect(String(decoding: buffer.bytes, as: UTF8.self) == expected)
    }
  }
}
