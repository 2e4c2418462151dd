// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are no changeset, each with its fate; one bad record refuses the whole.

import Testing

@testable import Remora

@Suite("Decoding of collection responses")
struct CollectionDecoderTests {
  /// A body, and the code of its refusal or nil.
  struct Body: Sendable, CustomTestStringConvertible {
    let json: String
    let code: RemoraError.Code?
    var testDescription: String { String(json.prefix(100)) }

    init(_ json: String, _ code: RemoraError.Code?) { (self.json, self.code) = (json, code) }
  }

  /// A changeset with these changes.
  private static func changes(_ changes: String) -> String {
    #"{"changes":[\#(changes)],"timestamp":1,"metadata":{}}"#
  }

  private static func decode(_ bytes: [UInt8], _ shape: CollectionShape = .changeset) throws -> Document {
    try bytes.withBytes { (bytes) throws(RemoraError) in try decodeCollection(bytes, shape, named: "the changeset") }
  }

  private static let shapes: [Body] = [
    Body(changes(""), nil),
    Body(#"{"metadata":{},"timestamp":0,"changes":[],"more":[1]}"#, nil),
    Body("", .parse), Body(" \n", .parse), Body("<html><body>Sign in</body></html>", .parse), Body("null", .format),
    Body("[]", .format), Body("1", .format), Body("\"x\"", .format), Body("{}", .format),
    Body(#"{"changes":[],"timestamp":1}"#, .format), Body(#"{"changes":[],"metadata":{}}"#, .format),
    Body(#"{"timestamp":1,"metadata":{}}"#, .format), Body(#"{"changes":{},"timestamp":1,"metadata":{}}"#, .format),
    Body(#"{"changes":null,"timestamp":1,"metadata":{}}"#, .format),
    Body(#"{"changes":[],"timestamp":"1","metadata":{}}"#, .format),
    Body(#"{"changes":[],"timestamp":1.0,"metadata":{}}"#, .format),
    Body(#"{"changes":[],"timestamp":-1,"metadata":{}}"#, .format),
    Body(#"{"changes":[],"timestamp":null,"metadata":{}}"#, .format),
    Body(#"{"changes":[],"timestamp":9223372036854775808,"metadata":{}}"#, .parse),
    Body(#"{"changes":[],"timestamp":1,"metadata":[]}"#, .format),
    Body(#"{"changes":[],"timestamp":1,"metadata":null}"#, .format),
    Body(#"{"changes":[],"timestamp":1,"metadata":{}} x"#, .parse),
    Body(#"{"changes":[],"timestamp":1,"timestamp":1,"metadata":{}}"#, .parse),
    Body(#"{"changes":[],"changes":[],"timestamp":1,"metadata":{}}"#, .parse),
  ]

  private static let records: [Body] = [
    Body(changes(record("a", at: 1)), nil), Body(changes(record("a", "", at: -1)), nil),
    Body(changes("null"), .format), Body(changes("[]"), .format), Body(changes("\"a\""), .format),
    Body(changes("{}"), .format), Body(changes(#"{"last_modified":1}"#), .format),
    Body(changes(#"{"id":"","last_modified":1}"#), .format), Body(changes(#"{"id":1,"last_modified":1}"#), .format),
    Body(changes(#"{"id":null,"last_modified":1}"#), .format),
    Body(changes(#"{"id":"a\u0000b","last_modified":1}"#), .format),
    Body(changes(#"{"id":"a","last_modified":1,"x\u0000":1}"#), .parse),
    Body(changes(#"{"id":"a"}"#), .format), Body(changes(#"{"id":"a","last_modified":"1"}"#), .format),
    Body(changes(#"{"id":"a","last_modified":1.5}"#), .format),
    Body(changes(#"{"id":"a","last_modified":null}"#), .format),
    Body(changes(record("a", at: 1) + "," + record("a", at: 1)), .format),
    Body(changes(record("a", at: 1) + "," + record("b", at: 1) + "," + record("a", at: 2)), .format),
    Body(changes(record("a", at: 1) + #",{"id":"a","deleted":true}"#), .format),
    Body(changes(#"{"id":"a","deleted":true},{"id":"a","deleted":true}"#), .format),
    Body(changes(#"{"id":"a","deleted":true}"#), nil), Body(changes(#"{"deleted":true}"#), .format),
    Body(changes(#"{"id":"a","deleted":true,"last_modified":1}"#), nil),
    Body(changes(#"{"id":"a","deleted":1}"#), .format),
    Body(changes(#"{"id":"a","deleted":1,"last_modified":1}"#), nil),
    Body(changes(record(String(repeating: "k", count: 65_535), at: 1)), nil),
    Body(changes(record(String(repeating: "k", count: 65_536), at: 1)), .format),
    Body(changes(record("a", #""x":99999999999999999999"#, at: 1)), .parse),
  ]

  @Test(
    "valid response bodies of a collection are accepted, and each kind of invalid body has its own error",
    arguments: shapes + records)
  func fate(body: Body) throws {
    #expect(code { _ = try Self.decode(Array(body.json.utf8)) } == body.code)
  }

  @Test("a document with more than 64 levels is refused")
  func depth() throws {
    func nested(_ depth: Int) -> [UInt8] {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return Array(Self.changes(record("a", #""x":\#(value)"#, at: 1)).utf8)
    }
    // The document, its changes and the record are three levels.
    #expect(try Self.decode(nested(61)).entries.count == 1)
    #expect(code { _ = try Self.decode(nested(62)) } == .parse)
    #expect(code { _ = try Self.decode(nested(1_000_000)) } == .parse)
  }

  @Test("a response body that is truncated at any byte is refused by the decoder and by a refresh")
  func truncated() throws {
    let server = try SignedServer()
    server.put("a", #""x":["é",{"y":null}]"#, at: 1000)
    let body = try Array(server.changeset().body.utf8)
    for length in body.indices {
      let error = #expect(throws: RemoraError.self) { try Self.decode(Array(body[..<length])) }
      #expect(error?.code == .parse, "\(length)")
    }
    let half = HTTPResponse(status: 200, url: "", body: Array(body[..<(body.count / 2)]))
    #expect(try server.walk { $0.isChain ? nil : .success(half) }.outcome == "parse")
  }

  @Test("decoded records are sorted by the bytes of their ids, and deleted records are listed separately")
  func sorted() throws {
    let changes = ["b", "a", "é", "B", "aa"].map { record($0, at: 1) } + [#"{"id":"z","deleted":true}"#]
    let document = try Self.decode(Array(Self.changes(changes.joined(separator: ",")).utf8))
    #expect(document.entries.map { String(decoding: $0.key, as: UTF8.self) } == ["B", "a", "aa", "b", "é"])
    #expect(document.removed == [Array("z".utf8)])
  }

  @Test("packaged data (shipped with the program) must have records and a timestamp, and no deleted records")
  func packaged() throws {
    let dialect = try SignedServer().dialect()
    func compile(_ json: String) throws -> Image { try dialect.compile(.bytes(Array(json.utf8))).image }
    #expect(try keysOf(compile(#"{"data":[{"id":"a","last_modified":1}],"timestamp":5}"#)) == ["a"])
    #expect(code { _ = try compile(#"{"data":[{"id":"a","deleted":true}],"timestamp":5}"#) } == .format)
    #expect(code { _ = try compile(#"{"changes":[],"timestamp":5}"#) } == .format)
    #expect(code { _ = try compile(#"{"data":[]}"#) } == .format)
    #expect(code { _ = try dialect.compile(.file("/nowhere/at/all")) } == .storage)
    #expect(code { _ = try dialect.compile(.file("/")) } == .storage)
  }
}
