// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a tree in a context, as jexl-rs does: an error counts as false to the left of `||` and `?`, and operands
// that are not needed are not evaluated. The recursion is as deep as the tree, which the parser limits.

/// One evaluation of one expression.
package struct FilterEvaluator {
  private let tree: FilterTree
  let context: FilterContext
  var budget = FilterBudget()
  /// The elements that are being filtered, the innermost last.
  var elements: [FilterValue] = []
  /// The number of reads of elements so far; shows whether an error depends on an element.
  private(set) var elementReads = 0

  private init(_ tree: FilterTree, _ context: FilterContext) {
    self.tree = tree
    self.context = context
  }

  /// Evaluates an expression.
  ///
  /// - Throws: The reason it has no value.
  package static func evaluate(_ tree: FilterTree, in context: FilterContext) throws(FilterError) -> FilterValue {
    var evaluator = FilterEvaluator(tree, context)
    return try evaluator.value(of: tree.root)
  }

  mutating func value(of index: FilterTree.Index) throws(FilterError) -> FilterValue {
    try budget.spend()
    switch tree.nodes[index] {
    case .constant(let value): return value
    case .identifier(let name): return try identifier(name)
    case .relative(let name):
      elementReads &+= 1
      return elements.last?.member(name) ?? .null
    case .array(let items): return try array(items)
    case .object(let parts): return try object(parts)
    case .prefixed(let prefixes, let operand): return try prefixed(prefixes, operand)
    case .fold(let first, let parts): return try fold(first, parts)
    case .conditional(let branches, let otherwise): return try conditional(branches, otherwise)
    case .path(let subject, let parts): return try path(subject, parts)
    }
  }

  /// Evaluates an expression and returns the value or the error; a reached limit is thrown instead.
  mutating func attempt(_ index: FilterTree.Index) throws(FilterError) -> Result<FilterValue, FilterError> {
    do throws(FilterError) {
      return .success(try value(of: index))
    } catch {
      if error.isLimit { throw error }
      return .failure(error)
    }
  }

  private func identifier(_ name: [UInt8]) throws(FilterError) -> FilterValue {
    guard let value = context.identifiers.member(name) else {
      throw FilterError("\(String(decoding: name, as: UTF8.self)) is not defined")
    }
    return value
  }

  private mutating func array(_ items: [FilterTree.Index]) throws(FilterError) -> FilterValue {
    var values: [FilterValue] = []
    for item in items { values.append(try value(of: item)) }
    return .array(values)
  }

  private mutating func object(_ parts: [FilterObjectPart]) throws(FilterError) -> FilterValue {
    var members: [FilterMember] = []
    for part in parts { members.append(FilterMember(part.name, try value(of: part.value))) }
    members.sort { $0.name.lexicographicallyPrecedes($1.name) }
    for (member, next) in zip(members, members.dropFirst()) where member.name == next.name {
      throw FilterError("an object has the member \(String(decoding: member.name, as: UTF8.self)) twice")
    }
    return .object(members)
  }

  private mutating func prefixed(
    _ prefixes: [FilterPrefix], _ operand: FilterTree.Index
  ) throws(FilterError) -> FilterValue {
    let reads = elementReads
    var result = try value(of: operand)
    for prefix in prefixes.reversed() {
      try budget.spend()
      switch prefix {
      case .not: result = .bool(!result.isTruthy)
      case .minus:
        guard let number = result.number else {
          throw misfit(FilterError("- cannot be applied to \(result.typeName)"), since: reads)
        }
        result = .number(-number)
      }
    }
    return result
  }

  private mutating func fold(
    _ first: FilterTree.Index, _ parts: [FilterFoldPart]
  ) throws(FilterError) -> FilterValue {
    let reads = elementReads
    var left = try attempt(first)
    for part in parts {
      try budget.spend()
      switch part.operation {
      case .or:
        if !left.isTruthy { left = try attempt(part.right) }
      case .and:
        if left.isTruthy { left = try attempt(part.right) }
      default:
        guard case .success(let value) = left else { continue }
        switch try attempt(part.right) {
        case .success(let right): left = try applied(part.operation, value, right, since: reads)
        case .failure(let error): left = .failure(error)
        }
      }
    }
    return try left.get()
  }

  private mutating func applied(
    _ operation: FilterOperator, _ left: FilterValue, _ right: FilterValue, since reads: Int
  ) throws(FilterError) -> Result<FilterValue, FilterError> {
    do throws(FilterError) {
      return .success(try apply(operation, left, right))
    } catch {
      if error.isLimit { throw error }
      return .failure(misfit(error, since: reads))
    }
  }

  /// Marks the error of an operator or transform as an element's if elements were read since the count `reads`.
  func misfit(_ error: FilterError, since reads: Int) -> FilterError {
    var error = error
    error.isOfElement = elementReads > reads
    return error
  }

  private mutating func conditional(
    _ branches: [FilterBranch], _ otherwise: FilterTree.Index
  ) throws(FilterError) -> FilterValue {
    for branch in branches {
      let test = try attempt(branch.test)
      guard test.isTruthy else { continue }
      guard let value = branch.value else { return try test.get() }
      return try self.value(of: value)
    }
    return try value(of: otherwise)
  }
}

extension Result where Success == FilterValue {
  /// Whether the value is true; an error counts as false.
  var isTruthy: Bool {
    if case .success(let value) = self { return value.isTruthy }
    return false
  }
}
