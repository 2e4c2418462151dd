// SPDX-License-Identifier: Apache-2.0
//
// What a host reads of a source beside single values: snapshots, metadata, the signature.

extension Source {
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

  /// The active keys of a snapshot, nil for the live one: see `Snapshot.namespaces`. They live as long as the snapshot,
  /// which comes with them.
  ///
  /// - Throws: `.invalidArgument` for a source that does not tell its document's keys from others; `.closed`.
  package func namespaces(of snapshot: Snapshot?) throws(RemoraError) -> (of: Snapshot, [Namespace]) {
    let live = try acquire()
    let snapshot = snapshot ?? live
    guard case .keepUnlisted = dialect.updates else {
      throw .invalidArgument("source", "has no namespaces: it is no bundle")
    }
    guard snapshot.isOfNoSource || snapshot.base.metadata.identity == dialect.identity else {
      throw .invalidArgument("snapshot", "is of another source")
    }
    return (snapshot, snapshot.namespaces(defaultKey: options.defaults?.first))
  }
}
