// SPDX-License-Identifier: Apache-2.0
//
// What all parts of a source share: what is known of its data, its snapshots, and who uses it.

/// What all parts of a source share.
final class SourceCore: SourcePart, Sendable {
  struct State {
    /// What is known of the data. After the opening `apply` changes it; what is announced also moves in `Source+Openers`.
    var data: SourceState
    /// How many openers have the source.
    var handles = 0
    /// Set once: by the client's close, or with the last handle.
    var isEnded = false
  }

  let dialect: any Dialect
  let services: ClientServices
  /// What it was opened with; those of later openings of the same source have no effect.
  let options: SourceOptions
  /// Whether it has files.
  let usesStorage: Bool
  /// The names of its files and of its server's ledger.
  let name: StorageName
  let serverName: StorageName
  /// The live snapshot, for readers.
  let cell: LiveCell
  let state: Guarded<State>
  /// Its snapshots.
  let snapshots: Settled<SourceSnapshots>
  /// Refreshes under way, the one that is running first.
  let runs = Guarded<[RefreshRun]>([])
  /// Who gets its events.
  let subscribers: Subscribers

  /// Begins as an opening has found it.
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

  /// What is known of the data now. Takes the lock.
  var known: SourceState { lock.withLock { state.read($0, \.data) } }
  /// Its ledger, without a copy of the rest.
  var ledger: SourceLedger { lock.withLock { state.read($0, \.data.ledger) } }

  /// Checks that the source and its client are open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if !isOpen(locked) { throw .closed }
  }

  /// The same; takes the lock.
  func requireOpen() throws(RemoraError) {
    try services.runtime.lock.withLock { locked throws(RemoraError) in try requireOpen(locked) }
  }

  func isOpen(_ locked: borrowing Locked) -> Bool {
    !state.read(locked, \.isEnded) && !services.state.read(locked, \.isClosed)
  }

  /// Where the files are; nil keeps the source in memory. Takes the lock.
  var storage: StorageDirectory? { usesStorage ? services.storage : nil }

  /// The same for a write.
  ///
  /// - Throws: As `ClientServices.requireStorage`.
  func requireStorage() throws(RemoraError) -> StorageDirectory? {
    usesStorage ? try services.requireStorage() : nil
  }

  // MARK: The log

  /// Queues a log line, if the host wants lines of this level. Takes the lock.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    services.note(level, of: dialect, message())
  }

  /// Remembers and logs a failure of the storage.
  func noteStorage(_ error: RemoraError, _ consequence: StaticString) {
    note(.warning, "\(error.message); \(consequence)")
    lock.withLock { _ = apply(.storageFailed(error), $0) }
  }
}
