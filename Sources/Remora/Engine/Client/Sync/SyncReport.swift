// SPDX-License-Identifier: Apache-2.0
//
// The result of a sync: the result of each source, in the order of opening, and one error for all.

/// The result of a sync for one source.
package struct SyncItem: Sendable {
  package let source: SourceLabel
  package let result: RefreshResult
}

/// The result of a sync.
package struct SyncReport: Sendable {
  package let items: [SyncItem]

  /// Returns the number of sources with one of these outcomes.
  package func count(_ outcomes: Outcome...) -> Int { items.count { outcomes.contains($0.result.outcome) } }

  /// The first error, with the number of failed sources; nil if all sources succeeded.
  package var error: RemoraError? {
    let failed = items.filter { $0.result.error != nil }
    guard let first = failed.first, var error = first.result.error else { return nil }
    let verb = failed.count == 1 ? "failed" : "failed; first failure"
    error.message =
      "\(failed.count) of \(items.count) sources \(verb): \(first.source.name): \(error.message)"
    return error
  }
}
