// SPDX-License-Identifier: Apache-2.0
//
// What defaults and carried keys make of a base: tables of what is there, what lies over it and what is read.

import Testing

@testable import Remora

@Suite("Default bundle (values that fill gaps in a fetched bundle)")
struct DefaultMembersTests {
  /// A row: the base, the defaults, an override as key, pointer and JSON, and what is read.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let base: String
    let defaults: String
    let override: [String]?
    let effective: String

    init(_ name: String, _ base: String, _ defaults: String, _ effective: String, over override: [String]? = nil) {
      testDescription = name
      self.base = base
      self.defaults = defaults
      self.override = override
      self.effective = effective
    }
  }

  static let rows = [
    Row("nothing is lacking", #"{"a":{"x":{"y":1}}}"#, #"{"a":{"x":{"y":2}}}"#, #"{"a":{"x":{"y":1}}}"#),
    Row("a property", #"{"a":{"x":{"y":1}}}"#, #"{"a":{"x":{"z":2}}}"#, #"{"a":{"x":{"y":1,"z":2}}}"#),
    Row("a section", #"{"a":{"x":1}}"#, #"{"a":{"y":{"z":2}}}"#, #"{"a":{"x":1,"y":{"z":2}}}"#),
    Row(
      "in the place of null", #"{"a":{"x":null,"y":{"z":null}}}"#, #"{"a":{"x":1,"y":{"z":2}}}"#,
      #"{"a":{"x":1,"y":{"z":2}}}"#),
    Row(
      "a property is not merged", #"{"a":{"x":{"y":{"p":1}}}}"#, #"{"a":{"x":{"y":{"q":2}}}}"#,
      #"{"a":{"x":{"y":{"p":1}}}}"#),
    Row(
      "another type stays", #"{"a":{"x":[1],"y":{"z":false}}}"#, #"{"a":{"x":{"z":1},"y":{"z":{}}}}"#,
      #"{"a":{"x":[1],"y":{"z":false}}}"#),
    Row(
      "a null of the defaults is nothing", #"{"a":{"x":{}}}"#, #"{"a":{"x":{"y":null},"z":null}}"#, #"{"a":{"x":{}}}"#),
    Row("a key that the base has not", #"{"a":{}}"#, #"{"b":{"x":1}}"#, #"{"a":{}}"#),
    Row("a key that the base removed", #"{"a":null}"#, #"{"a":{"x":1}}"#, "{}"),
    Row("a key that is no object", #"{"a":5}"#, #"{"a":{"x":1}}"#, #"{"a":5}"#),
    Row(
      "below an override", #"{"a":{"x":{}}}"#, #"{"a":{"x":{"y":1}}}"#, #"{"a":{"x":{"y":null}}}"#,
      over: ["a", "/x/y", "null"]),
    Row(
      "not beside a whole override", #"{"a":{"x":1}}"#, #"{"a":{"y":1}}"#, #"{"a":{"z":1}}"#,
      over: ["a", "", #"{"z":1}"#]),
    Row("not where only an override is", "{}", #"{"a":{"y":1}}"#, #"{"a":{"z":1}}"#, over: ["a", "/z", "1"]),
  ]

  @Test("the default bundle adds each property that is missing in the fetched bundle", arguments: rows)
  func table(row: Row) throws {
    var adjustments = Adjustments(defaults: DefaultMembers(try makeImage(row.defaults)))
    if let override = row.override { try adjustments.overrides.set(makeOverride(override)) }
    #expect(try compose(makeImage(row.base), adjustments).text() == row.effective)
  }

  @Test("a namespace that a newly fetched bundle omits keeps its last value until a later bundle contains it")
  func carried() throws {
    let defaults = DefaultMembers(try makeImage(#"{"a":{"d":1}}"#))
    var adjustments = Adjustments(defaults: defaults)
    try adjustments.overrides.set(makeOverride(["a", "/o", "1"]))
    let documents = try [#"{"a":{},"b":{},"c":null}"#, #"{"b":{"n":2}}"#, "{}", #"{"a":null,"c":{}}"#].map {
      try makeImage($0)
    }
    let effective = [
      #"{"a":{"d":1,"o":1},"b":{}}"#, #"{"a":{"d":1,"o":1},"b":{"n":2}}"#, #"{"a":{"d":1,"o":1},"b":{"n":2}}"#,
      #"{"a":{"o":1},"b":{"n":2},"c":{}}"#,
    ]
    for (index, document) in documents.enumerated() {
      if index > 0 {
        adjustments.carriedOver = try CarriedKeys(from: documents[index - 1], .cached, under: adjustments, to: document)
      }
      let snapshot = try compose(document, adjustments)
      #expect(try snapshot.text() == effective[index])
      #expect("b".withBytes { snapshot.origin(of: $0) } == (index == 1 ? .fetched : index > 1 ? .cached : .fetched))
    }
    #expect(adjustments.carriedOver.keys == [Array("b".utf8)])
  }

  private func compose(_ base: Image, _ adjustments: Adjustments) throws -> Snapshot {
    let schema = try BundleSchema(BundleSchema.snowplow)
    var composition = Composition(
      BundleDialect(nil, name: "", schema: schema, defaultVersion: nil), nothing: try Snapshot.empty(hashSeed: .test))
    return try composition.compose(base, .fetched, under: adjustments, in: FilterContext()) { _, _ in }
  }
}
