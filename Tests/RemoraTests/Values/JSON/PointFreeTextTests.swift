// SPDX-License-Identifier: Apache-2.0
//
// Numbers reach jansson without decimal points, so that the locale of the host cannot change how they are read.

import CJansson
import Testing

@testable import Remora

@Suite("JSON numbers and the locale")
struct PointFreeTextTests {
  private func rewritten(_ text: String) throws -> String {
    try Array(text.utf8).withUnsafeBytes { bytes in
      let free = try PointFreeText(bytes, hasPoint: true)
      return String(decoding: free.bytes, as: UTF8.self)
    }
  }

  @Test(
    "a number with a decimal point is written with an exponent instead",
    arguments: [
      ("1.5", "15e-1"), ("-0.0", "-0e-1"), ("0.00", "0e-2"), ("0.25", "25e-2"), ("100.50", "10050e-2"),
      ("-12.34E+5", "-1234e3"), ("1.0e-7", "10e-8"), ("1e5", "1e5"), ("1E400", "1e400"), ("-7", "-7"), ("0", "0"),
      ("[0.5,10,{\"a.5\":\"1.5\\\"2.5\",\"b\":2.5}]", "[5e-1,10,{\"a.5\":\"1.5\\\"2.5\",\"b\":25e-1}]"),
    ])
  func points(text: String, expected: String) throws {
    #expect(try rewritten(text) == expected)
  }

  @Test(
    "a text that is not JSON is refused at the byte at which jansson refuses the original text",
    arguments: [
      "[1.25,1.]", "[1.25,01.5]", "[1.25,.5]", "[1.25,1.5e]", "[1.25,1.5.5]", "[1.25,1.5x]", "[1.25,-.5]",
      "[1.25,1.0e999,1]", "[1.25,\"a\u{1}\"]", "{\"a\":1.5,\"b\":tru}",
    ])
  func positions(text: String) {
    var refused = json_error_t()
    #expect(json_loadb(text, text.utf8.count, 0, &refused) == nil)
    let error = #expect(throws: RemoraError.self) { try parse(text) }
    #expect(error?.message.contains("at byte \(refused.position):") == true, "\(error?.message ?? "")")
  }

  @Test(
    "a number that is followed by other text at the end of a document is refused",
    arguments: ["1.5.5", "1e1.5", "true1.5", "1.5 2.5", "1.5-2.5", "00.5", "-01.5"])
  func rest(text: String) {
    #expect(throws: RemoraError.self) { try parse(text) }
  }

  @Test("a rewritten number has the value that Swift reads from the original text")
  func values() throws {
    var random = SeededGenerator(seed: 71)
    for _ in 0..<20_000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      let digits = "\(random.next() % 1000).\(random.next() % 100_000_000)e\(Int(random.next() % 600) - 300)"
      for text in ["\(double)", digits] {
        let read = try #require(Double(try rewritten(text)))
        #expect(read.bitPattern == Double(text)?.bitPattern, "\(text)")
      }
    }
  }
}
