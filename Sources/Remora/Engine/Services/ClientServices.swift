// SPDX-License-Identifier: Apache-2.0
//
// What a client shares with its sources and attachments: options, storage, transport, callbacks and log. Sources hold
// these services and never the client.

/// What a client shares with its sources and attachments.
package final class ClientServices: Sendable {
  struct State {
    var isClosed = false
    /// Where images are: that of the options, or the directory that replaced it.
    var storage: StorageDirectory?
    /// How often the storage directory was replaced.
    var replacements = 0
    /// What filters know of the application.
    var context = FilterContext()
    /// Receives log lines until the close.
    var log: Log?
    /// Called with attempts until the close.
    var onAttempt: (@Sendable (Attempt) -> Void)?
    /// What is known of servers, beside what is stored.
    var servers: [StorageName: ServerLedger] = [:]
    /// Sources whose events the host stopped, for the rest of the client's life.
    var silenced: Set<StorageName> = []
  }

  let options: ClientOptions
  let runtime: Runtime
  let delivery: Delivery
  /// The snapshot of a source that has nothing yet.
  let nothing: Snapshot
  /// Whether the host wants every line.
  let isDebugLogged: Bool
  let state: Guarded<State>

  /// - Throws: `.unavailable` when memory ends.
  init(
    _ options: ClientOptions, log: Log?, onAttempt: (@Sendable (Attempt) -> Void)?, runtime: Runtime
  ) throws(RemoraError) {
    self.options = options
    self.runtime = runtime
    state = Guarded(State(storage: options.storage, log: log, onAttempt: onAttempt))
    isDebugLogged = log?.level == .debug
    delivery = Delivery(options.callbacks, runtime: runtime)
    nothing = try .empty(hashSeed: runtime.hashSeed)
  }

  var lock: ProcessLock { runtime.lock }

  /// How bytes are fetched.
  var transport: any Transport { options.transport ?? runtime.transport }

  /// Seeds the hash tables of images that the client writes. Reads a file at its first use.
  var hashSeed: HashSeed { storage?.hashSeed ?? runtime.hashSeed }

  /// Whether the host stopped the events of a source.
  func isSilenced(_ name: StorageName) -> Bool { lock.withLock { state.read($0, \.silenced).contains(name) } }

  /// Checks that the client is open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if state.read(locked, \.isClosed) { throw .closed }
  }

  /// Starts what delivers events: those of this process, and those of others, which the worker polls for.
  func startDelivering(_ locked: borrowing Locked) throws(RemoraError) {
    try delivery.startIfNeeded(locked)
    if options.storage != nil { try runtime.startWorker(locked) }
  }

  /// Ends the log and the reports of attempts. Returns what they held, to be released after unlocking.
  func close(_ locked: borrowing Locked) -> [Any] {
    state.set(locked, \.isClosed, to: true)
    return [state.set(locked, \.log, to: nil) as Any, state.set(locked, \.onAttempt, to: nil) as Any]
  }
}
