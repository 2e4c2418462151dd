// SPDX-License-Identifier: Apache-2.0
//
// Numbers, equality and hashes as JSON Schema defines them: 1 and 1.0 are the same value.

extension Value {
  var isNumber: Bool { type == .int || type == .double }

  /// The number, or the double nearest to it; 0 for another value.
  var approximate: Double { double ?? int.map(Double.init) ?? 0 }

  /// The number of characters of a string.
  var length: Int { string.map(characterCount) ?? 0 }

  /// Compares two numbers exactly: negative if this one is below the other, 0 if they are equal.
  func compare(to other: Value) -> Int {
    switch (type, other.type) {
    case (.int, .int): order(int ?? 0, other.int ?? 0)
    case (.int, .double): -Self.compare(other.approximate, int ?? 0)
    case (.double, .int): Self.compare(approximate, other.int ?? 0)
    default: order(approximate, other.approximate)
    }
  }

  private static func compare(_ double: Double, _ integer: Int64) -> Int {
    guard let whole = Int64(exactly: double.rounded(.down)) else { return double < 0 ? -1 : 1 }
    return whole == integer ? (double == double.rounded(.down) ? 0 : 1) : order(whole, integer)
  }

  /// Whether this number is an integer times the other one, up to the error of doubles.
  func isMultiple(of other: Value) -> Bool {
    if let number = int, let divisor = other.int, divisor != 0 {
      return number.remainderReportingOverflow(dividingBy: divisor).partialValue == 0
    }
    let (number, divisor) = (approximate, other.approximate)
    let quotient = number / divisor
    guard quotient.isFinite else { return number.remainder(dividingBy: divisor) == 0 }
    return abs(quotient - quotient.rounded()) <= 1e-12 * max(1, abs(quotient))
  }

  /// Whether both are the same value for JSON Schema. `budget` counts the steps.
  func isEqualInSchema(to other: Value, _ budget: inout SchemaBudget) throws(SchemaLimit) -> Bool {
    try budget.spend()
    if isNumber, other.isNumber { return compare(to: other) == 0 }
    guard type == other.type, count == other.count else { return false }
    switch type {
    case .array:
      for index in 0..<count {
        guard let left = element(at: index), let right = other.element(at: index),
          try left.isEqualInSchema(to: right, &budget)
        else { return false }
      }
      return true
    case .object:
      for index in 0..<count {
        guard let left = member(at: index), let right = other.member(at: index),
          compareBytes(left.name, right.name) == 0,
          try left.value.isEqualInSchema(to: right.value, &budget)
        else { return false }
      }
      return true
    default: return isEqual(to: other)
    }
  }

  /// Adds the value to a hash, in the same way for values that are the same.
  func hash(into hasher: inout Hasher, _ budget: inout SchemaBudget) throws(SchemaLimit) {
    try budget.spend()
    switch type {
    case .null: hasher.combine(0)
    case .bool: hasher.combine(bool)
    case .int, .double: if let double { hasher.combine(double) } else { hasher.combine(int) }
    case .string: string.map { hasher.combine(bytes: $0) }
    case .array:
      hasher.combine(count)
      for index in 0..<count { try element(at: index)?.hash(into: &hasher, &budget) }
    case .object:
      hasher.combine(count)
      for index in 0..<count {
        guard let (name, value) = member(at: index) else { continue }
        hasher.combine(bytes: name)
        try value.hash(into: &hasher, &budget)
      }
    }
  }
}

/// Returns the number of characters (Unicode scalars) of UTF-8.
func characterCount(_ text: UnsafeRawBufferPointer) -> Int { text.reduce(0) { $0 &+ ($1 & 0xC0 == 0x80 ? 0 : 1) } }

private func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
  left < right ? -1 : left == right ? 0 : 1
}
