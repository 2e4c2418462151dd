// SPDX-License-Identifier: Apache-2.0
//
// Values are examined 64 bytes at a time; pieces of a few bytes are examined one by one, and must give the same result.

import CSupport
import Testing

@testable import Remora

@Suite("The search for the end of a JSON value")
struct JSONScanTests {
  @Test("a block of 64 bytes is read alike with and without special instructions")
  func blocks() {
    let marks = Array("\"\\[]{},.".utf8) + [0, 32, 0xDB, 0xFB, 0xA2, 0xFF]
    for seed in 0..<200 {
      let bytes = (0..<64).map { place in
        let random = (seed &* 64 &+ place) &* 2_654_435_761 >> 7
        return random % 3 == 0 ? UInt8(truncatingIfNeeded: random >> 8) : marks[(random >> 4) % marks.count]
      }
      let (fast, plain) = bytes.withUnsafeBytes {
        (remora_json_block($0.baseAddress), remora_json_block_bytewise($0.baseAddress))
      }
      #expect(fast.quotes == plain.quotes && fast.backslashes == plain.backslashes)
      #expect(fast.opening == plain.opening && fast.closing == plain.closing)
      #expect(fast.commas == plain.commas && fast.points == plain.points)
    }
  }

  private struct Result: Equatable {
    var end: Int?
    var depth: Int
    var parts: Int
    var hasPoint: Bool
  }

  /// Scans bytes of which `piece` more arrive before each call.
  private static func scan(_ text: [UInt8], piece: Int) -> Result {
    var scan = JSONScan(at: 0)
    var (end, arrived) = (nil as Int?, 0)
    while end == nil, arrived < text.count {
      arrived = min(text.count, arrived + piece)
      end = text[..<arrived].withUnsafeBytes { scan.end(in: $0) }
    }
    return Result(end: end, depth: scan.depth, parts: scan.parts, hasPoint: scan.hasPoint)
  }

  @Test("a value has the same end, depth and parts, in one piece or in many", arguments: 0..<64)
  func pieces(shift: Int) {
    // The shift moves each byte over all positions of a block.
    let filler = String(repeating: "x", count: shift)
    for inner in [
      #""a":1"#, #""a":[1,2,{"b":3.5}],"c":{}"#, #""[{,.}]":"]},.{[""#, #""a\"]}":"\\","b":[[[[[]]]]]"#,
      #""a":"\\\\\\\\","b":"\\\"","c":[1.25]"#, #""ä€😀":["ä€😀","\u00e4"]"#,
      #""long":"\#(String(repeating: "y,]}", count: 40))","n":[\#(String(repeating: "1,", count: 90))2]"#,
    ] {
      let value = Array("{\"\(filler)\":0,\(inner)}".utf8)
      let text = value + Array(",\"next\":[1.5]}".utf8)
      let whole = Self.scan(text, piece: text.count)
      #expect(whole.end == value.count)
      for piece in [1, 3, 7, 63, 64, 65, 100] { #expect(Self.scan(text, piece: piece) == whole) }
    }
  }

  @Test("texts of random brackets, quotes and commas have the same end, in one piece or in many")
  func randomTexts() {
    var numbers = SeededGenerator(seed: 7)
    let alphabet = Array("[]{}\"\\,.:1a \n".utf8)
    for _ in 0..<3_000 {
      let count = Int.random(in: 1...300, using: &numbers)
      var text = (0..<count).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
      if Bool.random(using: &numbers) { text.removeAll { $0 == UInt8(ascii: "\\") } }
      text.insert(UInt8(ascii: "["), at: 0)
      let whole = Self.scan(text, piece: text.count)
      for piece in [1, 5, 64, 80] { #expect(Self.scan(text, piece: piece) == whole) }
    }
  }
}
