// SPDX-License-Identifier: Apache-2.0
//
// What counts as JSON here, and what is refused with which words.

import Testing

@testable import Remora

@Suite("JSON documents")
struct JSONCursorTests {
  @Test(
    "a document that is not JSON is refused",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "123abc", "tru", "\"\\ud800\"", "\u{FEFF}1", "1 2", "[1 2]", "{\"a\" 1}",
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

  @Test("brackets inside strings do not count as nesting")
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

/// Reads one whole document, as the decoders do.
func parse(_ bytes: [UInt8]) throws {
  try bytes.withBytes { bytes throws(RemoraError) in
    var cursor = try JSONCursor(bytes, name: "the test document")
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      try cursor.object { (_, cursor) throws(RemoraError) in _ = try cursor.value() }
    } else {
      _ = try cursor.value()
    }
    try cursor.end()
  }
}

func parse(_ text: String) throws { try parse(Array(text.utf8)) }
