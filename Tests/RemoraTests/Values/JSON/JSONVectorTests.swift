// SPDX-License-Identifier: Apache-2.0
//
// Other projects' JSON documents: what is JSON, and what its canonical form is.

import CJansson
import Glibc
import Testing

@testable import Remora

@Suite("JSON test vectors", .vectors)
struct JSONVectorTests {
  private static let parsing = Vectors.names(in: "JSONTestSuite/test_parsing")

  /// Accepted by the grammar alone, and refused here on purpose: a name that comes twice has no one meaning, and a
  /// name with a NUL cannot be a C string.
  private static let refusedOnPurpose: Set = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json", "y_object_escaped_null_in_key.json",
  ]

  private func isAccepted(_ file: String) throws -> Bool {
    let bytes = try #require(Vectors.bytes("JSONTestSuite/\(file)"))
    return code { try parse(bytes) } == nil
  }

  @Test("the vector folders have at least 318 files for parsing and 22 files for the canonical form")
  func complete() {
    #expect(Self.parsing.count >= 318)
    #expect(Vectors.names(in: "JSONTestSuite/test_transform").count == 22)
  }

  @Test("each test vector that is not JSON is refused", arguments: parsing.filter { $0.hasPrefix("n_") })
  func refused(name: String) throws {
    #expect(try !isAccepted("test_parsing/\(name)"))
  }

  @Test(
    "each test vector that is valid JSON is accepted, except for those that are refused on purpose",
    arguments: parsing.filter { $0.hasPrefix("y_") })
  func accepted(name: String) throws {
    #expect(try isAccepted("test_parsing/\(name)") == !Self.refusedOnPurpose.contains(name))
  }

  @Test("a test vector that parsers may accept or refuse never causes a crash")
  func either() throws {
    for name in Self.parsing where name.hasPrefix("i_") { _ = try isAccepted("test_parsing/\(name)") }
    for name in Vectors.names(in: "JSONTestSuite/test_transform") {
      guard try isAccepted("test_transform/\(name)") else { continue }
      _ = try canonical(Vectors.text("JSONTestSuite/test_transform/\(name)"))
    }
  }

  /// One input of the canonical form.
  struct Row: Sendable, CustomTestStringConvertible {
    let input: String
    /// nil when the reference refuses it.
    let expected: String?
    var testDescription: String { String(input.prefix(60)) }

    static let all: [Row] = {
      guard let rows = json_load_file(Vectors.path("canonicaljson-mozilla/rows.json"), 0, nil) else { return [] }
      defer { json_decref(rows) }
      return (0..<json_array_size(rows)).compactMap { index in
        let row = json_array_get(rows, index)
        return string(json_object_get(row, "input")).map { input in
          Row(input: input, expected: string(json_object_get(row, "expected")))
        }
      }
    }()
  }

  @Test("the vector file has 91 texts for canonical JSON")
  func rows() { #expect(Row.all.count == 91) }

  @Test(
    "each canonical JSON vector has the text of the reference signer, byte for byte, or is refused", arguments: Row.all)
  func canonicalForm(row: Row) throws {
    // The reference signs integers up to 64 bits without a sign; here they end at 63 bits.
    guard row.input != "18446744073709551615", let expected = row.expected else {
      return #expect(code { _ = try canonical(row.input) } == .parse)
    }
    #expect(try canonical(row.input) == expected)
  }

  @Test("the signed text of a collection equals that of the reference signer")
  func payloads() throws {
    let file = Vectors.path("canonicaljson-mozilla/collection_payloads.json")
    let cases = try #require(json_load_file(file, 0, nil))
    defer { json_decref(cases) }
    #expect(json_array_size(cases) == 4)
    for index in 0..<json_array_size(cases) {
      let payload = json_array_get(cases, index)
      let list = json_object_get(payload, "records")
      let records = (0..<json_array_size(list)).compactMap { json_array_get(list, $0) }
        .filter { json_object_get($0, "deleted") == nil }
        .sorted { string(json_object_get($0, "id")) ?? "" < string(json_object_get($1, "id")) ?? "" }
      let data = try records.map { try canonical(dumped($0)) }.joined(separator: ",")
      let timestamp = try #require(string(json_object_get(payload, "timestamp")))
      #expect(#"{"data":[\#(data)],"last_modified":"\#(timestamp)"}"# == string(json_object_get(payload, "expected")))
    }
  }

  @Test("the canonical text of a recorded collection response equals that of the reference signer")
  func changeset() throws {
    let text = try canonical(Vectors.text("canonicaljson-mozilla/search-config-v2.changeset.json"))
    #expect(text == Vectors.text("canonicaljson-mozilla/search-config-v2.changeset.canonical.json"))
  }
}

private func string(_ json: UnsafeMutablePointer<json_t>?) -> String? {
  json_string_value(json).map {
    String(decoding: UnsafeRawBufferPointer(start: $0, count: json_string_length(json)), as: UTF8.self)
  }
}

/// jansson's own text of a value.
private func dumped(_ json: UnsafeMutablePointer<json_t>) -> String {
  guard let text = json_dumps(json, size_t(0x200)) else { return "" }
  let copy = String(cString: text)
  // Made by the default allocator, which nobody replaces.
  free(text)
  return copy
}
