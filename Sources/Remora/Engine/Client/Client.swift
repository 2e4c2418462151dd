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
package final class Client: ProcessMember, Sendable {
  struct State {
    /// The sources that are open.
    var sources = SourceTable()
    var isClosed = false
    /// Where images are: that of the options, or the directory that replaced it.
    var storage: StorageDirectory?
    /// What filters know of the application.
    var context = FilterContext()
    /// Receives log lines until the close.
    var log: Log?
    /// Called with attempts until the close.
    var onAttempt: (@Sendable (Attempt) -> Void)?
    /// What is known of servers, beside what is stored.
    var servers: [StorageName: ServerLedger] = [:]
    /// Sources that were told to stop listening, for the rest of this client's life.
    var silenced: Set<StorageName> = []
    /// Syncs that have not ended.
    var syncs: [Sync] = []
  }

  package let options: ClientOptions
  let runtime: Runtime
  package let delivery: Delivery
  /// The snapshot of a source that has nothing yet.
  let nothing: Snapshot
  /// Whether the host wants every line.
  let isDebugLogged: Bool
  let state: Guarded<State>
  /// What is known and done of attachments.
  let attachments = Guarded(AttachmentState())
  /// When the storage directory was cleaned last.
  let sweptAtMs = Confined<Int64?>(nil)

  /// Makes a client. Sends nothing and starts no thread.
  package init(
    _ options: ClientOptions, log: Log? = nil, onAttempt: (@Sendable (Attempt) -> Void)? = nil,
    runtime: Runtime = .shared
  ) {
    self.options = options
    state = Guarded(State(storage: options.storage, log: log, onAttempt: onAttempt))
    isDebugLogged = log?.level == .debug
    self.runtime = runtime
    delivery = Delivery(options.callbacks, runtime: runtime)
    nothing = .empty(hashSeed: runtime.hashSeed)
    runtime.lock.withLock { runtime.add(self, $0) }
    guard log?.level != nil else { return }
    if let problem = options.storage?.writeProblem {
      note(.warning, "\(problem.message); settings are kept in memory only")
    }
    for line in runtime.takePreconnectLines() { note(line.level, line.text) }
  }

  /// How bytes are fetched.
  var transport: any Transport { options.transport ?? runtime.transport }

  /// Where images are now; nil keeps everything in memory. Takes the lock.
  var storage: StorageDirectory? { runtime.lock.withLock { state.read($0, \.storage) } }

  /// Seeds the hash tables of images that this client writes. Reads a file at its first use.
  var hashSeed: HashSeed { storage?.hashSeed ?? runtime.hashSeed }

  /// Opens a source, or another handle of one that is open.
  ///
  /// - Parameter first: A first subscriber, told the state at open.
  package func open(
    _ dialect: any Dialect, _ options: SourceOptions, first: FirstSubscriber? = nil
  ) throws(RemoraError) -> OpenSource {
    var experiments: [ExperimentID] = []
    while true {
      guard let handle = try keep(dialect, options, isHeard: first != nil, bringing: &experiments) else { continue }
      return try runtime.lock.withLock { locked throws(RemoraError) in
        try handle.source.requireOpen(locked)
        if let first { handle.source.add(first: first(handle), owner: handle, locked) }
        return handle.fetching(options.fetchesAtOpen, locked)
      }
    }
  }

  /// A handle of the source that is open, or that is opened here. Nil when it was closed in between, or the context
  /// changed; what was to be announced is for the next try then.
  private func keep(
    _ dialect: any Dialect, _ options: SourceOptions, isHeard: Bool, bringing experiments: inout [ExperimentID]
  ) throws(RemoraError) -> OpenSource? {
    // Reads files: another thread may open the same source meanwhile.
    let identity = dialect.identity
    let (isOpen, context) = runtime.lock.withLock { locked in
      state.with(locked) { ($0.sources[identity] != nil, $0.context) }
    }
    let opening = isOpen ? nil : SourceOpening.begin(dialect, client: self, options, context: context)
    let candidate = opening.map(Source.init)
    experiments.add(opening?.state.announcements.pending ?? [])
    let handle = try runtime.lock.withLock { locked throws(RemoraError) -> OpenSource? in
      try requireOpen(locked)
      if isHeard { try startDelivering(locked) }
      if let source = state.with(locked, { $0.sources[identity] }) { return source.open(bringing: experiments, locked) }
      guard let candidate, state.read(locked, \.context) === context else { return nil }
      if options.refreshIntervalMs != nil { try runtime.startWorker(locked) }
      state.with(locked) { $0.sources.append(candidate) }
      if !runtime.worker.isRunning(locked) {
        candidate.noteAttendance(false, patienceMs: runtime.lock.monotonicMs + Source.patienceMs, locked)
      }
      return candidate.open(bringing: experiments, locked)
    }
    if let handle, handle.source !== candidate { handle.source.noteIgnored(options) }
    // By the source that was kept alone: who promotes has to announce it.
    if opening?.state.promotion != nil, let candidate, handle?.source === candidate {
      runtime.worker.perform { _ = candidate.handle(.promotionDue, $0) }
    }
    return handle
  }

  /// Whether a source was told to stop listening.
  func isSilenced(_ name: StorageName) -> Bool { runtime.lock.withLock { state.read($0, \.silenced).contains(name) } }

  /// Queues a log line, if somebody listens at this level.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    // The level alone: to release the last reference to the log calls the host, and the close does that.
    guard let wanted = runtime.lock.withLock({ state.read($0, \.log?.level) }), level.rawValue <= wanted.rawValue else {
      return
    }
    let line = printable(message())
    runtime.lock.withLock { locked in
      guard let log = state.read(locked, \.log), delivery.hasRoomForLog(locked) else { return }
      delivery.enqueueLine(locked) { log.receive(level, line) }
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
    try runtime.worker.perform { right throws(RemoraError) in
      let sources = try runtime.lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        state.set(locked, \.context, to: next)
        return openSources(locked)
      }
      for source in sources { source.recompose(right) }
    }
  }

  /// Ends the client: requests, waits and callbacks end, and nothing begins afterwards. Log lines that are queued are
  /// delivered first, unless the caller is inside a callback.
  package func close() {
    let (ended, dropped, thread, isInside) = runtime.lock.withLock { locked in
      state.set(locked, \.isClosed, to: true)
      let sources = state.set(locked, \.sources, to: SourceTable()).all
      for source in sources { source.cell.close() }
      let isInside = runtime.isInsideCallback(locked)
      var dropped: [Any] = [state.set(locked, \.log, to: nil) as Any, state.set(locked, \.onAttempt, to: nil) as Any]
      dropped += endSyncs(.closed, locked)
      for source in sources { dropped += source.end(.closed, locked) }
      let (queue, thread) = delivery.close(keepingLines: !isInside, locked)
      dropped.append(queue)
      if !isInside { delivery.waitForCallback(of: nil, locked) }
      runtime.remove(self, locked)
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
    try runtime.lock.withLock { locked throws(RemoraError) in
      let descriptor = try delivery.descriptor(locked)
      // In a forked child nobody looks out any more for what the subscribers are to be told.
      for source in openSources(locked) where source.hasSubscribers(locked) { try startDelivering(locked) }
      return descriptor
    }
  }

  /// Checks that the client is open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if state.read(locked, \.isClosed) { throw .closed }
  }

  /// Uses another directory in the place of `old` from now on, unless that was replaced already.
  func replaceStorage(_ old: StorageDirectory, by new: StorageDirectory, _ locked: borrowing Locked) {
    guard state.read(locked, \.storage) === old else { return }
    state.set(locked, \.storage, to: new)
    // What has their names there was never looked at.
    attachments.set(locked, \.checked, to: [])
    for source in openSources(locked) { source.state.set(locked, \.openness.isStorageNew, to: source.usesStorage) }
  }

  /// Makes sure that events come: those of this process, and those of others, which the worker looks out for.
  func startDelivering(_ locked: borrowing Locked) throws(RemoraError) {
    try delivery.startIfNeeded(locked)
    if options.storage != nil { try runtime.startWorker(locked) }
  }

  /// The sources that are open, in the order of opening.
  func openSources(_ locked: borrowing Locked) -> [Source] { state.read(locked, \.sources.all) }

  /// Whether the host receives log lines.
  func hasLog(_ locked: borrowing Locked) -> Bool { state.read(locked, \.log?.level) != nil }

  /// Forgets a source whose last handle is gone.
  func remove(_ source: Source, _ locked: borrowing Locked) { state.with(locked) { $0.sources.remove(source) } }
}
