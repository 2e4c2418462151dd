// SPDX-License-Identifier: Apache-2.0

/// The state of a source at one moment, for hosts that display or monitor it.
package struct SourceInfo: Sendable {
  package let origin: Origin
  package let version: Int64
  package let fetchedAtMs: Int64
  /// The time since the last success of any process; nil if there was none.
  package let checkedAgeMs: Int64?
  package let checkedAtMs: Int64
  package let attemptedAtMs: Int64
  /// The rest of the server's backoff.
  package let retryAfterMs: Int64
  /// The number of records that are hidden because evaluating their filter failed.
  package let filterFailures: Int
  package let generation: UInt64
  /// Whether a newer image is staged.
  package let hasStaged: Bool
  /// The newest rejected version; nil if there is none.
  package let rejectedVersion: Int64?
  package let lastError: RemoraError?
  package let storageError: RemoraError?
  package let freshness: Freshness
}

extension Source {
  package func info() throws(RemoraError) -> SourceInfo {
    startPollingIfNeeded()
    let now = services.options.clock.nowMs
    let retryAfter = core.server.backoff.leftMs(nowMs: now)
    return try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      let (live, data) = (live(locked), core.state[locked].data)
      let ledger = data.ledger
      return SourceInfo(
        origin: live.origin, version: live.base.metadata.version, fetchedAtMs: live.base.metadata.fetchedAtMs,
        checkedAgeMs: ledger.lastSuccessMs > 0 ? max(0, now &- ledger.lastSuccessMs) : nil,
        checkedAtMs: ledger.lastSuccessMs, attemptedAtMs: ledger.lastAttemptMs, retryAfterMs: retryAfter,
        filterFailures: live.filterFailures,
        generation: ledger.generation, hasStaged: data.staged != nil,
        rejectedVersion: data.rejected?.image.version, lastError: data.problems.refresh,
        storageError: data.problems.storage ?? overridesStore.file[locked].problem,
        freshness: core.freshness(locked))
    }
  }
}
