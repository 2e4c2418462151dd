// SPDX-License-Identifier: Apache-2.0
//
// A compiled schema: nodes with rules. A rule refers to other nodes by their numbers, so that schemas may contain
// themselves.

/// The number of a node in its schema.
typealias SchemaNodeID = Int

/// One schema of a schema: true, false, or an object of keywords.
struct SchemaNode {
  /// Where the keywords are: "#/properties/port".
  let place: String
  var rules: [SchemaRule] = []
}

/// One condition on a value, with the end of its place.
struct SchemaRule {
  let keyword: String
  let condition: SchemaCondition
}

enum SchemaCondition {
  case never
  case types(SchemaTypes)
  case oneOf(values: [Value])
  case numbers(SchemaNumbers)
  case lengths(ClosedRange<Int>)
  case pattern(FilterPattern)

  case members(SchemaMembers)
  case required([[UInt8]])
  case memberCount(ClosedRange<Int>)
  case memberNames(SchemaNodeID)
  case requiredWith([(name: [UInt8], others: [[UInt8]])])
  case schemaWith([(name: [UInt8], node: SchemaNodeID)])

  case elements(first: [SchemaNodeID], rest: SchemaNodeID?)
  case elementCount(ClosedRange<Int>)
  case contains(SchemaNodeID, count: ClosedRange<Int>)
  case unique

  case all([SchemaNodeID])
  case any([SchemaNodeID])
  case one([SchemaNodeID])
  case not(SchemaNodeID)
  case either(condition: SchemaNodeID, then: SchemaNodeID?, otherwise: SchemaNodeID?)
  case same(SchemaNodeID)
}

extension SchemaCondition {
  /// The nodes that are applied to the same value.
  var inPlace: [SchemaNodeID] {
    switch self {
    case .all(let nodes), .any(let nodes), .one(let nodes): nodes
    case .not(let node), .same(let node): [node]
    case .either(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap(\.self)
    case .schemaWith(let pairs): pairs.map(\.node)
    default: []
    }
  }
}

/// A set of JSON types. Not an `OptionSet`, whose conformances are larger than what is used here.
struct SchemaTypes {
  private(set) var bits: UInt8 = 0

  static let null = SchemaTypes(bits: 1)
  static let boolean = SchemaTypes(bits: 2)
  static let integer = SchemaTypes(bits: 4)
  /// A number that is stored as a double, also if it is integral.
  static let double = SchemaTypes(bits: 8)
  /// A double that is integral.
  static let integralDouble = SchemaTypes(bits: 16)
  static let string = SchemaTypes(bits: 32)
  static let array = SchemaTypes(bits: 64)
  static let object = SchemaTypes(bits: 128)

  mutating func insert(_ other: SchemaTypes) { bits |= other.bits }

  func overlaps(_ other: SchemaTypes) -> Bool { bits & other.bits != 0 }
}

/// Conditions on a number.
struct SchemaNumbers {
  enum Limit {
    case atLeast, above, atMost, below, multipleOf
  }

  let limit: Limit
  let number: Value
}

/// Conditions on the members of an object.
struct SchemaMembers {
  /// Sorted by the bytes of their names.
  var named: [(name: [UInt8], node: SchemaNodeID)] = []
  var patterns: [(pattern: FilterPattern, node: SchemaNodeID)] = []
  /// For the members that neither have a name nor match a pattern.
  var others: SchemaNodeID?
}
