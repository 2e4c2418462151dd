// SPDX-License-Identifier: Apache-2.0
//
// Why an expression has no value, and the limit of its work. Sentences name what the expression says, never what the
// context holds.

/// Why an expression cannot be parsed or evaluated.
package struct FilterError: Error, Equatable, Sendable {
  /// One sentence without a final stop.
  package let message: String
  /// Whether a limit was reached: `||` and `?:` do not get around it.
  package let isLimit: Bool
  /// Whether an operator or transform does not fit the element that is being filtered: that element is dropped. Any
  /// other error is one of the whole filter.
  var isOfElement = false

  package init(_ message: String, isLimit: Bool = false) {
    self.message = message
    self.isLimit = isLimit
  }
}

/// The limits of one expression.
package enum FilterLimits {
  /// Bytes of its text.
  package static let length = 16 << 10
  /// Nesting of brackets, operators and transforms' arguments.
  package static let depth = 64
  /// Steps of its evaluation.
  package static let steps = 100_000
  /// Bytes of a string that it makes.
  package static let stringLength = 64 << 10
}

/// The steps that an evaluation may still take.
package struct FilterBudget: Sendable {
  private var left = FilterLimits.steps

  package init() {}

  /// Takes steps.
  ///
  /// - Throws: when there are not so many.
  package mutating func spend(_ steps: Int = 1) throws(FilterError) {
    guard steps <= left else {
      throw FilterError("it takes more than \(FilterLimits.steps) steps", isLimit: true)
    }
    left &-= steps
  }

  /// Takes steps for work on bytes.
  package mutating func spend(bytes: Int) throws(FilterError) { try spend(1 &+ bytes / 64) }
}
