// SPDX-License-Identifier: Apache-2.0
//
// The steps of a path, applied to a value from left to right: members, indices, filters and transforms.

extension FilterEvaluator {
  /// Evaluates a path.
  ///
  /// - Throws: For a step that does not fit the value before it.
  mutating func path(
    _ subject: FilterTree.Index, _ parts: [FilterPathPart]
  ) throws(FilterError) -> FilterValue {
    let reads = elementReads
    var result = try value(of: subject)
    for part in parts {
      try budget.spend()
      switch part {
      case .member(let name): result = result.member(name) ?? .null
      case .index(let index):
        let position = try value(of: index)
        result = try fitting(since: reads) { evaluator throws(FilterError) in
          try evaluator.element(of: result, at: position)
        }
      case .filter(let test):
        guard case .array(let items) = result else {
          throw misfit(FilterError("\(result.typeName) cannot be filtered; only an array can"), since: reads)
        }
        result = .array(try elements(of: items, where: test))
      case .transform(let transform, let arguments):
        var values: [FilterValue] = []
        for argument in arguments { values.append(try value(of: argument)) }
        result = try fitting(since: reads) { evaluator throws(FilterError) in
          try evaluator.apply(transform, to: result, values)
        }
      case .unknownTransform(let name): throw FilterError("there is no transform \(name)")
      }
    }
    return result
  }

  private func element(of subject: FilterValue, at index: FilterValue) throws(FilterError) -> FilterValue {
    if case .string(let name) = index { return subject.member(name) ?? .null }
    guard let number = index.number else { throw FilterError("\(index.typeName) cannot be an index") }
    // A negative index is the first one, as in jexl-rs.
    guard case .array(let items) = subject, let position = Int(exactly: max(0, number.rounded(.down))),
      position < items.count
    else { return .null }
    return items[position]
  }

  /// Runs a step of a path. Marks an error as an element's if elements were read since the count `reads`.
  private mutating func fitting(
    since reads: Int, _ step: (inout FilterEvaluator) throws(FilterError) -> FilterValue
  ) throws(FilterError) -> FilterValue {
    do throws(FilterError) {
      return try step(&self)
    } catch {
      throw misfit(error, since: reads)
    }
  }

  /// Returns the elements for which a test holds. The test of an empty array is evaluated once with null, so that
  /// errors that do not depend on an element are found there too.
  private mutating func elements(
    of items: [FilterValue], where test: FilterTree.Index
  ) throws(FilterError) -> [FilterValue] {
    if items.isEmpty { _ = try holds(test, for: .null) }
    var kept: [FilterValue] = []
    for item in items where try holds(test, for: item) { kept.append(item) }
    return kept
  }

  private mutating func holds(_ test: FilterTree.Index, for item: FilterValue) throws(FilterError) -> Bool {
    elements.append(item)
    defer { elements.removeLast() }
    switch try attempt(test) {
    case .success(let value): return value.isTruthy
    case .failure(let error):
      guard error.isOfElement else { throw error }
      return false
    }
  }
}
