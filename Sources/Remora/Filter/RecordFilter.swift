// SPDX-License-Identifier: Apache-2.0
//
// Finds the records that a context hides. The result of an expression depends on the context only. So each expression
// is parsed once and evaluated once per pass, for all records that have it.

/// Reports a record that is hidden unintentionally, or shown because its filter was ignored.
package enum FilterNote: Equatable {
  /// The filter of this record, and of others with the same filter, failed.
  case failed(record: String, FilterError)
  /// The filter of this record, and of some others, is not a string.
  case ignored(record: String, type: String, others: Int)
}

/// The result of one pass over the entries of a snapshot.
package struct FilterPass {
  /// The positions of the hidden entries, in order.
  package fileprivate(set) var hidden: [Int] = []
  /// The number of entries that are hidden because their filter failed.
  package fileprivate(set) var failures = 0
  /// Reports for the host; each expression is reported once in the lifetime of the filter.
  package fileprivate(set) var notes: [FilterNote] = []
}

/// The parsed expressions of one source.
///
/// Concurrency: a value; its owner controls access.
package struct RecordFilter {
  private struct Expression {
    let tree: Result<FilterTree, FilterError>
    /// The result of the last pass: whether records with this expression are shown.
    var answer = Result<Bool, FilterError>.success(false)
    var isReported = false
  }

  /// The expressions of the last pass; others are dropped.
  private var expressions: [ExpressionText: Expression] = [:]
  /// A random seed, which authors of expressions cannot know.
  private let seed = UInt64.random(in: .min ... .max)

  package init() {}

  package var count: Int { expressions.count }

  /// Evaluates the filters of all records.
  ///
  /// - Parameters:
  ///   - skipsBase: Whether the entries of the base are known to have no filter.
  ///   - member: The member of a record that contains its filter.
  package mutating func evaluate(
    _ entries: [ImageEntry], skipsBase: Bool = false, member: StaticString, in context: FilterContext
  ) -> FilterPass {
    var pass = FilterPass()
    var used: [ExpressionText: Expression] = [:]
    var ignored: (record: Entry, others: Int)?
    let name = UnsafeRawBufferPointer(start: member.utf8Start, count: member.utf8CodeUnitCount)
    for (index, item) in entries.enumerated() {
      if skipsBase, case .base = item { continue }
      let entry = item.entry
      guard let filter = entry.value.member(named: name) else { continue }
      guard let bytes = filter.string else {
        if filter.type != .null { ignored = (ignored?.record ?? entry, (ignored?.others ?? -1) &+ 1) }
        continue
      }
      let text = ExpressionText(bytes, seed: seed)
      let answer = used[text]?.answer ?? first(text, of: entry, in: context, &used, &pass)
      if case .success(true) = answer { continue }
      if case .failure = answer { pass.failures &+= 1 }
      pass.hidden.append(index)
    }
    if let ignored {
      let type = ignored.record.value.member(named: name)?.type.name ?? ""
      let record = String(decoding: ignored.record.key, as: UTF8.self)
      pass.notes.append(.ignored(record: record, type: type, others: ignored.others))
    }
    expressions = used
    return pass
  }

  /// Evaluates an expression for the first time in this pass; parses it unless the previous pass had it.
  private func first(
    _ text: ExpressionText, of entry: Entry, in context: FilterContext, _ used: inout [ExpressionText: Expression],
    _ pass: inout FilterPass
  ) -> Result<Bool, FilterError> {
    var expression = expressions[text] ?? Expression(tree: Self.parse(text.bytes))
    expression.answer = Self.answer(expression, in: context)
    if case .failure(let error) = expression.answer, !expression.isReported {
      pass.notes.append(.failed(record: String(decoding: entry.key, as: UTF8.self), error))
      expression.isReported = true
    }
    used[text] = expression
    return expression.answer
  }

  private static func parse(_ text: [UInt8]) -> Result<FilterTree, FilterError> {
    do throws(FilterError) {
      // A blank filter shows the record, as if there were none.
      let isBlank = filterSpace(text[...]) == text.count
      return .success(try FilterParser.parse(isBlank ? Array("true".utf8) : text))
    } catch {
      return .failure(error)
    }
  }

  private static func answer(_ expression: Expression, in context: FilterContext) -> Result<Bool, FilterError> {
    do throws(FilterError) {
      guard case .bool(true) = try FilterEvaluator.evaluate(expression.tree.get(), in: context) else {
        return .success(false)
      }
      return .success(true)
    } catch {
      return .failure(error)
    }
  }
}

extension RecordFilter {
  /// Evaluates the expression of one record: whether the record is shown.
  static func answer(to expression: [UInt8], in context: FilterContext) -> Result<Bool, FilterError> {
    answer(Expression(tree: parse(expression)), in: context)
  }

  /// Evaluates one expression in a context, as the filter of a record. Nil is the context of a host that has set none.
  ///
  /// - Throws: `.invalidArgument` naming `context_json`, or `expression` if it fails.
  package static func matches(_ expression: String, inContext json: String?) throws(RemoraError) -> Bool {
    let context =
      try json.map { json throws(RemoraError) in try FilterContext(json: json) } ?? FilterContext()
    do throws(FilterError) {
      return try answer(to: Array(expression.utf8), in: context).get()
    } catch {
      throw .invalidArgument("expression", "cannot be evaluated: \(error.message)")
    }
  }
}

/// The text of an expression, hashed only once with a fast hash.
private struct ExpressionText: Hashable {
  let bytes: [UInt8]
  private let hash: UInt64

  init(_ text: UnsafeRawBufferPointer, seed: UInt64) {
    bytes = Array(text)
    hash = hash64(text, seed: seed)
  }

  static func == (left: ExpressionText, right: ExpressionText) -> Bool {
    left.hash == right.hash && left.bytes == right.bytes
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
