// SPDX-License-Identifier: Apache-2.0
//
// Bundles as documents: which schemas, which entries, in which order, and what their identity is made of.

import Testing

@testable import Remora

/// A bundle's JSON.
func bundleText(_ version: String, _ elements: String..., schema: String = BundleSchema.snowplow + "-0-0") -> String {
  #"{"$schema":"http://\#(schema)","configurationVersion":\#(version),"#
    + #""configurationBundle":[\#(elements.joined(separator: ","))]}"#
}

/// An element with a network configuration and further members.
func bundleElement(_ name: String, _ more: String = "") -> String {
  #"{"namespace":"\#(name)","networkConfiguration":{"endpoint":"https://\#(name).example"}\#(more)}"#
}

@Suite("Decoding of bundles (settings in namespaces, with a version number)")
struct BundleDialectTests {
  private func decode(_ text: String) throws -> Document {
    let dialect = BundleDialect(
      nil, name: "", schema: try BundleSchema(BundleSchema.snowplow), defaultVersion: nil)
    return try Array(text.utf8).withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }
  }

  @Test("namespaces are sorted by name, their positions in the document are stored, and a removed one becomes null")
  func entries() throws {
    let document = try decode(bundleText("7", bundleElement("b"), #"{"namespace":"c"}"#, bundleElement("a")))
    #expect(document.version == 7)
    #expect(document.hasFilters)
    #expect(document.entries.map { String(decoding: $0.key, as: UTF8.self) } == ["a", "b", "c"])
    #expect(document.entries.map(\.position) == [2, 0, 1])
    #expect(document.entries.map(\.value.type) == [.object, .object, .null])
    #expect(document.warnings.isEmpty)
    let twice = try decode(
      bundleText("1", bundleElement("a"), bundleElement("b"), bundleElement("a"), bundleElement("c")))
    #expect(twice.entries.map(\.position) == [2, 1, 3])
    #expect(twice.warnings.count == 1)
  }

  @Test("a bundle that removes no namespace hides no keys, and an empty bundle has no entries")
  func plain() throws {
    #expect(try !decode(bundleText("1", bundleElement("a"))).hasFilters)
    let empty = try decode(bundleText("1"))
    #expect(empty.entries.isEmpty && !empty.hasFilters)
  }

  @Test(
    "the version of a bundle can be written in any JSON notation of a 64-bit integer",
    arguments: [
      ("9007199254740993", 9_007_199_254_740_993), ("-9223372036854775808", Int64.min), ("9223372036854775807", .max),
      ("3.0", 3), ("1e3", 1000), ("-0", 0), ("9007199254740991.0", 9_007_199_254_740_991),
    ])
  func versions(text: String, version: Int64) throws {
    #expect(try decode(bundleText(text)).version == version)
  }

  @Test(
    "a version of a bundle that is not a 64-bit integer is refused",
    arguments: [
      "9223372036854775808", "9223372036854775808.0", "9007199254740993.0", "1.5", "true", "null", #""1""#, "1e300",
      "{}",
    ])
  func noVersion(text: String) {
    #expect(throws: RemoraError.self) { try decode(bundleText(text)) }
  }

  @Test(
    "the schema of a bundle consists of an http or https prefix and two numbers",
    arguments: [
      ("http://v/n/1-0-0", true), ("https://v/n/1-10-204", true), ("http://v/n/1-0", false),
      ("http://v/n/1-0-0-0", false), ("http://v/n/1--0", false), ("http://v/n/1-0-0x", false),
      ("http://v/n/10-0-0", false), ("http://v/n/1-٠-0", false), ("HTTP://v/n/1-0-0", false),
      ("ftp://v/n/1-0-0", false), ("v/n/1-0-0", false), (" http://v/n/1-0-0", false), ("", false),
    ])
  func schemas(text: String, isAccepted: Bool) throws {
    #expect(try BundleSchema("v/n/1").accepts(text) == isAccepted)
  }

  @Test(
    "an invalid value of the option accepted_schema is refused",
    arguments: ["", "a b/1", "v/n", "http://v/n/1", "é/1", "v/n/1-", "v/n/1-0-0"])
  func badPrefix(text: String) {
    #expect(throws: RemoraError.self) { try BundleSchema(text) }
  }

  @Test("two bundles with different url, method, name or schema are different sources, whatever their defaults")
  func identity() throws {
    func identity(_ change: (inout BundleOptions) -> Void) throws -> String {
      var options = BundleOptions()
      options.url = "https://h.example/x"
      change(&options)
      return try options.resolved().0.identity
    }
    let plain = try identity { _ in }
    #expect(
      plain == "kind bundle\nurl https://h.example/x\nmethod get\nschema \(BundleSchema.snowplow)-\nname ")
    let others = try [
      identity { $0.url = "https://h.example/y" }, identity { $0.url = nil }, identity { $0.method = .post },
      identity { $0.name = "n" }, identity { $0.acceptedSchema = "v/n/1" },
    ]
    #expect(Set(others + [plain]).count == 6)
    #expect(try identity { $0.defaultBundle = Array("[]".utf8) } == plain)
  }

  @Test("an invalid default bundle never causes a crash", arguments: 0..<200)
  func noise(seed: UInt64) {
    var random = RandomJSON(seed: seed)
    let text = random.value(depth: 5)
    for document in [text, "[\(text)]", #"[{"namespace":"a","trackerConfiguration":\#(text)}]"#, bundleText("1", text)]
    {
      _ = try? decode(document)
      var options = BundleOptions()
      options.defaultBundle = Array(document.utf8)
      _ = try? options.resolved()
    }
  }
}
