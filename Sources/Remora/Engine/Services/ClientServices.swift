// SPDX-License-Identifier: Apache-2.0
//
// The services that a client shares with its sources and attachments: options, storage, transport, callbacks and log.
// Sources hold these services and never the client.

package final class ClientServices: Sendable {
  struct State {
    var isClosed = false
    /// The directory for images: that of the options, or the one that replaced it.
    var storage: StorageDirectory?
    /// The number of replacements of the storage directory.
    var replacements = 0
    /// The repairs of the directory that were logged.
    var notedRepairs: DirectoryRepairs = []
    /// The attributes of the application, for filters.
    var context = FilterContext()
    /// Receives log lines until the client is closed.
    var log: Log?
    /// Warnings that are not repeated.
    var warned: Set<String> = []
    /// Called with attempts until the client is closed.
    var onAttempt: (@Sendable (Attempt) -> Void)?
    /// Reads the host's clock until the client is closed.
    var readClock: (@Sendable () -> HostTime?)?
    /// The ledgers of servers, in addition to the stored ones.
    var servers: [StorageName: KnownServer] = [:]
    /// The pauses that servers requested when they refused the client's credentials. They are never stored, because
    /// other processes may have other credentials.
    var refusals: [StorageName: Backoff] = [:]
    /// The options of the requests that start next. The host can replace their headers.
    var transportOptions: TransportOptions
    /// Sources whose events the host stopped, for the rest of the client's lifetime.
    var muted: Set<StorageName> = []
  }

  let options: ClientOptions
  let runtime: Runtime
  let delivery: Delivery
  /// The snapshot of a source without any data.
  let nothing: Snapshot
  /// The host's clock; nil means the machine's.
  let hostClock: HostClock?
  /// The host's transport; nil means libcurl, or the transport of a test.
  let hostTransport: HostTransport?
  /// The level up to which the host receives log lines; nil without a log.
  let logLevel: LogLevel?
  let state: Guarded<State>

  /// Reads the host's clock, if any.
  ///
  /// - Throws: `.unavailable` if memory is exhausted.
  init(_ options: ClientOptions, _ host: borrowing HostFunctions, runtime: Runtime) throws(RemoraError) {
    var clock: HostClock?
    if let readClock = host.readClock {
      guard let start = readClock() else { throw .exiting }
      clock = HostClock(start)
    }
    let transport = host.transport.map { TimeLimits(runtime: runtime, clock: clock).transport($0) }
    var options = options
    if let clock { options.clock = clock }
    if let transport { options.transport = transport }
    self.options = options
    self.runtime = runtime
    hostClock = clock
    hostTransport = transport
    state = Guarded(
      State(
        storage: options.storage, log: host.log, onAttempt: host.onAttempt, readClock: host.readClock,
        transportOptions: options.transportOptions))
    logLevel = host.log?.level
    delivery = Delivery(options.callbacks, runtime: runtime)
    nothing = try .empty(hashSeed: runtime.hashSeed)
  }

  var lock: ProcessLock { runtime.lock }

  var transport: any Transport { options.transport ?? runtime.transport }

  /// The options of a request that starts now.
  var transportOptions: TransportOptions { lock.withLock { state[$0].transportOptions } }

  var limits: TimeLimits { TimeLimits(runtime: runtime, clock: hostClock) }

  /// The seed of hash tables in images that the client writes. The first use reads a file.
  var hashSeed: HashSeed { storage?.hashSeed ?? runtime.hashSeed }

  /// Whether the host stopped the events of a source.
  func isMuted(_ name: StorageName) -> Bool { lock.withLock { state[$0].muted.contains(name) } }

  /// Checks that the client is open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: Locked) throws(RemoraError) {
    if state[locked].isClosed { throw .closed }
  }

  /// Starts the delivery of events: those of this process, and those for which the engine thread checks once a second,
  /// of other processes and of freshness.
  func startDelivering(_ locked: Locked) throws(RemoraError) {
    try delivery.startIfNeeded(locked)
    if options.storage != nil || options.maxStaleMs != nil { try runtime.startWorker(locked) }
  }

  /// Ends the log, the reports of attempts, and the calls of the host's clock and transport. Returns the callbacks, to
  /// be released after unlocking.
  func close(_ locked: Locked) -> [Any] {
    state[locked].isClosed = true
    return [
      exchange(&state[locked].log, nil) as Any, exchange(&state[locked].onAttempt, nil) as Any,
      exchange(&state[locked].readClock, nil) as Any, hostTransport?.close() as Any,
    ]
  }
}
