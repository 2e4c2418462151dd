// SPDX-License-Identifier: Apache-2.0
//
// The values of expressions. Text is UTF-8 and compared by its bytes, which is the order of code points.
// Invariant: numbers are finite; members of an object are sorted by the bytes of their names, each name once.

/// A value during the evaluation of an expression.
package enum FilterValue: Sendable {
  case null
  case bool(Bool)
  /// An integer of the context. Numbers in an expression and computed numbers are `number`.
  case int(Int64)
  case number(Double)
  case string([UInt8])
  case array([FilterValue])
  case object([FilterMember])
}

package struct FilterMember: Sendable {
  package let name: [UInt8]
  package let value: FilterValue

  package init(_ name: [UInt8], _ value: FilterValue) {
    self.name = name
    self.value = value
  }
}

extension FilterValue {
  /// Creates the result of arithmetic: null if the number is not finite, as in the reference implementation.
  package init(finite number: Double) { self = number.isFinite ? .number(number) : .null }

  package init(_ text: String) { self = .string(Array(text.utf8)) }

  /// The number, if it is one.
  package var number: Double? {
    switch self {
    case .int(let int): Double(int)
    case .number(let number): number
    default: nil
    }
  }

  /// Whether `!`, `&&`, `||` and `?:` count it as true.
  package var isTruthy: Bool {
    switch self {
    case .null: false
    case .bool(let bool): bool
    case .int(let int): int != 0
    case .number(let number): number != 0
    case .string(let bytes): !bytes.isEmpty
    case .array, .object: true
    }
  }

  /// The type's name in messages, with its article.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .int, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The member of that name, if this is an object that has one.
  package func member(_ name: [UInt8]) -> FilterValue? {
    guard case .object(let members) = self else { return nil }
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low &+ high) / 2
      if members[middle].name.lexicographicallyPrecedes(name) { low = middle &+ 1 } else { high = middle }
    }
    return low < members.count && members[low].name == name ? members[low].value : nil
  }
}

extension FilterValue {
  /// Converts a value of an image, to any depth that an image can have.
  package init(_ value: Value) {
    switch value.type {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .int: self = .int(value.int ?? 0)
    case .double: self = FilterValue(finite: value.double ?? 0)
    case .string: self = .string(Array(value.string ?? UnsafeRawBufferPointer(start: nil, count: 0)))
    case .array: self = .array((0..<value.count).map { value.element(at: $0).map { FilterValue($0) } ?? .null })
    case .object:
      self = .object(
        (0..<value.count).compactMap { index in
          value.member(at: index).map { FilterMember(Array($0.name), FilterValue($0.value)) }
        })
    }
  }
}
