// SPDX-License-Identifier: Apache-2.0
//
// The state of a source, for hosts that want to show or watch it.

/// What is known of a source at one moment.
package struct SourceInfo: Sendable {
  package let origin: Origin
  package let version: Int64
  package let fetchedAtMs: Int64
  /// Time since the last success of anyone; nil when never.
  package let ageMs: Int64?
  package let lastSuccessMs: Int64
  package let lastAttemptMs: Int64
  /// What is left of the server's backoff.
  package let retryAfterMs: Int64
  /// Records that are hidden because their filter has no value.
  package let filterFailures: Int
  package let generation: UInt64
  /// Whether a newer image waits for its activation.
  package let isPending: Bool
  package let lastError: RemoraError?
  package let storageError: RemoraError?
}

extension Source {
  /// The state of this source.
  package func info() throws(RemoraError) -> SourceInfo {
    attendIfUnattended()
    let now = services.options.clock.nowMs
    let retryAfter = core.server.backoffMs(nowMs: now)
    return try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      let (live, data) = (live(locked), core.state.read(locked, \.data))
      let ledger = data.ledger
      return SourceInfo(
        origin: live.origin, version: live.base.metadata.version, fetchedAtMs: live.base.metadata.fetchedAtMs,
        ageMs: ledger.lastSuccessMs > 0 ? max(0, now &- ledger.lastSuccessMs) : nil,
        lastSuccessMs: ledger.lastSuccessMs, lastAttemptMs: ledger.lastAttemptMs, retryAfterMs: retryAfter,
        filterFailures: live.filterFailures,
        generation: ledger.generation, isPending: data.staged != nil, lastError: data.problems.refresh,
        storageError: data.problems.storage ?? overridesStore.file.read(locked, \.problem))
    }
  }

  /// What is known of the newest data, live or staged; nil while there is none.
  package var newestMetadata: ImageMetadata? { lock.withLock { newest($0)?.metadata } }

  /// The address of a number by which a host sees that another snapshot is live; see `LiveCell.revision`.
  package func revision() throws(RemoraError) -> UnsafePointer<Int64> {
    try core.requireOpen()
    return cell.revision
  }

  /// The live snapshot, to be kept; with what filters hide, when it is to be unfiltered.
  package func acquire(isUnfiltered: Bool = false) throws(RemoraError) -> Snapshot {
    attendIfUnattended()
    try core.requireOpen()
    let snapshot = cell.acquire()
    return isUnfiltered ? snapshot.unfiltered : snapshot
  }

  /// The signature by which the live data was accepted, with its chain, as packaged data brings them; nil when none was,
  /// or its chain is not known any more. Waits while the worker does a job.
  package func liveSignature() throws(RemoraError) -> ContentSignature? {
    var found: ContentSignature?
    try runtime.worker.perform { right throws(RemoraError) in
      let parts = live(right).base.metadata.signature.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { return }
      var signature = ContentSignature(mode: parts[0], signature: parts[1], x5u: parts[2])
      let url = try dialect.chain(of: signature).urlText
      guard let chain = runtime.worker.chains(right).pem(fromURL: url, atMs: services.options.clock.nowMs) else {
        return
      }
      signature.chain = chain
      found = signature
    }
    return found
  }
}
