// SPDX-License-Identifier: Apache-2.0
//
// Parses the patterns of regExpMatch. The nesting of groups is limited as that of expressions.

struct PatternParser {
  private let text: [UInt32]
  private var position = 0
  private var depth = 0
  private let dot: ScalarSet
  /// The number of capturing groups so far.
  private(set) var groups = 0

  /// The name of the pattern in messages.
  private let name: String

  init(_ pattern: [UInt8], called name: String, dotTakesLineEnds: Bool) {
    self.name = name
    text = String(decoding: pattern, as: UTF8.self).unicodeScalars.map(\.value)
    dot = dotTakesLineEnds ? ScalarSet().inverted : ScalarSet.lineEnds.inverted
  }

  mutating func parse() throws(FilterError) -> PatternNode {
    let node = try choice()
    guard position == text.count else { throw wrong("a closing parenthesis without an opening one") }
    return node
  }

  private mutating func choice() throws(FilterError) -> PatternNode {
    depth &+= 1
    guard depth <= FilterLimits.depth else {
      throw FilterError("\(name) is nested too deep", isLimit: true)
    }
    var choices = [try sequence()]
    while take("|") { choices.append(try sequence()) }
    depth &-= 1
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func sequence() throws(FilterError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let next = peek, next != "|", next != ")" { nodes.append(try quantified()) }
    return .sequence(nodes)
  }

  private mutating func quantified() throws(FilterError) -> PatternNode {
    let node = try atom()
    let least: Int
    let most: Int?
    switch peek {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{":
      guard let counts = try counts() else { return node }
      (least, most) = counts
      // `counts` has passed the brace. The step below passes the last character of any quantifier.
      position &-= 1
    default: return node
    }
    position &+= 1
    if case .assertion = node { throw wrong("a repetition of nothing") }
    let isGreedy = !take("?")
    return .repeated(node, least: least, most: most, isGreedy: isGreedy)
  }

  /// Parses `{2}`, `{2,}` or `{2,5}`; nil if the brace is literal.
  private mutating func counts() throws(FilterError) -> (Int, Int?)? {
    let start = position
    position &+= 1
    guard let least = number() else {
      position = start
      return nil
    }
    var most: Int? = least
    if take(",") { most = number() }
    guard take("}") else {
      position = start
      return nil
    }
    guard most ?? least >= least else { throw wrong("a repetition whose numbers are out of order") }
    return (least, most)
  }

  /// Parses a number of at most four digits; a program has no room for more repetitions.
  private mutating func number() -> Int? {
    var number: Int?
    while let scalar = peek, let digit = digit(of: scalar, radix: 10), number ?? 0 < 10_000 {
      number = (number ?? 0) &* 10 &+ Int(digit)
      position &+= 1
    }
    return number
  }

  private mutating func atom() throws(FilterError) -> PatternNode {
    guard let scalar = advance() else { throw wrong("an unexpected end") }
    switch scalar {
    case ".": return .set(dot)
    case "^": return .assertion(.start)
    case "$": return .assertion(.end)
    case "(": return try group()
    case "[": return .set(try set())
    case "\\": return try escape()
    case "*", "+", "?": throw wrong("a repetition of nothing")
    case "{":
      // `counts` begins at the brace, which `advance` has passed. If the brace is literal, `counts` returns to it.
      position &-= 1
      guard try counts() == nil else { throw wrong("a repetition of nothing") }
      position &+= 1
      return literal(scalar)
    default: return literal(scalar)
    }
  }

  private mutating func group() throws(FilterError) -> PatternNode {
    var capture: Int?
    if take("?") {
      guard take(":") else { throw wrong("a group that is not supported; only ( and (?: are") }
    } else {
      groups &+= 1
      capture = groups
    }
    let inner = try choice()
    guard take(")") else { throw wrong("a group without a closing parenthesis") }
    return .group(inner, capture: capture)
  }

  private mutating func escape() throws(FilterError) -> PatternNode {
    switch peek {
    case "b":
      position &+= 1
      return .assertion(.wordBoundary)
    case "B":
      position &+= 1
      return .assertion(.noWordBoundary)
    default: return .set(try escapedSet())
    }
  }

  /// Parses the text after a backslash, inside or outside of a set.
  private mutating func escapedSet() throws(FilterError) -> ScalarSet {
    guard let scalar = advance() else { throw wrong("an unexpected end") }
    switch scalar {
    case "d": return .digits
    case "D": return .digits.inverted
    case "w": return .word
    case "W": return .word.inverted
    case "s": return .space
    case "S": return .space.inverted
    case "n": return one(0x0A)
    case "r": return one(0x0D)
    case "t": return one(0x09)
    case "f": return one(0x0C)
    case "v": return one(0x0B)
    case "0": return one(0)
    case "x": return one(try hexadecimal(digits: 2))
    case "u": return one(try hexadecimal(digits: 4))
    case "1"..."9", "a"..."z", "A"..."Z": throw wrong("an escape that is not supported")
    default: return one(scalar.value)
    }
  }

  private mutating func set() throws(FilterError) -> ScalarSet {
    var set = ScalarSet()
    let isNegated = take("^")
    while !take("]") {
      let first = try setItem()
      guard let low = first.single, peek == "-", position &+ 1 < text.count, text[position &+ 1] != 0x5D else {
        set = try union(set, first)
        continue
      }
      position &+= 1
      guard let high = try setItem().single, low <= high else { throw wrong("a range that is out of order") }
      set.ranges.append(low...high)
    }
    set.isNegated = isNegated
    return set
  }

  private mutating func setItem() throws(FilterError) -> ScalarSet {
    guard let scalar = advance() else { throw wrong("a set without a closing bracket") }
    guard scalar == "\\" else { return one(scalar.value) }
    if take("b") { return one(0x08) }
    return try escapedSet()
  }

  /// Returns the union of two sets; of a negated set, the gaps between its ranges.
  private func union(_ left: ScalarSet, _ right: ScalarSet) throws(FilterError) -> ScalarSet {
    var result = left
    guard right.isNegated else {
      result.ranges += right.ranges
      return result
    }
    var next: UInt32 = 0
    for range in right.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if next < range.lowerBound { result.ranges.append(next...range.lowerBound &- 1) }
      next = range.upperBound &+ 1
    }
    result.ranges.append(next...0x10FFFF)
    return result
  }

  // MARK: Characters

  private var peek: Unicode.Scalar? { position < text.count ? Unicode.Scalar(text[position]) : nil }

  private mutating func advance() -> Unicode.Scalar? {
    guard let scalar = peek else { return nil }
    position &+= 1
    return scalar
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    position &+= 1
    return true
  }

  private mutating func hexadecimal(digits: Int) throws(FilterError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = advance().flatMap({ digit(of: $0, radix: 16) }) else { throw wrong("an escape without digits") }
      value = value << 4 | digit
    }
    return value
  }

  private func digit(of scalar: Unicode.Scalar, radix: UInt32) -> UInt32? {
    let digit: UInt32
    switch scalar {
    case "0"..."9": digit = scalar.value &- 0x30
    case "a"..."f": digit = scalar.value &- 0x61 &+ 10
    case "A"..."F": digit = scalar.value &- 0x41 &+ 10
    default: return nil
    }
    return digit < radix ? digit : nil
  }

  private func one(_ value: UInt32) -> ScalarSet { ScalarSet(ranges: [value...value]) }

  private func literal(_ scalar: Unicode.Scalar) -> PatternNode { .set(one(scalar.value)) }

  private func wrong(_ what: String) -> FilterError { FilterError("\(name) has \(what)") }
}

extension ScalarSet {
  /// The only character of the set; nil if it has several.
  fileprivate var single: UInt32? {
    guard !isNegated, ranges.count == 1, ranges[0].count == 1 else { return nil }
    return ranges[0].lowerBound
  }
}
