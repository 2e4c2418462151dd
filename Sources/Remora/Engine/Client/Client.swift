// SPDX-License-Identifier: Apache-2.0
//
// A client: its storage directory, its limits for requests, its sources and its callbacks.

/// What a client is made with.
package struct ClientOptions: Sendable {
  /// Where images are; nil keeps everything in memory.
  package var storage: StorageDirectory?
  /// Limits and headers of its requests.
  package var transportOptions = TransportOptions()
  /// Default server and bucket of its collections.
  package var server = "prod"
  package var bucket = "main"
  /// Where callbacks run.
  package var callbacks = CallbackPlace.thread
  /// Wall time.
  package var clock: any Clock = SystemClock()
  /// Draws the parts of intervals.
  package var random: @Sendable () -> UInt32 = { .random(in: 0 ... .max) }
  /// How bytes are fetched; nil is libcurl.
  package var transport: (any Transport)?

  package init(storage: StorageDirectory?) { self.storage = storage }
}

/// A client.
///
/// Concurrency: "State" is guarded by the process's lock, the rest is constant. `@unchecked Sendable` for that reason.
package final class Client: ProcessMember, @unchecked Sendable {
  package let options: ClientOptions
  let runtime: Runtime
  package let delivery: Delivery
  /// The snapshot of a source that has nothing yet.
  let nothing: Snapshot
  /// Whether the host wants every line.
  let isDebugLogged: Bool

  // State
  /// The sources that are open.
  private var sources = SourceTable()
  private(set) var isClosed = false
  /// Where images are: that of the options, or the directory that replaced it.
  private var currentStorage: StorageDirectory?
  /// What filters know of the application.
  private(set) var context = FilterContext()
  /// Told what happens, until the close.
  private var log: Log?
  /// Told of attempts, until the close.
  private(set) var onAttempt: (@Sendable (Attempt) -> Void)?
  /// When the storage directory was cleaned last; the worker's.
  var sweptAtMs: Int64?
  /// What is known of servers, beside what is stored.
  var servers: [StorageName: ServerLedger] = [:]
  /// Sources that were told to stop listening, for the rest of this client's life.
  var silenced: Set<StorageName> = []
  /// Syncs that have not ended.
  var syncs: [Sync] = []
  /// What is known and done of attachments.
  var attachments = AttachmentState()

  /// Makes a client. Sends nothing and starts no thread.
  package init(
    _ options: ClientOptions, log: Log? = nil, onAttempt: (@Sendable (Attempt) -> Void)? = nil,
    runtime: Runtime = .shared
  ) {
    self.options = options
    currentStorage = options.storage
    self.log = log
    isDebugLogged = log?.level == .debug
    self.onAttempt = onAttempt
    self.runtime = runtime
    delivery = Delivery(options.callbacks, runtime: runtime)
    nothing = .empty(hashSeed: runtime.hashSeed)
    runtime.lock.withLock { runtime.add(self) }
    guard log?.level != nil else { return }
    if let problem = options.storage?.writeProblem {
      note(.warning, "\(problem.message); settings are kept in memory only")
    }
    for line in runtime.takePreconnectLines() { note(line.level, line.text) }
  }

  /// How bytes are fetched.
  var transport: any Transport { options.transport ?? runtime.transport }

  /// Where images are now; nil keeps everything in memory. Not inside the lock.
  var storage: StorageDirectory? { runtime.lock.withLock { currentStorage } }

  /// Seeds the hash tables of images that this client writes. Reads a file at its first use: not inside the lock.
  var hashSeed: HashSeed { storage?.hashSeed ?? runtime.hashSeed }

  /// Opens a source, or another handle of one that is open.
  ///
  /// - Parameter first: A first subscriber, told the state at open.
  package func open(
    _ dialect: any Dialect, _ options: SourceOptions, first: FirstSubscriber? = nil
  ) throws(RemoraError) -> OpenSource {
    var untold: [ExperimentID] = []
    while true {
      guard let handle = try keep(dialect, options, isHeard: first != nil, bringing: &untold) else { continue }
      return try runtime.lock.withLock { () throws(RemoraError) in
        try handle.source.requireOpen()
        if let first { handle.source.add(first: first(handle), owner: handle) }
        return handle.fetching(options.fetchesAtOpen)
      }
    }
  }

  /// A handle of the source that is open, or that is opened here. Nil when it was closed in between, or the context
  /// changed; what was to be announced is for the next try then.
  private func keep(
    _ dialect: any Dialect, _ options: SourceOptions, isHeard: Bool, bringing untold: inout [ExperimentID]
  ) throws(RemoraError) -> OpenSource? {
    // Made outside of the lock, because it reads files; another thread may open the same source meanwhile.
    let identity = dialect.identity
    let (isOpen, context) = runtime.lock.withLock { (sources[identity] != nil, self.context) }
    let candidate = isOpen ? nil : Source(SourceOpening(dialect, client: self, options, context: context))
    let owesPromotion = candidate?.owedPromotion != nil
    untold.add(candidate?.untoldExperiments ?? [])
    let handle = try runtime.lock.withLock { () throws(RemoraError) -> OpenSource? in
      guard !isClosed else { throw .closed }
      if isHeard { try startDelivering() }
      if let source = sources[identity] { return source.open(bringing: untold) }
      guard let candidate, self.context === context else { return nil }
      if options.refreshIntervalMs != nil { try runtime.startWorker() }
      sources.append(candidate)
      if !runtime.worker.isRunning { candidate.noteAttendance(false, patienceMs: monotonicMs() + Source.patienceMs) }
      return candidate.open(bringing: untold)
    }
    if let handle, handle.source !== candidate { handle.source.noteIgnored(options) }
    // By the source that was kept alone: who promotes has to announce it.
    if owesPromotion, let candidate, handle?.source === candidate {
      runtime.worker.perform { candidate.settlePromotion() }
    }
    return handle
  }

  /// Whether a source was told to stop listening.
  func isSilenced(_ name: StorageName) -> Bool { runtime.lock.withLock { silenced.contains(name) } }

  /// Queues a log line, if somebody listens at this level.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    // Outside of the lock only the level: the last reference to the log calls the host, and belongs to the close.
    guard let wanted = runtime.lock.withLock({ log?.level }), level.rawValue <= wanted.rawValue else { return }
    let line = printable(message())
    runtime.lock.withLock {
      guard let log, delivery.hasRoomForLog else { return }
      delivery.enqueueLine { log.receive(level, line) }
    }
  }

  /// Queues a log line about a source, which begins with the source's name.
  func note(_ level: LogLevel, of dialect: any Dialect, _ message: @autoclosure () -> String) {
    note(level, "\(dialect.displayName): \(message())")
  }

  /// Makes a JSON object the context of all filters; nil is none. What that changes is live when this returns.
  ///
  /// - Throws: `.invalidArgument`, `.closed`; nothing was changed.
  package func setContext(_ json: String?) throws(RemoraError) {
    let next = try json.map(FilterContext.init(json:)) ?? FilterContext()
    try runtime.worker.perform { () throws(RemoraError) in
      let sources = try runtime.lock.withLock { () throws(RemoraError) in
        guard !isClosed else { throw .closed }
        context = next
        return openSources
      }
      for source in sources { source.recompose() }
    }
  }

  /// Ends the client: requests, waits and callbacks end, and nothing begins afterwards. Log lines that are queued are
  /// delivered first, unless the caller is inside a callback.
  package func close() {
    let (ended, dropped, thread, isInside) = runtime.lock.withLock {
      isClosed = true
      let sources = openSources
      self.sources = SourceTable()
      for source in sources { source.cell.close() }
      runtime.lock.broadcast()
      let isInside = runtime.isInsideCallback
      var dropped: [Any] = [log as Any, onAttempt as Any]
      log = nil
      onAttempt = nil
      dropped += endSyncs(.closed)
      for source in sources { dropped += source.end(.closed) }
      let (queue, thread) = delivery.close(keepingLines: !isInside)
      dropped.append(queue)
      if !isInside { delivery.waitForCallback(of: nil) }
      runtime.remove(self)
      return (sources, dropped, thread, isInside)
    }
    if let thread {
      // Inside a callback the thread may be the caller's own; it ends by itself.
      if isInside { thread.detach() } else { _ = thread.join(untilMonotonicMs: .max) }
    }
    if !isInside { delivery.deliverLastLines() }
    withExtendedLifetime((ended, dropped)) {}
  }

  /// What a host's loop waits for before `delivery.dispatch`.
  package func descriptor() throws(RemoraError) -> Int32 {
    try runtime.lock.withLock { () throws(RemoraError) in
      let descriptor = try delivery.descriptor()
      // In a forked child nobody looks out any more for what the subscribers are to be told.
      if openSources.contains(where: { $0.hasSubscribers }) { try startDelivering() }
      return descriptor
    }
  }

  // MARK: Inside the lock

  /// Uses another directory in the place of `old` from now on, unless that was replaced already.
  func replaceStorage(_ old: StorageDirectory, by new: StorageDirectory) {
    guard currentStorage === old else { return }
    currentStorage = new
    // What has their names there was never looked at.
    attachments.checked = []
    for source in openSources { source.isStorageNew = source.usesStorage }
  }

  /// Makes sure that events come: those of this process, and those of others, which the worker looks out for.
  func startDelivering() throws(RemoraError) {
    try delivery.startIfNeeded()
    if options.storage != nil { try runtime.startWorker() }
  }

  /// The sources that are open, in the order of opening.
  var openSources: [Source] { sources.all }

  /// Whether somebody is told of log lines.
  var hasLog: Bool { log?.level != nil }

  /// Forgets a source whose last handle is gone.
  func remove(_ source: Source) { sources.remove(source) }
}
