// SPDX-License-Identifier: Apache-2.0
//
// What counts as JSON here, what is refused with which words, and that it does not matter in which pieces it arrives.

import Testing

@testable import Remora

@Suite("JSON documents")
struct JSONReaderTests {
  @Test(
    "a document that is not JSON is refused",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "123abc", "tru", "\"\\ud800\"", "1 2", "[1 2]", "{\"a\" 1}",
      "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"b\":2}}", "{\"a\\u0000\":1}", "{a:1}",
      "9223372036854775808", "-9223372036854775809", "1E400", "[1}", "nul", "\"a\u{01}\"",
    ])
  func refused(json: String) {
    #expect(throws: RemoraError.self) { try parse(json) }
  }

  @Test("a document with 64 levels is parsed, and a deeper one is refused before it is parsed")
  func depth() throws {
    try parse(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    #expect(throws: RemoraError(.parse, "the test document is nested deeper than 64 levels")) { try parse(deep) }
    #expect(throws: RemoraError.self) { try parse(String(repeating: "[", count: 10_000_000)) }
  }

  @Test("brackets inside strings do not increase the nesting depth")
  func bracketsInStrings() throws {
    try parse("\"" + String(repeating: "[", count: 100) + "\\\"[\"")
    for before in 0..<18 {
      let text = String(repeating: "a", count: before) + "\\\"\\\\" + String(repeating: "[", count: 80)
      try parse("[\"\(text)\",\"\(text)\"]")
    }
  }

  @Test("a document that is truncated at any byte is refused")
  func truncated() {
    let document = #"{"a":[1,2.5,"x\u00e9",null,true],"b":{"c":{}}}"#
    for length in 0..<document.utf8.count {
      #expect(throws: RemoraError.self) { try parse(Array(document.utf8.prefix(length))) }
    }
  }

  @Test(
    "an error about an empty or truncated document says so",
    arguments: [
      ("", "the test document is empty"), (" \n", "the test document contains only white space"),
      (
        "{\"a\":1",
        "the test document is incomplete JSON: it ends at byte 6, where a comma or a closing brace was expected"
      ),
      ("{\"a\":", "the test document is incomplete JSON: it ends at byte 5, where a value was expected"),
    ])
  func truncationWords(json: String, words: String) {
    let error = #expect(throws: RemoraError.self) { try parse(json) }
    #expect(error?.message == words)
  }

  @Test("an error about a member name quotes at most 200 bytes of it, and no control characters")
  func longName() {
    let name = "\\n" + String(repeating: "a", count: 10_000)
    let error = #expect(throws: RemoraError.self) { try parse("{\"\(name)\":1,\"\(name)\":2}") }
    let shown = "\\u{a}" + String(repeating: "a", count: 199)
    #expect(error?.message == "the test document has the member \(shown) twice")
  }

  @Test("a document with invalid UTF-8 is refused")
  func invalidUTF8() {
    for bytes in [[0x22, 0xC3, 0x28, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22]] as [[UInt8]] {
      #expect(throws: RemoraError.self) { try parse(bytes) }
    }
  }

  @Test("an error about invalid JSON names the document and the position, and never quotes the document")
  func words() {
    #expect {
      try parse("{\"secret\": hunter2}")
    } throws: { error in
      guard let error = error as? RemoraError else { return false }
      return error.code == .parse && error.message.hasPrefix("the test document is not JSON at byte ")
        && !error.message.contains("hunter")
    }
  }
}

/// Documents of which every piece is tried: each kind of value, of delimiter and of space, and each kind of error.
private let documents = [
  #" { "a\u00e9\"\\" : [ 1 , -2.5e3 ,"x\\\"]}" , null,true , {"b":[[ ]],"c":{}} ] , "n":12 , "e":[], "o":{} , "s":"\\\\" } "#,
  "[[1,2],[],{\"a\":{}},\"[\",3 ]", "17", "\"\\\"]\" ", "true", "{}", "[]", "{\"a\":1,\"a\":2}", "[1,]", "{\"a\" 1}",
  "{\"a\":tru}", "[1 2]", "1 2", "{\"a\":[1,2}", "[}", "{]", "{\"a\":}", "{\"a\":01}", "\u{FEFF}{\"a\":1}", "\u{FEFF}",
  "",
  "{\"a\\u0000\":1}", "{a:1}", "[\"a\u{01}\"]",
]

