// SPDX-License-Identifier: Apache-2.0
//
// Reads of a source other than single values: snapshots, metadata, the signature.

// For tests only: those of the core, and the simulation, which is a module of its own.

extension Source {
  /// The metadata of the newest data, live or staged; nil if there is none.
  package var newestMetadata: ImageMetadata? { lock.withLock { newest($0)?.metadata } }

  /// The snapshot that is not activated yet, retained; nil if there is none.
  package var stagedSnapshot: Snapshot? { lock.withLock { staged($0) } }

  /// Whether a rejection is in memory only, until the files are free and can be written.
  package var isRejectionPending: Bool { known.rejected?.isDue == true }
}

extension Source {
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

  /// The live snapshot, retained; the last live one after the source was closed.
  package var lastSnapshot: Snapshot {
    startPollingIfNeeded()
    return cell.acquire()
  }

  /// Binds a place in the source, which then caches the values that are read there. The texts are copied.
  ///
  /// - Throws: `.invalidArgument` for the key or the pointer; `.unavailable` if memory is exhausted; `.closed`.
  package func bind(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?
  ) throws(RemoraError) -> BoundKey {
    try requireKey(bytes(of: key))
    if let pointer { try requireJSONPointer(bytes(of: pointer)) }
    startPollingIfNeeded()
    try core.requireOpen()
    guard let bound = BoundKey(self, key: key, pointer: pointer) else {
      throw .outOfMemory(for: "a bound key")
    }
    return bound
  }

  /// Returns the signature with which the live data was accepted, with its chain, in the form of packaged data; nil if
  /// there is none, or its chain is no longer known. Waits while the engine thread runs a job.
  package func liveSignature() throws(RemoraError) -> ContentSignature? {
    var found: ContentSignature?
    try runtime.worker.perform { exclusive throws(RemoraError) in
      let parts = live(exclusive).base.metadata.signature.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { return }
      var signature = ContentSignature(mode: parts[0], signature: parts[1], x5u: parts[2])
      let url = try dialect.chain(of: signature).urlText
      guard let chain = runtime.worker.chains(exclusive).pem(fromURL: url, atMs: services.options.clock.nowMs) else {
        return
      }
      signature.chain = chain
      found = signature
    }
    return found
  }

  /// Explains why a read by key returns its value. Reads the former live image, so it may wait for the disk.
  ///
  /// - Throws: `.invalidArgument` for the pointer; `.closed`; `.tooLarge`; `.unavailable`.
  package func explain(_ key: [UInt8], _ pointer: [UInt8]) throws(RemoraError) -> Explanation {
    startPollingIfNeeded()
    let (snapshots, context) = try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      return (core.snapshots[locked], services.state[locked].context)
    }
    var data = ExplainedData(
      snapshots.live, under: snapshots.adjustments, hiding: dialect.hiding, in: context,
      nowMs: services.options.clock.nowMs)
    data.staged = snapshots.staged?.base
    data.packaged = options.packaged?.image
    data.defaults = options.defaults?.members.image
    data.rejected = snapshots.rejected.max { $0.metadata.version < $1.metadata.version }
    // A former image that cannot be read explains nothing. After a rejection it is the live one.
    if let file = try? storage?.readImage(name, .previous), let former = try? Image(file),
      former.checksum != snapshots.live.base.checksum
    {
      data.previous = former
    }
    return try Explanation(of: data, key: key, pointer: pointer)
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
    try core.requireOwn(snapshot)
    return (snapshot, snapshot.namespaces(defaultKey: options.defaults?.first))
  }
}

extension Source {
  /// Returns the namespaces of the bundle that is live after an event, in its order, if a tracker of Snowplow would
  /// call its success callback for the event; otherwise, and for a subscriber of a key, nil. They are valid as long as
  /// the event.
  package func configuration(of event: Event) -> [Namespace]? {
    guard case .keepUnlisted = dialect.updates, !event.isOfKey, event.new.origin != .none else { return nil }
    switch (event.cause, event.outcome) {
    case (.opened, _), (.refreshed, .updated), (.adopted, .none):
      return event.new.namespaces(defaultKey: options.defaults?.first).filter(\.isOfDocument)
    default: return nil
    }
  }
}
