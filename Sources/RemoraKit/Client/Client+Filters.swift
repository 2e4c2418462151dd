// SPDX-License-Identifier: Apache-2.0
//
// Evaluates filter expressions outside of sources.

internal import Remora

extension Client {
  /// Returns whether a filter expression is true in a context. Use it for a decision per request or user, such as the
  /// rule of a feature flag. As for filters of records, the expression matches if it is blank, or its result is the
  /// boolean true. Needs no client, and does not wait.
  ///
  /// - Parameters:
  ///   - expression: At most 16 KiB; docs/filters.md describes the language.
  ///   - context: The attributes, as for `setContext`. Nil means the context before `setContext` is called.
  /// - Throws: `.invalidArgument` if the evaluation fails, or if the context is not an object.
  public static func filterMatches(_ expression: String, context: JSONValue?) throws(RemoraError) -> Bool {
    try call { () throws(Remora.RemoraError) in
      try RecordFilter.matches(expression, inContext: context?.description)
    }
  }
}
