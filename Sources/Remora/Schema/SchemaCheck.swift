// SPDX-License-Identifier: Apache-2.0
//
// Checks a value against a compiled schema. The work is bounded by a number of steps.

/// The reason a check was not finished.
enum SchemaLimit: Error {
  case steps, levels
}

/// The number of steps that a check may still take.
struct SchemaBudget {
  /// The maximum number of steps for one value: a record, an element of a bundle, or a dictionary.
  static let steps = 10_000_000

  private var left = SchemaBudget.steps

  mutating func spend(_ steps: Int = 1) throws(SchemaLimit) {
    guard steps <= left else { throw .steps }
    left &-= steps
  }
}

/// What violates what.
struct SchemaViolation {
  /// The JSON Pointer of the value.
  let pointer: String
  /// The place of the keyword in the schema.
  let keyword: String
}

/// What is checked: a JSON value, the name of a member, or a dictionary whose values are stored by key.
enum SchemaInstance {
  case value(Value)
  case name(UnsafeRawBufferPointer)
  case dictionary(ArraySlice<Entry>)

  var types: SchemaTypes {
    switch self {
    case .value(let value): Self.types(of: value)
    case .name: .string
    case .dictionary: .object
    }
  }

  private static func types(of value: Value) -> SchemaTypes {
    switch value.type {
    case .null: return .null
    case .bool: return .boolean
    case .int: return .integer
    case .double:
      var types = SchemaTypes.double
      let number = SchemaValue(value).approximate
      if number == number.rounded() { types.insert(.integralDouble) }
      return types
    case .string: return .string
    case .array: return .array
    case .object: return .object
    }
  }
}

/// One check of a value.
struct SchemaCheck {
  /// The maximum nesting of applied schemas.
  private static let mostLevels = 500

  let nodes: [SchemaNode]
  /// The object whose hidden members are left out; nil for none.
  private let root: UnsafeRawPointer?
  /// The names of hidden members.
  private let hidden: [[UInt8]]
  var budget = SchemaBudget()
  private var levels = 0
  /// Whether the place of the first violation is wanted.
  private let isTraced: Bool
  /// The place of the current value.
  private var path: [[UInt8]] = []
  /// Above 0 inside of conditions that may fail.
  private var unsure = 0
  private(set) var violation: SchemaViolation?

  init(_ nodes: [SchemaNode], hiding hidden: [[UInt8]], of root: UnsafeRawPointer?, isTraced: Bool) {
    (self.nodes, self.hidden, self.root, self.isTraced) = (nodes, hidden, root, isTraced)
  }

  /// Whether a value satisfies a node.
  mutating func isValid(_ instance: SchemaInstance, _ node: SchemaNodeID) throws(SchemaLimit) -> Bool {
    try budget.spend()
    guard levels < Self.mostLevels else { throw .levels }
    levels &+= 1
    defer { levels &-= 1 }
    for rule in nodes[node].rules where try !holds(rule.condition, instance) {
      note(rule, of: nodes[node])
      return false
    }
    return true
  }

  private mutating func note(_ rule: SchemaRule, of node: SchemaNode) {
    guard isTraced, unsure == 0, violation == nil else { return }
    let keyword = rule.keyword.isEmpty ? node.place : "\(node.place)/\(pointerToken(rule.keyword.utf8))"
    violation = SchemaViolation(pointer: path.map { "/\(pointerToken($0))" }.joined(), keyword: keyword)
  }

  private mutating func holds(
    _ condition: SchemaCondition, _ instance: SchemaInstance
  ) throws(SchemaLimit) -> Bool {
    switch condition {
    case .never: return false
    case .types(let types): return types.overlaps(instance.types)
    case .all(let nodes):
      for node in nodes where try !isValid(instance, node) { return false }
      return true
    case .any(let nodes): return try count(nodes, instance, upTo: 1) == 1
    case .one(let nodes): return try count(nodes, instance, upTo: 2) == 1
    case .not(let node): return try !attempt(instance, node)
    case .either(let condition, let then, let otherwise):
      let next = try attempt(instance, condition) ? then : otherwise
      return try next.map { node throws(SchemaLimit) in try isValid(instance, node) } ?? true
    case .same(let node): return try isValid(instance, node)
    case .oneOf, .numbers, .lengths, .pattern, .elements, .elementCount, .contains, .unique:
      switch instance {
      case .value(let value): return try holds(condition, value)
      case .name(let name): return try holds(condition, name: name)
      // No value of a schema equals a dictionary, and the others are conditions on other types.
      case .dictionary: if case .oneOf = condition { return false } else { return true }
      }
    case .members, .required, .memberCount, .memberNames, .requiredWith, .schemaWith:
      guard let object = SchemaObject(instance, hiding: hidden, of: root) else { return true }
      return try holds(condition, object, instance)
    }
  }

