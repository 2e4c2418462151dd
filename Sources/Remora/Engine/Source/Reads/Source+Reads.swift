// SPDX-License-Identifier: Apache-2.0
//
// Reads of a source other than single values: snapshots, metadata, the signature.

extension Source {
  /// The metadata of the newest data, live or staged; nil if there is none.
  package var newestMetadata: ImageMetadata? { lock.withLock { newest($0)?.metadata } }

  /// Returns the address of a number that changes with the live snapshot; see `LiveCell.revision`.
  package func revision() throws(RemoraError) -> UnsafePointer<Int64> {
    try core.requireOpen()
    return cell.revision
  }

  /// Returns the live snapshot, retained; with `isUnfiltered` it includes entries that filters hide.
  package func acquire(isUnfiltered: Bool = false) throws(RemoraError) -> Snapshot {
    startPollingIfNeeded()
    try core.requireOpen()
    let snapshot = cell.acquire()
    return isUnfiltered ? snapshot.unfiltered : snapshot
  }

  /// Returns the signature with which the live data was accepted, with its chain, in the form of packaged data; nil if
  /// there is none, or its chain is no longer known. Waits while the worker runs a job.
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

  /// Returns the active keys of a snapshot, or of the live one for nil; see `Snapshot.namespaces`. They are valid as
  /// long as the snapshot, which is returned too.
  ///
  /// - Throws: `.invalidArgument` for a kind of source that does not distinguish its document's keys from others;
  ///   `.closed`.
  package func namespaces(of snapshot: Snapshot?) throws(RemoraError) -> (of: Snapshot, [Namespace]) {
    let live = try acquire()
    let snapshot = snapshot ?? live
    guard case .keepUnlisted = dialect.updates else {
      throw .invalidArgument("source", "has no namespaces: it is not a bundle")
    }
    guard snapshot.isOfNoSource || snapshot.base.metadata.identity == dialect.identity else {
      throw .invalidArgument("snapshot", "belongs to another source")
    }
    return (snapshot, snapshot.namespaces(defaultKey: options.defaults?.first))
  }
}
