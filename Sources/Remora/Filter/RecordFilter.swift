// SPDX-License-Identifier: Apache-2.0
//
// Which records a context hides. An expression depends on the context alone: it is parsed once, evaluated
// once per pass, and its answer holds for every record that has it.

/// Why a record is hidden that nobody meant to hide, or shown without its filter being looked at.
package enum FilterNote: Equatable {
  /// The filter of this record, and of others with the same one, has no value.
  case failed(record: String, FilterError)
  /// The filter of this record, and of some others, is no text.
  case ignored(record: String, type: String, others: Int)
}

/// What a pass over the entries of a snapshot came to.
package struct FilterPass {
  /// The positions of the entries that are hidden, in order.
  package fileprivate(set) var hidden: [Int] = []
  /// How many of them because their filter failed.
  package fileprivate(set) var failures = 0
  /// What a host may want to know: once per expression, in the life of the filter.
  package fileprivate(set) var notes: [FilterNote] = []
}

/// The expressions of one source, as they were parsed.
///
/// Concurrency: a value; its owner says who touches it.
package struct RecordFilter {
  private struct Expression {
    let tree: Result<FilterTree, FilterError>
    /// Whether it shows, by the last pass.
    var answer = Result<Bool, FilterError>.success(false)
    var isReported = false
  }

  /// What the last pass had; others are forgotten.
  private var expressions: [ExpressionText: Expression] = [:]
  /// Unknown to those who write expressions.
  private let seed = UInt64.random(in: .min ... .max)

  package init() {}

  /// The number of expressions that are kept parsed.
  package var count: Int { expressions.count }

  /// Evaluates the filters of all records.
  ///
  /// - Parameters:
  ///   - skipsBase: Whether the entries of the base are known to have no filter.
  ///   - member: The member of a record that is its filter.
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

  /// Evaluates an expression that this pass has not had; parsed, where no pass before had it.
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
      // Blank shows, like no filter.
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

/// The text of an expression, hashed once and fast.
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
