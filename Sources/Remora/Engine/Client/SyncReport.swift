// SPDX-License-Identifier: Apache-2.0

/// The result for one source that the sync included.
package struct SyncItem: Sendable {
  package let source: SourceLabel
  package let result: RefreshResult
}

/// The results of a sync, in the order in which the sources were opened.
package struct SyncReport: Sendable {
  package let items: [SyncItem]

  package var updated: Int { count(.updated) }
  /// The number of sources whose data is current, also those that needed no request.
  package var unchanged: Int { count(.unchanged, .notNewer, .none) }
  package var staged: Int { count(.staged) }
  package var failed: Int { count(.refused, .failed) }

  private func count(_ outcomes: Outcome...) -> Int { items.count { outcomes.contains($0.result.outcome) } }

  /// The first error, with the number of failed sources; nil if all sources succeeded.
  package var error: RemoraError? {
    let failed = items.filter { $0.result.error != nil }
    guard let first = failed.first, let error = first.result.error else { return nil }
    let verb = failed.count == 1 ? "failed" : "failed; first failure"
    return error.prefixed(by: "\(failed.count) of \(items.count) sources \(verb): \(first.source.name): ")
  }
}
