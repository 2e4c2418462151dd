// SPDX-License-Identifier: Apache-2.0
//
// Schemas that hosts and publishers give: versions, what is refused, what is reported, and limits.

import Testing

@testable import Remora

@Suite("JSON Schema for fetched data")
struct SchemaTests {
  /// The violation of a value; nil if it is valid.
  private func violation(_ schema: String, _ json: String, isRecord: Bool = false) throws -> String? {
    let schema = try Schema(json: Array(schema.utf8))
    let snapshot = try makeSnapshot("{\"k\":\(json)}")
    return try withExtendedLifetime(snapshot) {
      let value = try #require(snapshot.value("k"))
      return isRecord ? try schema.violation(ofRecord: value) : try schema.violation(of: value)
    }
  }

  private func problem(_ schema: String) -> String? {
    do throws(RemoraError) {
      _ = try Schema(json: Array(schema.utf8))
      return nil
    } catch {
      return error.code == .invalidArgument && error.parameter == "schema" ? error.message : "\(error.code)"
    }
  }

  @Test(
    "a violation names the pointers of the value and of the keyword, and not the value",
    arguments: [
      (#"{"properties":{"a":{"properties":{"b":{"maximum":5}}}}}"#, "/a/b", "#/properties/a/properties/b/maximum"),
      (#"{"properties":{"a":{"required":["z"]}}}"#, "/a", "#/properties/a/required"),
      (##"{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":false}}"##, "/a", "#/$defs/x~1y"),
      (
        #"{"additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}}"#, "/a", "#/additionalProperties/anyOf"
      ),
      (#"{"type":"array"}"#, "", "#/type"),
    ])
  func places(schema: String, pointer: String, keyword: String) throws {
    let text = try violation(schema, #"{"a":{"b":6}}"#)
    #expect(text == "the value\(pointer.isEmpty ? "" : " at \(pointer)") violates \(keyword)")
  }

  @Test(
    "a schema that is not JSON, has a keyword of a wrong form, or needs what is not supported is refused by name",
    arguments: [
      ("", "is not JSON"), ("{", "is not JSON"), ("5", "# is not a schema"),
      (#"{"type":"text"}"#, "#/type is not a type"),
      (#"{"properties":[]}"#, "#/properties is not an object"), (#"{"minimum":"1"}"#, "#/minimum is not a number"),
      (#"{"multipleOf":0}"#, "#/multipleOf is not above 0"), (#"{"minLength":-1}"#, "#/minLength is not an integer"),
      (#"{"pattern":"(?=a)"}"#, "#/pattern cannot be used"), (#"{"pattern":"\\p{L}"}"#, "#/pattern cannot be used"),
      (#"{"pattern":"("}"#, "#/pattern cannot be used"), (#"{"allOf":[]}"#, "#/allOf is empty"),
      (##"{"$ref":"#/$defs/none"}"##, "has a $ref without a target"),
      (#"{"$ref":"https://example.com/x"}"#, "a $ref to another document"),
      (##"{"$ref":"#"}"##, "refers to itself without end"),
      (##"{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}"##, "refers to itself without end"),
      (#"{"properties":{"a":{"$id":"x"}}}"#, "has the keyword $id at #/properties/a"),
      (##"{"$dynamicRef":"#a"}"##, "has the keyword $dynamicRef"),
      (#"{"unevaluatedProperties":false}"#, "has the keyword unevaluatedProperties"),
      (#"{"$schema":"https://example.com/schema"}"#, "has the version https://example.com/schema"),
      (#"{"a":1,"a":2}"#, "is not JSON"),
    ])
  func refused(schema: String, part: String) {
    #expect(problem(schema)?.contains(part) == true, "\(problem(schema) ?? "")")
  }

  @Test("keywords that no version knows have no effect, and are listed")
  func unknown() throws {
    let schema = try Schema(
      json: Array(#"{"$schema":"http://json-schema.org/draft-04/schema#","const":1,"foo":2}"#.utf8))
    #expect(schema.unknownKeywords == ["const", "foo"])
    #expect(try violation(#"{"title":"t","format":"email","default":1}"#, "2") == nil)
  }

  @Test(
    "keywords have the meaning of the version that the schema states",
    arguments: [
      ("http://json-schema.org/draft-04/schema#", #""minimum":5,"exclusiveMinimum":true"#, "5", false),
      ("http://json-schema.org/draft-04/schema#", #""type":"integer""#, "1.0", false),
      ("http://json-schema.org/draft-06/schema#", #""type":"integer""#, "1.0", true),
      ("http://json-schema.org/draft-06/schema#", #""exclusiveMinimum":5"#, "5", false),
      (
        "http://json-schema.org/draft-07/schema#",
        ##""$ref":"#/definitions/a","type":"null","definitions":{"a":true}"##, "5", true
      ),
      (
        "https://json-schema.org/draft/2019-09/schema", ##""$ref":"#/$defs/a","type":"null","$defs":{"a":true}"##, "5",
        false
      ),
      (
        "http://json-schema.org/draft-07/schema#", #""items":[{"type":"null"}],"additionalItems":false"#, "[null,1]",
        false
      ),
      (
        "https://json-schema.org/draft/2020-12/schema", #""prefixItems":[{"type":"null"}],"items":false"#, "[null,1]",
        false
      ),
      ("http://json-schema.org/draft-07/schema#", #""dependencies":{"a":["b"]}"#, #"{"a":1}"#, false),
      ("https://json-schema.org/draft/2020-12/schema", #""dependencies":{"a":["b"]}"#, #"{"a":1}"#, true),
      (
        "http://iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/1-0-0#",
        #""self":{"vendor":"v"},"maximum":5,"exclusiveMaximum":true"#, "5", false
      ),
    ])
  func versions(version: String, members: String, json: String, isValid: Bool) throws {
    #expect((try violation(#"{"$schema":"\#(version)",\#(members)}"#, json) == nil) == isValid)
  }

  @Test(
    "a schema without a version is read as the newest, with the older keywords for definitions, items and dependencies",
    arguments: [
      (##"{"properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"null"}}}"##, #"{"a":1}"#),
      (#"{"items":[{"type":"null"}],"additionalItems":{"type":"string"}}"#, "[null,1]"),
      (#"{"dependencies":{"a":["b"],"c":{"required":["d"]}}}"#, #"{"a":1}"#),
      (#"{"dependencies":{"a":["b"],"c":{"required":["d"]}}}"#, #"{"c":1}"#),
      (#"{"prefixItems":[{"type":"null"}],"items":false}"#, "[null,1]"),
    ])
  func unstated(schema: String, json: String) throws { #expect(try violation(schema, json) != nil) }

  @Test("the members id, last_modified and schema of a record are checked only if they are properties")
  func hiddenMembers() throws {
    let record = #"{"id":"r","last_modified":5,"schema":7,"v":1}"#
    let closed = #"{"properties":{"v":{}},"required":["id","v"],"maxProperties":1,"additionalProperties":false}"#
    #expect(try violation(closed, record, isRecord: true) == nil)
    #expect(try violation(closed, record) != nil)
    let open = #"{"properties":{"v":{},"id":{"minLength":2}}}"#
    #expect(try violation(open, record, isRecord: true) == "the value at /id violates #/properties/id/minLength")
    #expect(try violation(#"{"properties":{"v":{"required":["id"]}}}"#, #"{"v":{}}"#, isRecord: true) != nil)
  }

  @Test("numbers are compared exactly, and 1 and 1.0 are the same")
  func numbers() throws {
    #expect(try violation(#"{"maximum":9007199254740992}"#, "9007199254740993") != nil)
    #expect(try violation(#"{"maximum":9007199254740992.0}"#, "9007199254740993") != nil)
    #expect(try violation(#"{"const":1.0}"#, "1") == nil)
    #expect(try violation(#"{"uniqueItems":true}"#, "[1,1.0]") != nil)
    #expect(try violation(#"{"uniqueItems":true}"#, #"[{"a":1,"b":2},{"b":2,"a":1.0}]"#) != nil)
    #expect(try violation(#"{"multipleOf":0.01}"#, "4.35") == nil)
    #expect(try violation(#"{"minimum":-1e308}"#, "-9223372036854775808") == nil)
  }

  @Test("a check that takes too many steps refuses the value, and a pattern cannot explode")
  func limits() throws {
    let many = #"{"allOf":[\#((0..<300).map { _ in #"{"items":{"enum":[1,2,3]}}"# }.joined(separator: ","))]}"#
    let long = "[\(Array(repeating: "3", count: 30_000).joined(separator: ","))]"
    let error = #expect(throws: RemoraError.self) { try violation(many, long) }
    #expect(error?.code == .schema)
    let text = String(repeating: "a", count: 2000)
    #expect(try violation(#"{"pattern":"^(a|aa)+$"}"#, #""\#(text)b""#) == "the value violates #/pattern")
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    #expect(throws: RemoraError.self) { try violation(##"{"items":{"$ref":"#"}}"##, deep) }
  }

  @Test("a schema of a mebibyte, a deep one, and one with many parts are refused or work, and none takes long")
  func large() {
    #expect(problem(#"{"title":"\#(String(repeating: "a", count: 1 << 20))"}"#)?.contains("longer than") == true)
    let deep = String(repeating: #"{"not":"#, count: 200) + "true" + String(repeating: "}", count: 200)
    #expect(problem(deep) != nil)
    let wide = (0..<12_000).map { #""p\#($0)":true"# }.joined(separator: ",")
    #expect(problem(#"{"properties":{\#(wide)}}"#)?.contains("parts") == true)
  }
}
