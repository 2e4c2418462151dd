// SPDX-License-Identifier: Apache-2.0
//
// How much memory a body can cost: bytes of image and of the whole refresh per byte of body, and what is refused.

import CJansson
import CTestSupport
import Glibc
import Testing

@testable import Remora

@Suite("Memory limits for documents")
struct MemoryLimitTests {
  @Test(
    "a document with more than a million values is refused before it is parsed, with the limit in the error",
    .heavy, arguments: ["{}", "0"])
  func dense(item: String) throws {
    let items = [String](repeating: item, count: 1_000_001).joined(separator: ",")
    let problem = "the test document has more than 1000000 elements and members in the value at byte 5"
    #expect(throws: RemoraError(.tooLarge, problem)) { try parse("{\"a\":[\(items)]}") }
    // Behind one that is parsed, too.
    #expect(throws: RemoraError.self) { try parse("{\"b\":[0,{}],\"a\":[\(items)]}") }
  }

  @Test("a body of 16 MiB that would need a gigabyte of memory is refused before it is parsed", .forks, .memory)
  func worstBody() throws {
    let body = Array(("{\"a\":[" + String(repeating: "{},", count: 5_592_000) + "{}]}").utf8)
    let growth = try peakGrowth { (try? decodeSettings(body)) == nil }
    #expect(growth < 8 << 20)
  }

  @Test(
    "the memory for decoding a body stays below the limit that remora.h documents",
    .forks, .memory, arguments: DenseBody.allCases)
  func ceiling(shape: DenseBody) throws {
    let body = Array(shape.text.utf8)
    let growth = try peakGrowth { (try? decodeSettings(body)) != nil }
    #expect(growth <= 256 << 20 + 32 * body.count, "\(growth) bytes for a body of \(body.count)")
  }

  @Test(
    "the compiled binary form of a body has at most 16 bytes for each byte of the body",
    arguments: ["0", "{}", "[0]", "{\"\":0}", "\"\"", "[\"\"]", "\"\u{7F}\u{7F}\u{7F}\u{7F}\"", "0.1"])
  func imageSize(item: String) throws {
    let members = namedMembers(5000, item)
    for body in ["{\"a\":[\(repeated(item, 5000))]}", "{\"a\":{\(members)}}", "{\(members)}"] {
      let size = try makeImage(body).buffer.bytes.count
      #expect(size <= 16 * body.utf8.count + 1024, "\(size) bytes for a body of \(body.utf8.count)")
    }
  }

