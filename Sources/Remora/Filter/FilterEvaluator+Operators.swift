// SPDX-License-Identifier: Apache-2.0
//
// Operators between two values, as in jexl-rs: values are not converted, and most combinations of types are errors.

internal import Glibc

/// Numbers that differ by less than this are equal.
private let tolerance = 0.000001

extension FilterEvaluator {
  /// Applies an operator that needs both of its operands.
  ///
  /// - Throws: If the operator is not defined for values of these types.
  mutating func apply(
    _ operation: FilterOperator, _ left: FilterValue, _ right: FilterValue
  ) throws(FilterError) -> FilterValue {
    switch operation {
    case .equal: return .bool(try areEqual(left, right))
    case .notEqual: return .bool(!(try areEqual(left, right)))
    case .intersect: return try intersection(left, right)
    default: break
    }
    if let left = left.number, let right = right.number { return numeric(operation, left, right) }
    if case .string(let left) = left, case .string(let right) = right,
      let value = try textual(operation, left, right)
    {
      return value
    }
    if operation == .isIn, case .array(let items) = right { return .bool(try contains(items, left)) }
    if operation == .isIn, case .string(let name) = left, case .object = right {
      return .bool(right.member(name) != nil)
    }
    throw FilterError("\(operation.name) cannot be applied to \(left.typeName) and \(right.typeName)")
  }

  private func numeric(_ operation: FilterOperator, _ left: Double, _ right: Double) -> FilterValue {
    switch operation {
    case .add: FilterValue(finite: left + right)
    case .subtract: FilterValue(finite: left - right)
    case .multiply: FilterValue(finite: left * right)
    case .divide: FilterValue(finite: left / right)
    case .floorDivide: FilterValue(finite: (left / right).rounded(.down))
    case .remainder: FilterValue(finite: fmod(left, right))
    case .power: FilterValue(finite: pow(left, right))
    case .less: .bool(left < right)
    case .lessOrEqual: .bool(left <= right)
    case .greater: .bool(left > right)
    case .greaterOrEqual: .bool(left >= right)
    case .isIn, .or, .and, .equal, .notEqual, .intersect: .bool(false)
    }
  }

  private mutating func textual(
    _ operation: FilterOperator, _ left: [UInt8], _ right: [UInt8]
  ) throws(FilterError) -> FilterValue? {
    try budget.spend(bytes: left.count &+ right.count)
    switch operation {
    case .add:
      guard left.count &+ right.count <= FilterLimits.stringLength else {
        throw FilterError("the result is a string of more than \(FilterLimits.stringLength) bytes", isLimit: true)
      }
      return .string(left + right)
    case .isIn: return .bool(isFound(left, in: right))
    case .less: return .bool(left.lexicographicallyPrecedes(right))
    case .lessOrEqual: return .bool(!right.lexicographicallyPrecedes(left))
    case .greater: return .bool(right.lexicographicallyPrecedes(left))
    case .greaterOrEqual: return .bool(!left.lexicographicallyPrecedes(right))
    default: return nil
    }
  }

  /// Whether `==` holds: numbers are compared with the tolerance, other types by `isSame`.
  private mutating func areEqual(_ left: FilterValue, _ right: FilterValue) throws(FilterError) -> Bool {
    if let left = left.number, let right = right.number { return abs(left - right) < tolerance }
    return try isSame(left, right)
  }

  private mutating func contains(_ items: [FilterValue], _ wanted: FilterValue) throws(FilterError) -> Bool {
    for item in items where try isSame(item, wanted) { return true }
    return false
  }

  /// Whether two values inside arrays or objects are the same; unlike `==`, the reference implementation distinguishes
  /// an integer from a number there.
  private mutating func isSame(_ left: FilterValue, _ right: FilterValue) throws(FilterError) -> Bool {
    try budget.spend()
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.int(let left), .int(let right)): return left == right
    case (.number(let left), .number(let right)): return left == right
    case (.string(let left), .string(let right)):
      try budget.spend(bytes: min(left.count, right.count))
      return left == right
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return false }
      for (left, right) in zip(left, right) where !(try isSame(left, right)) { return false }
      return true
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      for (left, right) in zip(left, right) {
        guard left.name == right.name, try isSame(left.value, right.value) else { return false }
      }
      return true
    default: return false
    }
  }

  /// Returns the elements that both arrays have, in the order of the left one; null unless both are arrays. An operator
  /// of Firefox, which compares numbers by value.
  private mutating func intersection(
    _ left: FilterValue, _ right: FilterValue
  ) throws(FilterError) -> FilterValue {
    guard case .array(let items) = left, case .array(let others) = right else { return .null }
    var common: [FilterValue] = []
    for item in items {
      for other in others {
        let isCommon: Bool
        if let number = item.number, let otherNumber = other.number {
          try budget.spend()
          isCommon = number == otherNumber
        } else {
          isCommon = try isSame(item, other)
        }
        if isCommon {
          common.append(item)
          break
        }
      }
    }
    return .array(common)
  }
}

/// Whether `piece` occurs in `text`, by the Knuth-Morris-Pratt algorithm: the time is linear for any input.
private func isFound(_ piece: [UInt8], in text: [UInt8]) -> Bool {
  guard !piece.isEmpty else { return true }
  var borders = [Int](repeating: 0, count: piece.count)
  var matched = 0
  for index in 1..<piece.count {
    while matched > 0, piece[index] != piece[matched] { matched = borders[matched &- 1] }
    if piece[index] == piece[matched] { matched &+= 1 }
    borders[index] = matched
  }
  matched = 0
  for byte in text {
    while matched > 0, byte != piece[matched] { matched = borders[matched &- 1] }
    if byte == piece[matched] { matched &+= 1 }
    if matched == piece.count { return true }
  }
  return false
}
