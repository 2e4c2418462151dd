// SPDX-License-Identifier: Apache-2.0
//
// A parsed expression: nodes in one array that refer to each other by position. A sequence such as `a || b || c` or
// `a.b.c` is one node with many parts, so that only real nesting counts as depth.

/// A parsed expression; immutable.
package struct FilterTree: Sendable {
  package typealias Index = Int

  package let nodes: [FilterNode]
  package let root: Index
}

package enum FilterNode: Sendable {
  case constant(FilterValue)
  case identifier([UInt8])
  /// A member of the element that is being filtered.
  case relative([UInt8])
  case array([FilterTree.Index])
  case object([FilterObjectPart])
  /// Prefix operators, the outermost first.
  case prefixed([FilterPrefix], FilterTree.Index)
  /// A first operand, and operators with their right operands from left to right, of any level.
  case fold(FilterTree.Index, [FilterFoldPart])
  /// Tests with their values in order, and the value if no test holds.
  case conditional([FilterBranch], otherwise: FilterTree.Index)
  /// A subject, and the steps applied to it from left to right.
  case path(FilterTree.Index, [FilterPathPart])
}

/// A member of an object literal.
package struct FilterObjectPart: Sendable {
  let name: [UInt8]
  let value: FilterTree.Index
}

/// An operator and its right operand.
package struct FilterFoldPart: Sendable {
  let operation: FilterOperator
  let right: FilterTree.Index
}

/// A test and the value if it holds; nil means the value of the test itself.
package struct FilterBranch: Sendable {
  let test: FilterTree.Index
  let value: FilterTree.Index?
}

package enum FilterPathPart: Sendable {
  case member([UInt8])
  case index(FilterTree.Index)
  /// Keeps the elements for which the expression holds.
  case filter(FilterTree.Index)
  case transform(FilterTransform, arguments: [FilterTree.Index])
  /// An unknown transform: an error only if it is evaluated.
  case unknownTransform(name: String)
}

/// The transforms; raw values are their names in expressions.
package enum FilterTransform: String, Sendable {
  case versionCompare, date
  case stableSample, bucketSample
  case keys, values, length, last, mapToProperty
  case regExpMatch
  case preferenceValue, preferenceIsUserSet, preferenceExists
}

package enum FilterPrefix: Sendable {
  case not, minus
}

/// Operators between two operands.
package enum FilterOperator: Sendable {
  case or, and
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, isIn
  case add, subtract
  case multiply, divide, floorDivide, intersect
  case remainder, power

  /// Returns the operator of a token; nil if the token is not an operator.
  init?(_ token: FilterToken?) {
    switch token {
    case .symbol(.or): self = .or
    case .symbol(.and): self = .and
    case .symbol(.equal): self = .equal
    case .symbol(.notEqual): self = .notEqual
    case .symbol(.less): self = .less
    case .symbol(.lessOrEqual): self = .lessOrEqual
    case .symbol(.greater): self = .greater
    case .symbol(.greaterOrEqual): self = .greaterOrEqual
    case .name(let name) where name.elementsEqual("in".utf8): self = .isIn
    case .symbol(.plus): self = .add
    case .symbol(.minus): self = .subtract
    case .symbol(.times): self = .multiply
    case .symbol(.divide): self = .divide
    case .symbol(.floorDivide): self = .floorDivide
    case .name(let name) where name.elementsEqual("intersect".utf8): self = .intersect
    case .symbol(.remainder): self = .remainder
    case .symbol(.power): self = .power
    default: return nil
    }
  }

  /// The precedence. `&&` and `||` have the same one, as in jexl-rs; all operators are left-associative.
  var level: Int {
    switch self {
    case .or, .and: 1
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: 2
    case .add, .subtract: 3
    case .multiply, .divide, .floorDivide, .intersect: 4
    case .remainder, .power: 5
    }
  }

  /// The name of the operator in messages.
  var name: String {
    switch self {
    case .or: "||"
    case .and: "&&"
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .isIn: "in"
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .floorDivide: "//"
    case .intersect: "intersect"
    case .remainder: "%"
    case .power: "^"
    }
  }
}
