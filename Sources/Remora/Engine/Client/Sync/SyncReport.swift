// SPDX-License-Identifier: Apache-2.0
//
// What a sync came to: each source's end, in the order of opening, and one end for all.

/// What a sync did for one source.
package struct SyncItem: Sendable {
  package let source: SourceLabel
  package let result: RefreshResult
}

/// The end of a sync.
package struct SyncReport: Sendable {
  package let items: [SyncItem]

  /// How many ended with an outcome.
  package func count(_ outcomes: Outcome...) -> Int { items.count { outcomes.contains($0.result.outcome) } }

  /// The first failure, with how many there are; nil when all succeeded.
  package var error: RemoraError? {
    let failed = items.filter { $0.result.error != nil }
    guard let first = failed.first, var error = first.result.error else { return nil }
    let verb = failed.count == 1 ? "failed" : "failed, the first of them"
    error.message =
      "\(failed.count) of \(items.count) sources \(verb): \(first.source.name): \(error.message)"
    return error
  }
}