extension JSONReaderTests {
  @Test("a document that arrives in pieces is read as if it had arrived at once", arguments: documents)
  func pieces(document: String) throws {
    let bytes = Array(document.utf8)
    let expected = Result { try visits(bytes, in: [bytes.count]) }
    // Every piece ends once at every byte, alone and after each other byte.
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let found = Result { try visits(bytes, in: [first, second, bytes.count]) }
        switch (expected, found) {
        case (.success(let expected), .success(let found)): #expect(found == expected)
        case (.failure(let expected), .failure(let found)):
          #expect((found as? RemoraError)?.message == (expected as? RemoraError)?.message)
        default: Issue.record("pieces up to \(first) and \(second): \(found) instead of \(expected)")
        }
      }
    }
  }

  @Test("a value is processed as soon as its last byte has arrived, and a number when the next delimiter has arrived")
  func early() throws {
    var visitor = Visits()
    var reader = JSONReader(name: "the test document")
    for (text, count) in [
      ("{\"a\":[{\"b\":1", 0), ("{\"a\":[{\"b\":1}", 1), ("{\"a\":[{\"b\":1},2", 1), ("{\"a\":[{\"b\":1},2]", 2),
    ] {
      try Array(text.utf8).withBytes { bytes throws(RemoraError) in
        try reader.read(DocumentText(bytes), isWhole: false, &visitor)
      }
      #expect(visitor.all.count == count)
    }
  }

  @Test("a document with a value of more than 1,000,000 elements is refused before all of the document has arrived")
  func parts() throws {
    var visitor = Visits()
    var reader = JSONReader(name: "the test document")
    let text = "{\"a\":{\"b\":[" + String(repeating: "1,", count: 1_000_000)
    #expect {
      try Array(text.utf8).withBytes { bytes throws(RemoraError) in
        try reader.read(DocumentText(bytes), isWhole: false, &visitor)
      }
    } throws: {
      ($0 as? RemoraError)?.code == .tooLarge
    }
  }
}

/// Notes each value with its place, and enters arrays and objects of two levels.
private struct Visits: JSONVisitor {
  var all: [String] = []

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    switch place {
    case .document: true
    case .member(_, let level), .element(_, let level): level < 2
    }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    let text = try withCompiled(value) { value throws(RemoraError) in
      var text = ByteBuffer()
      try text.appendCanonical(value)
      return String(decoding: text.bytes, as: UTF8.self)
    }
    all.append("\(place): \(text)")
  }
}

/// Returns the values of a document that arrives in pieces with these ends.
private func visits(_ bytes: [UInt8], in ends: [Int]) throws -> [String] {
  var visitor = Visits()
  var reader = JSONReader(name: "the test document")
  // A byte order mark never arrives in two pieces.
  for end in ends where end == bytes.count || end >= 3 {
    try Array(bytes[..<end]).withBytes { piece throws(RemoraError) in
      try reader.read(DocumentText(piece), isWhole: end == bytes.count, &visitor)
    }
  }
  return visitor.all
}

/// Enters the document only, and counts its members.
///
/// With a property, because ThreadSanitizer reports data races of values without one: they share an address.
private struct MembersOnly: JSONVisitor {
  private(set) var count = 0

  func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    if case .document = place { type == .object } else { false }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) { count += 1 }
}

/// Reads one whole document, as the decoders do.
func parse(_ bytes: [UInt8]) throws {
  try bytes.withBytes { bytes throws(RemoraError) in
    var visitor = MembersOnly()
    try JSONReader.read(bytes, named: "the test document", &visitor)
  }
}

func parse(_ text: String) throws { try parse(Array(text.utf8)) }
