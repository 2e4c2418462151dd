// SPDX-License-Identifier: Apache-2.0
//
// Hostile expressions: nothing traps, nothing takes long, limits are errors.

import Testing

@testable import Remora

@Suite("Limits of filter expressions")
struct FilterLimitTests {
  @Test(
    "an expression can be nested at most 64 levels deep",
    arguments: [
      ("(", "1", ")"), ("[", "1", "]"), ("{a:", "1", "}"), ("1+(", "1", ")"), ("true?1:(", "1", ")"),
      ("a|keys(", "1", ")"),
      ("a[", "1", "]"), ("1?", "1", ":1"), ("a[.b[", "1", "]]"), ("1||1==1+1*1^(", "1", ")"), ("!(", "1", ")"),
    ])
  func depth(open: String, middle: String, close: String) throws {
    func nested(_ levels: Int) -> [UInt8] {
      Array((String(repeating: open, count: levels) + middle + String(repeating: close, count: levels)).utf8)
    }
    #expect(throws: Never.self) { try FilterParser.parse(nested(10)) }
    for levels in [65, 1500] {
      let error = #expect(throws: FilterError.self) { try FilterParser.parse(nested(levels)) }
      #expect(error?.isLimit == true, "\(error?.message ?? "")")
    }
  }

  @Test("thousands of unclosed brackets and an expression longer than 16 KiB are errors")
  func length() throws {
    for count in [1000, 16_000, 1_000_000] {
      #expect(throws: FilterError.self) { try FilterParser.parse([UInt8](repeating: UInt8(ascii: "("), count: count)) }
    }
    let longest = [UInt8](repeating: UInt8(ascii: " "), count: FilterLimits.length - 1) + [UInt8(ascii: "1")]
    #expect(throws: Never.self) { try FilterParser.parse(longest) }
    #expect(throws: FilterError.self) { try FilterParser.parse(longest + [UInt8(ascii: " ")]) }
  }

  @Test("a thousand operators in a row do not increase the nesting depth")
  func rows() {
    let row = { (piece: String, count: Int) in String(repeating: piece, count: count) }
    #expect(evaluate(row("1+", 1000) + "1") == "1001")
    #expect(evaluate(row("false||", 1000) + "true") == "true")
    #expect(evaluate(row("0?1:", 1000) + "2") == "2")
    #expect(evaluate(row("!", 1000) + "true") == "true")
    #expect(evaluate("env" + row(".a", 1000), #"{"env":{}}"#) == "null")
    #expect(evaluate("1" + row("|keys", 1000)) == "null")
    #expect(evaluate("[" + row("1,", 1000) + "]|length") == "1000")
  }

  @Test("if the left operand of || exceeds 100,000 evaluation steps, the whole expression fails")
  func steps() {
    let numbers = "[\((0..<1000).map(String.init).joined(separator: ","))]"
    let context = #"{"a":\#(numbers),"b":\#(numbers)}"#
    for expression in [
      "a intersect b", "a[.z || b[.x]|length == 1000]", "a[b == b && .z] || true",
      "b" + String(repeating: "|keys", count: 200),
    ] {
      let result = evaluate("(\(expression)) || true", context)
      #expect(result.hasPrefix("error: the expression takes more than"), "\(expression)")
    }
  }

  @Test("a string in an expression cannot be longer than 64 KiB")
  func strings() {
    let context = #"{"a":"\#(String(repeating: "x", count: 40_000))"}"#
    #expect(evaluate("a + a || true", context).hasPrefix("error: the result is a string"))
    #expect(evaluate("a in a", context) == "true")
  }

  @Test("random bytes, tokens and changed expressions never cause a crash", arguments: 0..<4)
  func fuzz(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "1", "0", ".5", "1e9", "-", "!", "(", ")", "[", "]", "{", "}", "a", "b", "env", ".", ".a", ",", ":", "?", "?:",
      "|", "||", "&&", "==",
      "!=", "<", ">=", "+", "*", "/", "//", "%", "^", " in ", " intersect ", "true", "null", "'x'", "\"y\"", "|length",
      "|keys", "|last",
      "|date", "|versionCompare('1')", "|stableSample(.5)", "|bucketSample(1,2,3)", "|regExpMatch('(a|b)*')",
      "|mapToProperty('a')",
      "|preferenceValue(1)", "[.a == 1]", "é", "\u{0}", "\\", "'", "\"",
    ]
    let context = #"{"a":[{"a":1},{"a":"x"}],"b":9007199254740993,"env":{"a":"text","b":null}}"#
    for _ in 0..<4000 {
      let count = Int.random(in: 1...40, using: &random)
      var bytes: [UInt8] = []
      if Bool.random(using: &random) {
        for _ in 0..<count { bytes += pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8 }
      } else {
        bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      guard let tree = try? FilterParser.parse(bytes) else { continue }
      let context = FilterContext(identifiers: (try? filterValue(context)) ?? .null)
      _ = try? FilterEvaluator.evaluate(tree, in: context)
    }
  }

  @Test("random regular expressions never cause a crash", arguments: 0..<2)
  func fuzzPatterns(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = Array("ab.*+?|()[]{}^$\\dwsbBxu0123,-:=!é\n").map { Array(String($0).utf8) }
    for _ in 0..<4000 {
      let pattern = (0..<Int.random(in: 1...20, using: &random)).flatMap { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }
      var budget = FilterBudget()
      guard let compiled = try? FilterPattern(pattern, flags: Array("ims".utf8)) else { continue }
      _ = try? compiled.match(Array("abba\n01 é-xyz".utf8), &budget)
    }
  }
}
