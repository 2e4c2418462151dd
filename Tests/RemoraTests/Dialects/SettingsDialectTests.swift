// SPDX-License-Identifier: Apache-2.0
//
// Settings as documents: which entries, which requests, and what their identity is made of.

import Testing

@testable import Remora

@Suite("Decoding of settings dictionaries")
struct SettingsDialectTests {
  private func dialect(_ change: (inout SettingsOptions) -> Void = { _ in }) throws -> SettingsDialect {
    var options = SettingsOptions()
    options.url = "https://h.example/x"
    change(&options)
    return try options.dialect()
  }

  private func decode(_ text: String, root: String? = nil) throws -> Document {
    let dialect = try dialect { $0.rootKey = root }
    return try Array(text.utf8).withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }
  }

  @Test("a settings dictionary can have members of any JSON type, and a member with an empty key is ignored")
  func entries() throws {
    let document = try decode(#"{"b":[1],"a":null,"c":{"d":1.5},"":0}"#)
    #expect(document.entries.map { String(decoding: $0.key, as: UTF8.self) } == ["a", "b", "c"])
    #expect(document.entries.map(\.value.type) == [.null, .array, .object])
    #expect(document.warnings.count == 1)
    #expect(document.hasFilters && document.removed.isEmpty)
  }

  @Test("two keys that look alike but have different bytes are different keys")
  func composed() throws {
    #expect(try decode("{\"\u{E9}\":1,\"e\u{301}\":2}").entries.count == 2)
    #expect(try decode("{\"\u{E9}\":{\"a\":1},\"e\u{301}\":2}", root: "\u{E9}").entries.count == 1)
    #expect(throws: RemoraError.self) { try decode("{\"\u{E9}\":{}}", root: "e\u{301}") }
  }

  @Test("an empty settings dictionary has no entries")
  func empty() throws {
    #expect(try decode("{}").entries.isEmpty)
    #expect(try decode(#"{"s":{},"t":1}"#, root: "s").entries.isEmpty)
  }

  @Test(
    "a settings document that is not a dictionary is refused",
    arguments: ["", "[]", "1", "null", #"{"a":1"#, #"{"a":1,"a":2}"#, "{} {}", #"{"a":1e400}"#])
  func refused(text: String) {
    #expect(throws: RemoraError.self) { try decode(text) }
  }

  @Test(
    "the member that root_key names must exist and be an object", arguments: ["{}", #"{"s":1}"#, #"{"s":null}"#, "[]"])
  func noRoot(text: String) {
    #expect(throws: RemoraError.self) { try decode(text, root: "s") }
  }

  @Test("request parameters and the parameter for the tag are percent-encoded and added after the query of the url")
  func request() throws {
    let dialect = try dialect {
      $0.url = "https://h.example/x?q=1"
      $0.parameters = [("a b", "c&d"), ("e", "")]
      $0.tag = "a/b"
    }
    #expect(try dialect.request(since: nil, expected: 0).urlText == "https://h.example/x?q=1&a%20b=c%26d&e=&tag=a%2Fb")
    #expect(dialect.label.name == "https://h.example/x#a/b")
  }

  @Test("settings that differ in url, root key, parameters or tag have different identities, which show no parameters")
  func identity() throws {
    let plain = try dialect().identity
    #expect(plain == "kind settings\nurl https://h.example/x\nmethod get\nroot \nparameters none\ntag none")
    let others = try [
      dialect { $0.url = "https://h.example/y" }, dialect { $0.rootKey = "s" }, dialect { $0.tag = "none" },
      dialect {
        $0.tag = "none"
        $0.tagItem = "t"
      },
      dialect { $0.parameters = [("user", "u1")] }, dialect { $0.parameters = [("user", "u2")] },
      dialect { $0.parameters = [("user", "u1&x=y")] },
      dialect { $0.parameters = [("user", "u1"), ("x", "y")] },
    ].map(\.identity)
    #expect(Set(others + [plain]).count == 9)
    #expect(others.allSatisfy { !$0.contains("user") && !$0.contains("u1") })
  }

  @Test("settings whose content has changed get a higher version, even if the clock was set back")
  func versions() throws {
    func verified(_ text: String) throws -> Verified {
      var verification = try Verification(Draft(full: decode(text)), dialect())
      guard case .verified(let verified) = verification.proceed(chains: ChainCache(), atMs: 0) else {
        throw RemoraError(.internal, "not verified")
      }
      return verified
    }
    let limits = VersionLimits(floor: 5000, rule: .fetchTimes)
    let live = try image(of: verified(#"{"a":1}"#).draft, version: 7000)
    guard case .unchanged = try limits.judge(verified(#"{"a":1}"#), live: live, nowMs: 1) else {
      Issue.record("the same entries are not unchanged")
      return
    }
    func newer(_ text: String, _ limits: VersionLimits, live: Image?, nowMs: Int64) throws -> Int64? {
      guard case .newer(let content) = try limits.judge(verified(text), live: live, nowMs: nowMs) else { return nil }
      return content.version
    }
    #expect(try newer(#"{"a":2}"#, limits, live: live, nowMs: 9000) == 9000)
    #expect(try newer(#"{"b":1}"#, limits, live: live, nowMs: 1) == 7001)
    #expect(try newer("{}", limits, live: nil, nowMs: 1) == 5001)
    #expect(try newer("{}", VersionLimits(floor: .max, rule: .fetchTimes), live: nil, nowMs: 1) == .max)
  }

  private func image(of draft: Draft, version: Int64) throws -> Image {
    let metadata = ImageMetadata(identity: "", version: version, fetchedAtMs: version)
    return try writeImage(metadata, entries: draft.entries.map(ImageEntry.own))
  }

  @Test("random bytes as a settings document never cause a crash", arguments: 0..<200)
  func noise(seed: UInt64) {
    var random = RandomJSON(seed: seed)
    let text = random.value(depth: 5)
    for document in [text, "{\"s\":\(text)}"] {
      _ = try? decode(document)
      _ = try? decode(document, root: "s")
    }
  }
}
