// SPDX-License-Identifier: Apache-2.0
//
// The transforms, which are written after a `|`: Mozilla's, with its behaviour for unsuitable types.

extension FilterEvaluator {
  /// Applies a transform.
  ///
  /// - Throws: For an unsuitable subject or arguments.
  mutating func apply(
    _ transform: FilterTransform, to subject: FilterValue, _ arguments: [FilterValue]
  ) throws(FilterError) -> FilterValue {
    let arguments = FilterArguments(transform: transform, values: arguments)
    switch transform {
    case .versionCompare: return try compareVersions(subject, arguments)
    case .date: return try date(subject)
    case .stableSample: return .bool(try FilterSample(of: subject, &budget).isBelow(try arguments.number(0)))
    case .bucketSample:
      return .bool(
        try FilterSample(of: subject, &budget).isInBucket(
          start: try arguments.number(0), count: try arguments.number(1), total: try arguments.number(2)))
    case .keys: return try keys(subject)
    case .values: return try values(subject)
    case .length:
      guard case .array(let items) = subject else { return .null }
      return .number(Double(items.count))
    case .last:
      guard case .array(let items) = subject else { return .null }
      return items.last ?? .null
    case .mapToProperty:
      guard case .array(let items) = subject else { return .null }
      let property = try arguments.text(0)
      try budget.spend(items.count)
      return .array(items.map { $0.member(property) ?? .null })
    case .regExpMatch:
      guard case .string(let text) = subject else { throw arguments.wrong("is applied to", subject, "a string") }
      let flags = try arguments.isGiven(1) ? arguments.text(1) : []
      let pattern = try FilterPattern(try arguments.text(0), flags: flags)
      try budget.spend(1 &+ pattern.steps.count / 8)
      return try pattern.match(text, &budget)
    case .preferenceValue:
      guard case .string(let name) = subject else { throw arguments.wrong("is applied to", subject, "a string") }
      return context.preferences.member(name) ?? (arguments.isGiven(0) ? arguments.values[0] : .null)
    case .preferenceExists, .preferenceIsUserSet:
      guard case .string(let name) = subject else { throw arguments.wrong("is applied to", subject, "a string") }
      return .bool(context.preferences.member(name) != nil)
    }
  }

  private mutating func compareVersions(
    _ subject: FilterValue, _ arguments: FilterArguments
  ) throws(FilterError) -> FilterValue {
    guard case .string(let version) = subject else { throw arguments.wrong("is applied to", subject, "a string") }
    let other = try arguments.text(0)
    try budget.spend(bytes: version.count &+ other.count)
    return .number(Double(try compareMozillaVersions(version, other)))
  }

  /// Returns milliseconds since 1970; a number is returned unchanged.
  private func date(_ subject: FilterValue) throws(FilterError) -> FilterValue {
    if let number = subject.number { return .number(number) }
    guard case .string(let text) = subject, let milliseconds = parseISODate(text) else {
      throw FilterError("the transform date needs an ISO date")
    }
    return .number(milliseconds)
  }

  private mutating func keys(_ subject: FilterValue) throws(FilterError) -> FilterValue {
    switch subject {
    case .object(let members):
      try budget.spend(members.count)
      return .array(members.map { .string($0.name) })
    case .array(let items):
      try budget.spend(items.count)
      return .array(items.indices.map { FilterValue("\($0)") })
    default: return .null
    }
  }

  /// Returns the values of an object in the order of their names, or the elements of an array.
  private mutating func values(_ subject: FilterValue) throws(FilterError) -> FilterValue {
    switch subject {
    case .object(let members):
      try budget.spend(members.count)
      return .array(members.map(\.value))
    case .array: return subject
    default: return .null
    }
  }
}

/// The arguments of one use of a transform.
private struct FilterArguments {
  let transform: FilterTransform
  let values: [FilterValue]

  func isGiven(_ index: Int) -> Bool { index < values.count }

  func number(_ index: Int) throws(FilterError) -> Double {
    guard isGiven(index), let number = values[index].number else { throw missing(index, "a number") }
    return number
  }

  func text(_ index: Int) throws(FilterError) -> [UInt8] {
    guard isGiven(index), case .string(let text) = values[index] else { throw missing(index, "a string") }
    return text
  }

  func wrong(_ what: String, _ value: FilterValue, _ wanted: String) -> FilterError {
    FilterError("\(transform.rawValue) \(what) \(value.typeName), not to \(wanted)")
  }

  private func missing(_ index: Int, _ wanted: String) -> FilterError {
    FilterError("argument \(index + 1) of \(transform.rawValue) must be \(wanted)")
  }
}
