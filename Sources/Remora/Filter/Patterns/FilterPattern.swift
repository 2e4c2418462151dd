// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of regExpMatch: JavaScript's, without look-around, back references and Unicode properties. A
// pattern is compiled to a short program; `FilterPatternMatch.swift` runs it.

/// One step of a compiled pattern.
enum PatternStep {
  /// Matches one character of the set.
  case take(ScalarSet)
  case assert(PatternAssertion)
  /// Stores the position as the beginning or the end of a group.
  case save(Int)
  /// Continues at the first step, and if that fails at the second.
  case split(Int, Int)
  case jump(Int)
  case match
}

/// A condition on a position.
enum PatternAssertion {
  case start, end
  case wordBoundary, noWordBoundary
}

/// A set of characters.
struct ScalarSet {
  var ranges: [ClosedRange<UInt32>] = []
  var isNegated = false

  func contains(_ scalar: UInt32) -> Bool { ranges.contains { $0.contains(scalar) } != isNegated }

  static let digits = ScalarSet(ranges: [0x30...0x39])
  static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let space = ScalarSet(ranges: [
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])
  static let lineEnds = ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])

  /// The characters that are not in the set.
  var inverted: ScalarSet { ScalarSet(ranges: ranges, isNegated: !isNegated) }
}

/// A compiled pattern.
package struct FilterPattern {
  let steps: [PatternStep]
  let groups: Int
  let ignoresCase: Bool
  let isMultiline: Bool

  /// - Throws: For invalid or unsupported syntax, and for patterns that are too long.
  package init(
    _ pattern: [UInt8], flags: [UInt8], called name: String = "the pattern of regExpMatch"
  ) throws(FilterError) {
    for flag in flags where !Array("imsu".utf8).contains(flag) {
      throw FilterError("regExpMatch supports only the flags i, m, s and u")
    }
    ignoresCase = flags.contains(UInt8(ascii: "i"))
    isMultiline = flags.contains(UInt8(ascii: "m"))
    var parser = PatternParser(pattern, called: name, dotTakesLineEnds: flags.contains(UInt8(ascii: "s")))
    let tree = try parser.parse()
    groups = parser.groups
    var compiler = PatternCompiler(name)
    try compiler.emit(.group(tree, capture: 0))
    try compiler.emit(.match)
    steps = compiler.steps
  }
}

/// A parsed pattern.
indirect enum PatternNode {
  case set(ScalarSet)
  case assertion(PatternAssertion)
  case sequence([PatternNode])
  case choice([PatternNode])
  case group(PatternNode, capture: Int?)
  case repeated(PatternNode, least: Int, most: Int?, isGreedy: Bool)
}

private struct PatternCompiler {
  /// The maximum length of a program, because counted repetitions multiply.
  private static let limit = 2000

  /// The name of the pattern in messages.
  private let name: String
  private(set) var steps: [PatternStep] = []
  /// The number of compiled nodes; counted separately, because repetitions of nothing produce no steps.
  private var nodes = 0

  init(_ name: String) { self.name = name }

  mutating func emit(_ step: PatternStep) throws(FilterError) {
    try require(steps.count < Self.limit)
    steps.append(step)
  }

  private func require(_ isShort: Bool) throws(FilterError) {
    guard isShort else { throw FilterError("\(name) is too long", isLimit: true) }
  }

  mutating func emit(_ node: PatternNode) throws(FilterError) {
    nodes &+= 1
    try require(nodes < Self.limit &* 4)
    switch node {
    case .set(let set): try emit(.take(set))
    case .assertion(let assertion): try emit(.assert(assertion))
    case .sequence(let nodes): for node in nodes { try emit(node) }
    case .choice(let nodes): try emit(choice: nodes)
    case .group(let node, let capture):
      if let capture { try emit(.save(capture &* 2)) }
      try emit(node)
      if let capture { try emit(.save(capture &* 2 &+ 1)) }
    case .repeated(let node, let least, let most, let isGreedy):
      for _ in 0..<least { try emit(node) }
      guard let most else { return try emit(loop: node, isGreedy) }
      var exits: [Int] = []
      for _ in least..<most {
        exits.append(steps.count)
        try emit(.jump(0))
        try emit(node)
      }
      for exit in exits { steps[exit] = split(exit &+ 1, steps.count, isGreedy) }
    }
  }

  private mutating func emit(loop node: PatternNode, _ isGreedy: Bool) throws(FilterError) {
    let start = steps.count
    try emit(.jump(0))
    try emit(node)
    try emit(.jump(start))
    steps[start] = split(start &+ 1, steps.count, isGreedy)
  }

  private mutating func emit(choice nodes: [PatternNode]) throws(FilterError) {
    var exits: [Int] = []
    for node in nodes.dropLast() {
      let start = steps.count
      try emit(.jump(0))
      try emit(node)
      exits.append(steps.count)
      try emit(.jump(0))
      steps[start] = .split(start &+ 1, steps.count)
    }
    if let last = nodes.last { try emit(last) }
    for exit in exits { steps[exit] = .jump(steps.count) }
  }

  private func split(_ body: Int, _ exit: Int, _ isGreedy: Bool) -> PatternStep {
    isGreedy ? .split(body, exit) : .split(exit, body)
  }
}
