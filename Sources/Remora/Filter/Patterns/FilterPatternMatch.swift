// SPDX-License-Identifier: Apache-2.0
//
// Runs a compiled pattern with an explicit stack. No branch is tried twice at one position, because without back
// references it would fail again. So the work is at most the program's length times the text's, and is counted by the
// step limit.

extension FilterPattern {
  /// Returns the leftmost match and its groups, as JavaScript's `match` does: an array of strings, or null.
  package func match(_ text: [UInt8], _ budget: inout FilterBudget) throws(FilterError) -> FilterValue {
    try budget.spend(bytes: text.count)
    var run = PatternRun(self, text)
    for start in 0...run.scalars.count {
      if try run.isMatch(at: start, &budget) { return run.captures }
    }
    return .null
  }
}

extension FilterPattern {
  /// Whether the pattern matches a part of a text.
  package func isFound(in text: UnsafeRawBufferPointer, _ budget: inout FilterBudget) throws(FilterError) -> Bool {
    try budget.spend(bytes: text.count)
    var run = PatternRun(self, Array(text))
    for start in 0...run.scalars.count {
      if try run.isMatch(at: start, &budget) { return true }
    }
    return false
  }
}

/// One search.
private struct PatternRun {
  /// A point to backtrack to.
  private enum Choice {
    case branch(step: Int, position: Int)
    case restore(slot: Int, position: Int?)
  }

  private let pattern: FilterPattern
  let scalars: [UInt32]
  /// The positions of the groups' beginnings and ends.
  private var slots: [Int?]
  private var choices: [Choice] = []
  /// The branches that were tried, by step and position.
  private var tried: Set<Int> = []

  init(_ pattern: FilterPattern, _ text: [UInt8]) {
    self.pattern = pattern
    scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
    slots = Array(repeating: nil, count: (pattern.groups &+ 1) &* 2)
  }

  /// The text of the match and of each group; null for a group that did not take part.
  var captures: FilterValue {
    var texts: [FilterValue] = []
    for group in 0...pattern.groups {
      guard let start = slots[group &* 2], let end = slots[group &* 2 &+ 1], start <= end else {
        texts.append(.null)
        continue
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[start..<end].compactMap(Unicode.Scalar.init))
      texts.append(FilterValue(String(text)))
    }
    return .array(texts)
  }

  mutating func isMatch(at start: Int, _ budget: inout FilterBudget) throws(FilterError) -> Bool {
    var step = 0
    var position = start
    for slot in slots.indices { slots[slot] = nil }
    choices.removeAll(keepingCapacity: true)
    while true {
      try budget.spend()
      var isAlive = true
      switch pattern.steps[step] {
      case .match: return true
      case .jump(let target): step = target
      case .save(let slot):
        choices.append(.restore(slot: slot, position: slots[slot]))
        slots[slot] = position
        step &+= 1
      case .split(let first, let second):
        isAlive = tried.insert(position &* pattern.steps.count &+ step).inserted
        choices.append(.branch(step: second, position: position))
        if !isAlive { choices.removeLast() }
        step = first
      case .assert(let assertion):
        isAlive = holds(assertion, at: position)
        step &+= 1
      case .take(let set):
        isAlive = position < scalars.count && takes(set, scalars[position])
        position &+= 1
        step &+= 1
      }
      guard !isAlive else { continue }
      guard let choice = comeBack() else { return false }
      (step, position) = choice
    }
  }

  /// Restores what changed since the last branch, and returns that branch.
  private mutating func comeBack() -> (step: Int, position: Int)? {
    while let choice = choices.popLast() {
      switch choice {
      case .branch(let step, let position): return (step, position)
      case .restore(let slot, let position): slots[slot] = position
      }
    }
    return nil
  }

  private func takes(_ set: ScalarSet, _ scalar: UInt32) -> Bool {
    guard pattern.ignoresCase, let other = otherCase(of: scalar) else { return set.contains(scalar) }
    let isListed = set.ranges.contains { $0.contains(scalar) || $0.contains(other) }
    return isListed != set.isNegated
  }

  /// Returns the other case of an ASCII letter.
  private func otherCase(of scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x41...0x5A, 0x61...0x7A: scalar ^ 0x20
    default: nil
    }
  }

  private func holds(_ assertion: PatternAssertion, at position: Int) -> Bool {
    switch assertion {
    case .start: position == 0 || (pattern.isMultiline && ScalarSet.lineEnds.contains(scalars[position &- 1]))
    case .end: position == scalars.count || (pattern.isMultiline && ScalarSet.lineEnds.contains(scalars[position]))
    case .wordBoundary: isWord(at: position) != isWord(at: position &- 1)
    case .noWordBoundary: isWord(at: position) == isWord(at: position &- 1)
    }
  }

  private func isWord(at position: Int) -> Bool {
    position >= 0 && position < scalars.count && ScalarSet.word.contains(scalars[position])
  }
}
