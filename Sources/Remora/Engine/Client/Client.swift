// SPDX-License-Identifier: Apache-2.0
//
// A client: its storage directory, its limits for requests, its sources and its callbacks.

package final class Client: ProcessMember, Sendable {
  struct State {
    var sources = SourceTable()
    /// Sources whose handles are closed, and that bound keys may still read until the client is closed.
    var ended: [WeakSource] = []
    var syncs: [Sync] = []
  }

  /// The services that the client shares with its sources.
  let services: ClientServices
  package let attachments: Attachments
  let sweep: StorageSweep
  let state = Guarded(State())

  /// Creates a client. Sends no request, and starts no thread except to deliver a log line.
  ///
  /// - Throws: `.unavailable` if memory is exhausted.
  package init(
    _ options: ClientOptions, _ host: borrowing HostFunctions = HostFunctions(), runtime: Runtime = .shared
  ) throws(RemoraError) {
    services = try ClientServices(options, host, runtime: runtime)
    attachments = Attachments(services)
    sweep = StorageSweep(services)
    runtime.lock.withLock { runtime.add(self, $0) }
    guard host.log?.level != nil else { return }
    if let problem = options.storage?.writeProblem {
      services.note(.warning, "\(problem.message); settings are kept in memory only")
    }
    if let storage = options.storage { services.noteRepairs(of: storage) }
    if services.hostTransport != nil {
      services.note(.warning, "requests are sent by the program's transport, not by libcurl")
    }
    if services.hostClock != nil {
      services.note(.warning, "the time is read from the program's clock, not from this machine's")
    }
    if services.options.transportOptions.isAnonymous {
      services.note(.warning, "servers cannot identify the program: set the name of the application, or a User-Agent")
    }
    for line in Preconnects(runtime).takeLines() { services.note(line.level, line.text) }
  }

  package var options: ClientOptions { services.options }
  package var delivery: Delivery { services.delivery }
  var runtime: Runtime { services.runtime }

  /// Opens a source, or returns another handle of an open source.
  ///
  /// - Parameter first: Creates the sink of a first subscriber, which receives the state at opening.
  package func open(
    _ dialect: any Dialect, _ options: SourceOptions, first: FirstSubscriber? = nil
  ) throws(RemoraError) -> OpenSource {
    var experiments: [ExperimentID] = []
    while true {
      guard let handle = try keep(dialect, options, isHeard: first != nil, bringing: &experiments) else { continue }
      return try runtime.lock.withLock { locked throws(RemoraError) in
        try handle.source.requireOpen(locked)
        if let first { handle.source.add(first: first(handle), owner: handle.id, locked) }
        return handle.fetching(options.fetchesAtOpen, locked)
      }
    }
  }

  /// Returns a handle of the open source, or opens the source. Returns nil if the source was closed in between, or the
  /// context changed; `experiments` then keeps the pending experiments for the next attempt.
  private func keep(
    _ dialect: any Dialect, _ options: SourceOptions, isHeard: Bool, bringing experiments: inout [ExperimentID]
  ) throws(RemoraError) -> OpenSource? {
    // The lock is not held while files are read, so another thread may open the same source in the meantime.
    let identity = dialect.identity
    let (isOpen, context) = runtime.lock.withLock { locked in
      (state[locked].sources[identity] != nil, services.state[locked].context)
    }
    let opening = isOpen ? nil : SourceOpening.begin(dialect, services, options, context: context)
    let candidate = opening.map(Source.init)
    experiments.add(opening?.state.pendingExperiments.ids ?? [])
    let handle = try runtime.lock.withLock { locked throws(RemoraError) -> OpenSource? in
      try services.requireOpen(locked)
      if isHeard { try services.startDelivering(locked) }
      if let source = state[locked].sources[identity] {
        return self.handle(of: source, bringing: experiments, locked)
      }
      guard let candidate, services.state[locked].context === context else { return nil }
      if options.refreshIntervalMs != nil { try runtime.startWorker(locked) }
      state[locked].sources.append(candidate)
      if !runtime.worker.isRunning(locked) {
        candidate.polling.note(
          false, graceEndMs: runtime.lock.monotonicMs + UpdatePolling.gracePeriodMs, locked)
      }
      return self.handle(of: candidate, bringing: experiments, locked)
    }
    if let handle, handle.source !== candidate { handle.source.noteIgnored(options) }
    // Only a source that was kept promotes its staged image, because it must also notify its subscribers of the
    // promotion.
    if opening?.state.promotion != nil, let candidate, handle?.source === candidate {
      runtime.worker.perform { _ = candidate.publisher.carryOut(.promotionDue, $0) }
    }
    return handle
  }

  func handle(of source: Source, bringing experiments: [ExperimentID] = [], _ locked: Locked) -> OpenSource {
    source.addHandle(bringing: experiments, locked)
    return OpenSource(source, of: self)
  }

  /// Releases a handle of a source. Returns objects to be released after unlocking.
  func close(_ handle: OpenSource, _ locked: Locked) -> [Any] {
    attachments.mute(of: handle.id, locked) + handle.source.endCalls(of: handle.id, locked)
      + release(handle.source, locked)
  }

  /// Removes a handle of a source. With its last handle a source ends, and releases the tags that it keeps open.
  /// Returns objects to be released after unlocking.
  private func release(_ source: Source, _ locked: Locked) -> [Any] {
    guard source.removeHandle(locked) else { return [] }
    state.with(locked) { state in
      state.sources.remove(source)
      state.ended.removeAll { $0.core == nil }
      state.ended.append(WeakSource(core: source.core))
    }
    let tags = source.takeTags(locked)
    return tags + end(source, .closed, locked) + tags.flatMap { release($0, locked) }
  }

  /// Ends all waits of a source's callers with an error. Returns objects to be released after unlocking.
  private func end(_ source: Source, _ error: RemoraError, _ locked: Locked) -> [Any] {
    source.end(error, locked) + attachments.end(of: source, error, locked)
  }

  /// Sets the context of all filters to a JSON object; nil removes the context. The resulting snapshots are live when
  /// this method returns.
  ///
  /// - Throws: `.invalidArgument`, `.closed`; nothing was changed.
  package func setContext(_ json: String?) throws(RemoraError) {
    let next = try json.map { json throws(RemoraError) in try FilterContext(json: json) } ?? FilterContext()
    try runtime.worker.perform { exclusive throws(RemoraError) in
      let sources = try runtime.lock.withLock { locked throws(RemoraError) in
        try services.requireOpen(locked)
        services.state[locked].context = next
        return openSources(locked)
      }
      for source in sources { source.publisher.recompose(exclusive) }
    }
  }

  /// Replaces the headers of the requests that start from now on, for example after a token was renewed. Pauses of
  /// servers that refused the earlier headers end.
  ///
  /// - Throws: `.invalidArgument` naming `headers`, `.closed`; nothing was changed.
  package func setHeaders(_ lines: [String]) throws(RemoraError) {
    var checked = TransportOptions()
    try checked.setHeaders(lines)
    try runtime.lock.withLock { locked throws(RemoraError) in
      try services.requireOpen(locked)
      services.state[locked].transportOptions.replaceHeaders(by: checked)
      services.state[locked].refusals = [:]
    }
  }

  /// Closes the client: ends its requests, waits and callbacks, and prevents new ones. Queued log lines are delivered
  /// before this method returns, unless the caller is inside a callback.
  package func close() {
    let (ended, dropped, thread, isInside) = runtime.lock.withLock { locked in
      var dropped = services.close(locked)
      let sources = exchange(&state[locked].sources, SourceTable()).all
      for source in sources { source.core.closeReads() }
      for source in state[locked].ended { source.core?.closeReads() }
      let isInside = runtime.isInsideCallback(locked)
      dropped += endSyncs(.closed, locked)
      for source in sources { dropped += end(source, .closed, locked) }
      let (queue, thread) = delivery.close(keepingLines: !isInside, locked)
      dropped.append(queue)
      if !isInside { delivery.waitForCallback(of: nil, locked) }
      runtime.remove(self, locked)
      return (sources, dropped, thread, isInside)
    }
    services.hostTransport?.waitForCall()
    if let thread {
      // Inside a callback, the thread may be the caller's own; it terminates by itself.
      if isInside { thread.detach() } else { ForkGate.outside { _ = thread.join(untilMonotonicMs: .max) } }
    }
    if !isInside { delivery.deliverLastLines() }
    withExtendedLifetime((ended, dropped)) {}
  }

  /// Returns the file descriptor that a host's event loop polls before it calls `delivery.dispatch`.
  package func descriptor() throws(RemoraError) -> Int32 {
    try runtime.lock.withLock { locked throws(RemoraError) in
      let descriptor = try delivery.descriptor(locked)
      // In a forked child, no engine thread polls for updates of the sources that have subscribers.
      for source in openSources(locked) where !source.core.subscribers.isEmpty(locked) {
        try services.startDelivering(locked)
      }
      return descriptor
    }
  }

  /// Returns the open sources, in the order of opening.
  ///
  /// - Throws: `.closed`.
  package func sources() throws(RemoraError) -> [Source] {
    try runtime.lock.withLock { locked throws(RemoraError) in
      try services.requireOpen(locked)
      return openSources(locked)
    }
  }

  /// Returns the open sources, in the order of opening, without checking that the client is open.
  func openSources(_ locked: Locked) -> [Source] { state[locked].sources.all }
}

/// A source that has ended.
struct WeakSource: Sendable {
  weak let core: SourceCore?
}
