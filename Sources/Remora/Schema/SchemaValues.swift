// SPDX-License-Identifier: Apache-2.0
//
// Numbers, equality and hashes as JSON Schema defines them: 1 and 1.0 are the same value.

/// A value as JSON Schema compares it.
struct SchemaValue {
  let value: Value

  init(_ value: Value) { self.value = value }

  var isNumber: Bool { value.type == .int || value.type == .double }

  /// The number, or the double nearest to it; 0 for another value.
  var approximate: Double { value.double ?? value.int.map(Double.init) ?? 0 }

  /// Compares two numbers exactly: negative if this one is below the other, 0 if they are equal.
  func compare(to other: SchemaValue) -> Int {
    switch (value.type, other.value.type) {
    case (.int, .int): order(value.int ?? 0, other.value.int ?? 0)
    case (.int, .double): -Self.compare(other.approximate, value.int ?? 0)
    case (.double, .int): Self.compare(approximate, other.value.int ?? 0)
    default: order(approximate, other.approximate)
    }
  }

  private static func compare(_ double: Double, _ integer: Int64) -> Int {
    guard let whole = Int64(exactly: double.rounded(.down)) else { return double < 0 ? -1 : 1 }
    return whole == integer ? (double == double.rounded(.down) ? 0 : 1) : order(whole, integer)
  }

  /// Whether this number is an integer times the other one, up to the error of doubles.
  func isMultiple(of other: SchemaValue) -> Bool {
    if let number = value.int, let divisor = other.value.int, divisor != 0 {
      return number.remainderReportingOverflow(dividingBy: divisor).partialValue == 0
    }
    let (number, divisor) = (approximate, other.approximate)
    let quotient = number / divisor
    guard quotient.isFinite else { return number.remainder(dividingBy: divisor) == 0 }
    return abs(quotient - quotient.rounded()) <= 1e-12 * max(1, abs(quotient))
  }

  /// Whether both are the same value for JSON Schema. `budget` counts the steps.
  func isSame(as other: SchemaValue, _ budget: inout SchemaBudget) throws(SchemaLimit) -> Bool {
    try budget.spend()
    if isNumber, other.isNumber { return compare(to: other) == 0 }
    guard value.type == other.value.type, value.count == other.value.count else { return false }
    switch value.type {
    case .array:
      for index in 0..<value.count {
        guard let left = value.element(at: index), let right = other.value.element(at: index),
          try SchemaValue(left).isSame(as: SchemaValue(right), &budget)
        else { return false }
      }
      return true
    case .object:
      for index in 0..<value.count {
        guard let left = value.member(at: index), let right = other.value.member(at: index),
          compareBytes(left.name, right.name) == 0,
          try SchemaValue(left.value).isSame(as: SchemaValue(right.value), &budget)
        else { return false }
      }
      return true
    default: return value.isEqual(to: other.value)
    }
  }

  /// Adds the value to a hash, in the same way for values that are the same.
  func hash(into hasher: inout Hasher, _ budget: inout SchemaBudget) throws(SchemaLimit) {
    try budget.spend()
    switch value.type {
    case .null: hasher.combine(0)
    case .bool: hasher.combine(value.bool)
    case .int, .double: if let double = value.double { hasher.combine(double) } else { hasher.combine(value.int) }
    case .string: if let string = value.string { hasher.combine(bytes: string) }
    case .array:
      hasher.combine(value.count)
      for index in 0..<value.count {
        if let element = value.element(at: index) { try SchemaValue(element).hash(into: &hasher, &budget) }
      }
    case .object:
      hasher.combine(value.count)
      for index in 0..<value.count {
        guard let (name, member) = value.member(at: index) else { continue }
        hasher.combine(bytes: name)
        try SchemaValue(member).hash(into: &hasher, &budget)
      }
    }
  }
}

/// Returns the number of characters (Unicode scalars) of UTF-8.
func characterCount(_ text: UnsafeRawBufferPointer) -> Int { text.reduce(0) { $0 &+ ($1 & 0xC0 == 0x80 ? 0 : 1) } }

private func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
  left < right ? -1 : left == right ? 0 : 1
}
