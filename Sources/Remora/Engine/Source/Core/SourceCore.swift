// SPDX-License-Identifier: Apache-2.0
//
// The data that all parts of a source share: its state, its snapshots, its refreshes and its subscribers.

/// The data that all parts of a source share.
final class SourceCore: SourcePart, Sendable {
  struct State {
    /// The state of the data. After the opening it changes by `apply`; only the pending experiments also change when an
    /// event takes them, at a later opening, and in the child of a fork.
    var data: SourceState
    /// The number of open handles.
    var handles = 0
    /// Whether the source has ended: by the client's close, or with the last handle. Set once.
    var isEnded = false
  }

  let dialect: any Dialect
  let services: ClientServices
  /// The options of the first opening; those of later openings of the same source have no effect.
  let options: SourceOptions
  /// Whether the source has files.
  let usesStorage: Bool
  /// The names of its files, and of its server's ledger.
  let name: StorageName
  let serverName: StorageName
  /// The live snapshot, for readers. Its memory is freed with this object: whoever copies the cell keeps the core too.
  let cell: LiveCell
  let state: Guarded<State>
  /// The snapshots.
  let snapshots: Settled<SourceSnapshots>
  /// The refreshes in progress, the running one first.
  let runs = Guarded<[RefreshRun]>([])
  /// The subscribers of its events.
  let subscribers: Subscribers

  /// Creates the core from the result of an opening.
  init(_ opening: SourceOpening) {
    dialect = opening.dialect
    services = opening.services
    options = opening.options
    usesStorage = opening.storage != nil
    name = opening.name
    serverName = StorageName(hashing: opening.dialect.serverIdentity ?? "nowhere")
    cell = LiveCell(opening.snapshots.live)
    state = Guarded(State(data: opening.state))
    snapshots = Settled(opening.snapshots)
    subscribers = Subscribers(opening.services)
  }

  deinit { cell.destroy() }

  var core: SourceCore { self }

  /// Ends reads: they return nil from now on. The caller may have the last reference to this object, whose memory must
  /// outlive the write.
  func closeReads() { withExtendedLifetime(self) { cell.close() } }

  /// The current state of the data. Takes the lock.
  var known: SourceState { lock.withLock { state.read($0, \.data) } }
  /// The current ledger, without copying the rest of the state.
  var ledger: SourceLedger { lock.withLock { state.read($0, \.data.ledger) } }

  /// Checks that the source and its client are open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if !isOpen(locked) { throw .closed }
  }

  /// Checks that the source and its client are open. Takes the lock.
  func requireOpen() throws(RemoraError) {
    try services.runtime.lock.withLock { locked throws(RemoraError) in try requireOpen(locked) }
  }

  func isOpen(_ locked: borrowing Locked) -> Bool {
    !state.read(locked, \.isEnded) && !services.state.read(locked, \.isClosed)
  }

  /// The directory of the files; nil keeps the source in memory. Takes the lock.
  var storage: StorageDirectory? { usesStorage ? services.storage : nil }

  /// Returns the directory of the files for a write; nil keeps the source in memory.
  ///
  /// - Throws: The errors of `ClientServices.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? {
    usesStorage ? try services.requireStorage() : nil
  }

  // MARK: The log

  /// Queues a log line, if the host receives lines of this level. Takes the lock.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    services.note(level, of: dialect, message())
  }

  /// Records and logs an error of the storage.
  func noteStorage(_ error: RemoraError, _ consequence: StaticString) {
    note(.warning, "\(error.message); \(consequence)")
    lock.withLock { _ = apply(.storageFailed(error), $0) }
  }
}
