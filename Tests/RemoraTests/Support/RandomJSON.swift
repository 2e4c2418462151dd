// SPDX-License-Identifier: Apache-2.0
//
// Random JSON that is the same in every run of a seed.

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// JSON texts with everything that the grammar allows, in any spelling.
struct RandomJSON {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A number below a limit.
  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// Any value.
  mutating func value(depth: Int = 4) -> String {
    switch below(depth > 0 ? 9 : 6) {
    case 0: return ["null", "true", "false"][below(3)]
    case 1: return "\(Int64(bitPattern: random.next()) >> Int64(below(64)))"
    case 2: return "\(below(2) == 0 ? "-" : "")\(below(1000)).\(below(1_000_000))"
    case 3: return "\(below(10)).\(below(1000))\(["e", "E"][below(2)])\(["", "+", "-"][below(3)])\(below(300))"
    case 4, 5: return string()
    case 6: return array(depth: depth)
    default: return object(depth: depth)
    }
  }

  /// An object with distinct names.
  mutating func object(depth: Int = 4) -> String {
    var names: Set<String> = []
    let members = (0..<below(7)).compactMap { _ -> String? in
      let name = plainName()
      guard names.insert(name).inserted else { return nil }
      return "\(space())\"\(name)\"\(space()):\(space())\(value(depth: depth - 1))"
    }
    return "{\(space())\(members.joined(separator: ","))\(space())}"
  }

  private mutating func array(depth: Int) -> String {
    "[\((0..<below(6)).map { _ in space() + value(depth: depth - 1) }.joined(separator: ","))\(space())]"
  }

  /// A string in any mixture of plain characters and escapes.
  private mutating func string() -> String {
    let parts = (0..<below(12)).map { _ -> String in
      switch below(6) {
      case 0: return ["\\n", "\\t", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\r", "\\u0000", "\\u001F"][below(10)]
      case 1: return ["\\u00e9", "\\u4E2D", "\\uD83D\\uDE00", "\\u2028", "\\uffff", "\\u007f"][below(6)]
      case 2: return ["é", "中", "😀", "\u{2028}", "\u{10FFFF}", "\u{7F}"][below(6)]
      default: return ["a", "Z", "0", " ", "{", "]", ",", "'"][below(8)]
      }
    }
    return "\"\(parts.joined())\""
  }

  private mutating func plainName() -> String {
    (0..<below(5)).map { _ in ["a", "b", "A", "1", "é", "😀", "\u{FFEE}", "_"][below(8)] }.joined()
  }

  private mutating func space() -> String { ["", "", "", " ", "\n", "\t", "\r\n"][below(7)] }
}