  /// Whether a value satisfies a node, where a violation may be allowed.
  private mutating func attempt(_ instance: SchemaInstance, _ node: SchemaNodeID) throws(SchemaLimit) -> Bool {
    unsure &+= 1
    defer { unsure &-= 1 }
    return try isValid(instance, node)
  }

  private mutating func count(
    _ nodes: [SchemaNodeID], _ instance: SchemaInstance, upTo most: Int
  ) throws(SchemaLimit) -> Int {
    var count = 0
    for node in nodes where count < most { if try attempt(instance, node) { count &+= 1 } }
    return count
  }

  /// Whether a part of the value satisfies a node; the part's place is kept for messages.
  mutating func isValid(
    _ value: Value, at token: @autoclosure () -> [UInt8], _ node: SchemaNodeID
  ) throws(SchemaLimit) -> Bool {
    guard isTraced else { return try isValid(.value(value), node) }
    path.append(token())
    defer { path.removeLast() }
    return try isValid(.value(value), node)
  }

  // MARK: Scalars and arrays

  private mutating func holds(_ condition: SchemaCondition, _ value: Value) throws(SchemaLimit) -> Bool {
    switch condition {
    case .oneOf(let values):
      for allowed in values where try SchemaValue(value).isSame(as: SchemaValue(allowed), &budget) { return true }
      return false
    case .numbers(let limit): return limit.holds(SchemaValue(value))
    case .lengths(let range): return value.string.map { range.contains(characterCount($0)) } ?? true
    case .pattern(let pattern):
      return try value.string.map { text throws(SchemaLimit) in try matches(pattern, text) } ?? true
    case .elementCount(let range): return value.type != .array || range.contains(value.count)
    case .elements(let first, let rest): return try holdsElements(first, rest, value)
    case .contains(let node, let range): return try contains(node, range, value)
    case .unique: return try isUnique(value)
    default: return true
    }
  }

  private mutating func holds(
    _ condition: SchemaCondition, name: UnsafeRawBufferPointer
  ) throws(SchemaLimit) -> Bool {
    switch condition {
    case .oneOf(let values): return values.contains { $0.string?.elementsEqual(name) == true }
    case .lengths(let range): return range.contains(characterCount(name))
    case .pattern(let pattern): return try matches(pattern, name)
    default: return true
    }
  }

  mutating func matches(_ pattern: FilterPattern, _ text: UnsafeRawBufferPointer) throws(SchemaLimit) -> Bool {
    try budget.spend(1 &+ text.count)
    var steps = FilterBudget()
    do throws(FilterError) { return try pattern.isFound(in: text, &steps) } catch { throw .steps }
  }

  private mutating func holdsElements(
    _ first: [SchemaNodeID], _ rest: SchemaNodeID?, _ array: Value
  ) throws(SchemaLimit) -> Bool {
    guard array.type == .array else { return true }
    for index in 0..<array.count {
      guard let node = index < first.count ? first[index] : rest else { return true }
      guard let element = array.element(at: index) else { continue }
      if try !isValid(element, at: Array("\(index)".utf8), node) { return false }
    }
    return true
  }

  private mutating func contains(
    _ node: SchemaNodeID, _ range: ClosedRange<Int>, _ array: Value
  ) throws(SchemaLimit) -> Bool {
    guard array.type == .array else { return true }
    var count = 0
    for index in 0..<array.count where count <= range.upperBound {
      if let element = array.element(at: index), try attempt(.value(element), node) { count &+= 1 }
    }
    return range.contains(count)
  }

  /// Finds equal elements by their hashes.
  private mutating func isUnique(_ array: Value) throws(SchemaLimit) -> Bool {
    guard array.type == .array else { return true }
    var known: [Int: [Value]] = [:]
    for index in 0..<array.count {
      guard let element = array.element(at: index) else { continue }
      var hasher = Hasher()
      try SchemaValue(element).hash(into: &hasher, &budget)
      let hash = hasher.finalize()
      for other in known[hash] ?? [] where try SchemaValue(element).isSame(as: SchemaValue(other), &budget) {
        return false
      }
      known[hash, default: []].append(element)
    }
    return true
  }
}

extension SchemaNumbers {
  /// Whether a value that is a number is within the limit.
  fileprivate func holds(_ value: SchemaValue) -> Bool {
    guard value.isNumber else { return true }
    let number = SchemaValue(number)
    return switch limit {
    case .atLeast: value.compare(to: number) >= 0
    case .above: value.compare(to: number) > 0
    case .atMost: value.compare(to: number) <= 0
    case .below: value.compare(to: number) < 0
    case .multipleOf: value.isMultiple(of: number)
    }
  }
}
