// SPDX-License-Identifier: Apache-2.0
//
// Errors of expressions, and the limits of their evaluation. Messages quote the expression, but never the context.

/// The reason an expression cannot be parsed or evaluated.
package struct FilterError: Error, Equatable, Sendable {
  /// One sentence without a final full stop.
  package let message: String
  /// Whether a limit was reached. Unlike other errors, `||` and `?:` do not catch it.
  package let isLimit: Bool
  /// Whether an operator or transform does not fit the element that is being filtered. That element is dropped then;
  /// any other error fails the whole filter.
  var isOfElement = false

  package init(_ message: String, isLimit: Bool = false) {
    self.message = message
    self.isLimit = isLimit
  }
}

package enum FilterLimits {
  /// The maximum length of an expression, in bytes.
  package static let length = 16 << 10
  /// The maximum nesting of brackets, operators and transforms' arguments.
  package static let depth = 64
  /// The maximum number of steps of one evaluation, which bounds its time.
  package static let steps = 100_000
  /// The maximum length of a string that an expression creates, in bytes.
  package static let stringLength = 64 << 10
}

/// The number of steps that an evaluation may still take.
package struct FilterBudget: Sendable {
  private var left = FilterLimits.steps

  package init() {}

  /// Spends steps.
  ///
  /// - Throws: If fewer steps are left.
  package mutating func spend(_ steps: Int = 1) throws(FilterError) {
    guard steps <= left else {
      throw FilterError("the expression takes more than \(FilterLimits.steps) steps", isLimit: true)
    }
    left &-= steps
  }

  /// Spends steps for work on bytes.
  package mutating func spend(bytes: Int) throws(FilterError) { try spend(1 &+ bytes / 64) }
}