  @Test("a body with a hundred thousand ordinary records is accepted", .heavy)
  func ordinary() throws {
    let record =
      #"{"id":"%","last_modified":1700000000000,"enabled":true,"names":["one","two","three"],"rules":"#
      + #"{"platform":"linux","channel":"release","weight":0.25,"limits":[1,2,3]},"text":"a sentence of the usual length"}"#
    let parts = record.split(separator: "%").map(String.init)
    let records = (0..<100_000).map { "\(parts[0])\($0)\(parts[1])" }.joined(separator: ",")
    let body = Array(#"{"timestamp":1,"metadata":{},"changes":[\#(records)]}"#.utf8)
    #expect(body.count > 16 << 20)
    let document = try body.withBytes { bytes throws(RemoraError) in
      try decodeCollection(bytes, .changeset, named: "the changeset")
    }
    #expect(document.entries.count == 100_000)
  }

  @Test("a failed allocation inside the JSON parser is not reported as a parse error")
  func outOfMemory() throws {
    // Other threads get all that they ask for.
    json_set_alloc_funcs(test_limited_malloc, free)
    defer { json_set_alloc_funcs(malloc, free) }
    var failures = 0
    for allocations in 0..<60 {
      test_limit_allocations(Int64(allocations))
      let error = thrown { try parse(#"{"a":[1,2.5,"x",{"b":null},[]]}"#) }
      test_limit_allocations(-1)
      if let error {
        failures += 1
        #expect(error == RemoraError(.unavailable, "the test document cannot be parsed: no memory"))
      }
    }
    #expect(failures > 10)
    #expect(failures < 60)
    // An allocation that succeeds at the second attempt leaves the same errno.
    json_set_alloc_funcs(test_alarming_malloc, free)
    for text in ["17", #""a\"\\b\u0041\u00e9\u20ac\ud83d\ude00é""#, #"{"a\n":["","\u007f",{"b":"x"}],"c":1.5}"#] {
      #expect(throws: Never.self) { try parse(text) }
      #expect(throws: Never.self) { try parse(#"{"x":\#(text)}"#) }
    }
  }

  @Test("a parsed value that lacks a part of a string of its text is found")
  func incomplete() throws {
    for (text, shorter) in [(#""abc""#, #""ab""#), (#"{"a":["b"]}"#, #"{"a":[""]}"#), (#"{"ab":1}"#, #"{"a":1}"#)] {
      #expect(try isComplete(text, against: text))
      #expect(try !isComplete(shorter, against: text))
    }
  }

  private func isComplete(_ parsed: String, against text: String) throws -> Bool {
    try Array(parsed.utf8).withBytes { bytes throws(RemoraError) in
      let value = try ParsedJSON(text: bytes, named: "x")
      return Array(text.utf8).withUnsafeBytes { Remora.isComplete(value.json, parsedFrom: $0) }
    }
  }

  @Test("a JSON parser error that is caused by missing memory is distinguished from a syntax error")
  func words() {
    var error = json_error_t()
    #expect(parseFailure(error, at: 3, isOutOfMemory: false, "the body").code == .unavailable)
    withUnsafeMutableBytes(of: &error.text) { $0[0] = UInt8(ascii: "x") }
    #expect(parseFailure(error, at: 3, isOutOfMemory: true, "the body").code == .unavailable)
    #expect(
      parseFailure(error, at: 3, isOutOfMemory: false, "the body")
        == RemoraError(.parse, "the body is not JSON at byte 3: x"))
    withUnsafeMutableBytes(of: &error.text) { $0[$0.count - 1] = UInt8(json_error_out_of_memory.rawValue) }
    #expect(parseFailure(error, at: 3, isOutOfMemory: false, "the body").code == .unavailable)
  }
}

/// The bodies that cost most for each byte and are not refused.
enum DenseBody: CaseIterable {
  /// One value with as many parts as it may have.
  case objects, membersOfObjects, members
  /// Several of them.
  case numbers
  /// Many keys.
  case keys, keysOfObjects
  /// The character whose canonical text is longest.
  case deletes

  fileprivate var text: String {
    switch self {
    case .objects: "{\"a\":[\(repeated("{}", 499_990))]}"
    case .membersOfObjects: "{\"a\":[\(repeated("{\"\":{}}", 333_000))]}"
    case .members: "{\"a\":{\(namedMembers(990_000, "0"))}}"
    case .numbers: "{\(["a", "b", "c", "d"].map { "\"\($0)\":[\(repeated("0", 900_000))]" }.joined(separator: ","))}"
    case .keys: "{\(namedMembers(600_000, "0"))}"
    case .keysOfObjects: "{\(namedMembers(400_000, "{}"))}"
    case .deletes: "{\"a\":\"\(String(repeating: "\u{7F}", count: 4_000_000))\"}"
    }
  }
}

/// The most memory that a child needed for some work, beside what it had before.
private func peakGrowth(_ work: @escaping () -> Bool) throws -> Int {
  let temporary = try TemporaryDirectory()
  let status = inForkedChild {
    _ = test_peak_growth()
    guard work() else { return 1 }
    let growth = test_peak_growth()
    return (try? temporary.write("growth", Array(String(growth).utf8))) == nil ? 2 : 0
  }
  try #require(status == 0)
  let text = try #require(temporary.read("growth"))
  return try #require(Int(String(decoding: text, as: UTF8.self)))
}

/// Decodes and compiles a document of settings, as a refresh does. Returns the size of the image.
private func decodeSettings(_ body: [UInt8]) throws -> Int {
  var options = SettingsOptions()
  options.url = "https://settings.example/"
  let dialect = try options.dialect()
  let document = try body.withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }
  let metadata = ImageMetadata(identity: "test", version: 1, fetchedAtMs: 1)
  return try writeImage(metadata, entries: Draft(full: document).entries.lazy.map(ImageEntry.own)).buffer.bytes.count
}

private func repeated(_ item: String, _ count: Int) -> String {
  [String](repeating: item, count: count).joined(separator: ",")
}

private func namedMembers(_ count: Int, _ value: String) -> String {
  (0..<count).map { "\"\(String($0, radix: 36))\":\(value)" }.joined(separator: ",")
}

private func thrown(_ body: () throws -> Void) -> RemoraError? {
  do {
    try body()
    return nil
  } catch {
    return error as? RemoraError
  }
}
