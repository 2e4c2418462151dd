// SPDX-License-Identifier: Apache-2.0
//
// The data that all parts of a source share: its state, its snapshots and its subscribers.

/// The snapshots of a source, and the adjustments from which they are composed.
struct SourceSnapshots {
  var live: Snapshot
  /// The snapshot that is not activated yet.
  var staged: Snapshot?
  /// The newest rejected image, as the files have it, and those whose rejection is not stored yet.
  var rejected: [Image]
  /// The adjustments above every base.
  var adjustments: Adjustments

  /// The newest data; nil if there is none.
  var newest: Image? { staged?.base ?? (live.origin == .none ? nil : live.base) }
}

/// The data that all parts of a source share.
final class SourceCore: SourcePart, Sendable {
  struct State {
    /// The state of the data. After the opening it changes by `apply`; only the pending experiments also change when an
    /// event takes them, at a later opening, and in the child of a fork.
    var data: SourceState
    /// The freshness that subscribers know. Not kept without subscribers.
    var reportedFreshness = Freshness.none
    /// The number of open handles.
    var handles = 0
    /// Whether the source has ended: by the client's close, or with the last handle. Set once.
    var isEnded = false
  }

  let dialect: any Dialect
  let services: ClientServices
  /// The options of the first opening; those of later openings of the same source have no effect.
  let options: SourceOptions
  let usesStorage: Bool
  /// The names of its files, and of its server's ledger.
  let name: StorageName
  let serverName: StorageName
  /// The live snapshot, for readers. Its memory is freed with this object: whoever copies the cell keeps the core too.
  let cell: LiveCell
  let state: Guarded<State>
  let snapshots: Settled<SourceSnapshots>
  let subscribers: Subscribers

  init(
    _ dialect: any Dialect, _ services: ClientServices, _ options: SourceOptions, usesStorage: Bool,
    _ name: StorageName, _ snapshots: SourceSnapshots, _ state: SourceState
  ) {
    self.dialect = dialect
    self.services = services
    self.options = options
    self.usesStorage = usesStorage
    self.name = name
    serverName = StorageName(hashing: dialect.serverIdentity ?? "nowhere")
    cell = LiveCell(snapshots.live)
    self.state = Guarded(State(data: state))
    self.snapshots = Settled(snapshots)
    subscribers = Subscribers(services)
  }

  deinit { cell.destroy() }

  var core: SourceCore { self }

  /// Ends reads: they return nil from now on. The caller may have the last reference to this object, whose memory must
  /// outlive the write.
  func closeReads() { withExtendedLifetime(self) { cell.close() } }

  /// The current state of the data. Takes the engine lock.
  var known: SourceState { lock.withLock { state[$0].data } }
  /// The current ledger, without copying the rest of the state.
  var ledger: SourceLedger { lock.withLock { state[$0].data.ledger } }

  /// Checks that the source and its client are open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: Locked) throws(RemoraError) {
    if !isOpen(locked) { throw .closedSource }
  }

  /// Checks that the source and its client are open. Takes the engine lock.
  func requireOpen() throws(RemoraError) {
    try services.runtime.lock.withLock { locked throws(RemoraError) in try requireOpen(locked) }
  }

  /// Checks that a snapshot from the host belongs to this source.
  ///
  /// - Throws: `.invalidArgument`.
  func requireOwn(_ snapshot: Snapshot) throws(RemoraError) {
    guard snapshot.isOfNoSource || dialect.identities.contains(snapshot.base.metadata.identity) else {
      throw .invalidArgument("snapshot", "belongs to another source")
    }
  }

  func isOpen(_ locked: Locked) -> Bool {
    !state[locked].isEnded && !services.state[locked].isClosed
  }

  /// The directory of the files; nil keeps the source in memory. Takes the engine lock.
  var storage: StorageDirectory? { usesStorage ? services.storage : nil }

  /// Returns the directory of the files for a write; nil keeps the source in memory.
  ///
  /// - Throws: The errors of `ClientServices.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? {
    usesStorage ? try services.requireStorage() : nil
  }

  // MARK: The log

  /// Queues a log line, if the host receives lines of this level. Takes the engine lock.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    services.note(level, of: dialect, message())
  }

  /// Records and logs an error of the storage.
  func noteStorage(_ error: RemoraError, _ consequence: StaticString) {
    note(.warning, "\(error.message); \(consequence)")
    lock.withLock { _ = apply(.storageFailed(error), $0) }
  }
}

// A source's view of its server: the ledger that all sources of the server share.

extension SourceCore {
  /// The ledger of the source's server.
  var server: ServerLedger { services.serverLedger(serverName) }

  /// Changes the ledger of the server, in memory and on disk.
  func updateServer(_ change: (inout ServerLedger) -> Void) {
    do throws(RemoraError) {
      try services.updateServerLedger(serverName, change)
    } catch {
      noteStorage(error)
    }
  }

  /// Raises the clock floor after a new signed version, or the confirmation of one. The ledger is written once an hour,
  /// not with each refresh.
  func noteVerified(atMs nowMs: Int64) {
    let floor = nowMs.addingClamped(-dayMs)
    guard floor >= server.clockFloorMs.addingClamped(3600 * 1000) else { return }
    updateServer { $0.clockFloorMs = max($0.clockFloorMs, floor) }
  }

  /// Records what the headers of a response request: an Alert, which is logged once, and a backoff of the source's own
  /// server, unless a known one ends later. Pauses use the clock without the floor of the server, because a pause never
  /// ends while the clock stands still at the floor. A pause after a refusal of the credentials is not stored.
  ///
  /// - Returns: The requested backoff; an empty one if the source's own server requested none.
  @discardableResult
  func noteRequests(of response: HTTPResponse, to gather: Gather) -> Backoff {
    let headers = response.headers
    if let alert = headers.alert {
      services.warnOnce("\(gather.url.originText) sent an Alert header: \(String(alert.unicodeScalars.prefix(500)))")
    }
    guard gather.isOwnOrigin, let pause = headers.retryAfterMs, pause > 0 else { return Backoff() }
    let now = services.options.clock.nowMs
    let backoff = Backoff(lengthMs: pause, nowMs: now)
    if response.status == 401 || response.status == 403 {
      services.noteRefusal(by: serverName, backoff, nowMs: now)
    } else {
      updateServer { if $0.backoff.leftMs(nowMs: now) < pause { $0.backoff = backoff } }
    }
    return backoff
  }

  /// - Throws: `.backoff` during a backoff that the server requested.
  func requireNoBackoff() throws(RemoraError) {
    try server.requireNoBackoff(nowMs: services.options.clock.nowMs)
  }
}
