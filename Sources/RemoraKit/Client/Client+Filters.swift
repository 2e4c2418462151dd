// SPDX-License-Identifier: Apache-2.0
//
// Evaluates filter expressions outside of sources.

internal import Remora

extension Client {
  /// Returns whether a filter expression is true in a context, for a decision per request or user, such as the rule of a
  /// feature flag. The rules are those of the filters of records: the expression matches if its result is the boolean
  /// true, and a blank expression matches. Needs no client, and does not wait.
  ///
  /// - Parameters:
  ///   - expression: At most 16 KiB; docs/filters.md describes the language.
  ///   - context: The attributes, as for `setContext`. Nil is the context of a program that has set none.
  /// - Throws: `.invalidArgument` if the evaluation fails, or for a context that is not an object.
  public static func filterMatches(_ expression: String, context: JSONValue?) throws(RemoraError) -> Bool {
    try call { () throws(Remora.RemoraError) in
      try RecordFilter.matches(expression, inContext: context?.description)
    }
  }
}
