// SPDX-License-Identifier: Apache-2.0
//
// A sync refreshes the sources of a client: each source has one result, and a few are fetched at a time.
// `Sync+Monitor.swift` finds the sources that changed.

/// One sync of a client's sources, from its call to its end.
package final class Sync: Sendable {
  struct State {
    /// The result of each source; nil while it is pending.
    var results: [RefreshResult?]
    /// The sources that are queued for a fetch.
    var waiting: [(index: Int, announced: Announcement)] = []
    /// The waiters of the current fetches, by the index of their source.
    var fetches: [Int: RefreshWaiter] = [:]
    /// The pending requests to monitors, by URL.
    var transfers: [String: TransferID] = [:]
    /// Whether the sync has ended. Set once.
    var isOver = false

    /// Records the result of a source; a later result is ignored.
    mutating func settle(_ index: Int, _ result: RefreshResult) {
      fetches[index] = nil
      if results[index] == nil { results[index] = result }
    }
  }

  /// The maximum number of simultaneous fetches. More would not be faster, because one engine thread processes all
  /// responses.
  static let mostFetches = 4

  let client: Client
  /// The sources that were open at the call and have a server, in the order of opening.
  let sources: [Source]
  /// The options of the caller; an expected version is that of the monitors' lists.
  let how: RefreshManner
  let waiter: Waiter<Never, SyncReport>
  let state: Guarded<State>

  init(_ client: Client, _ how: RefreshManner, _ waiter: Waiter<Never, SyncReport>, _ locked: Locked) {
    self.waiter = waiter
    self.client = client
    self.how = how
    sources = client.openSources(locked).filter { $0.dialect.serverIdentity != nil }
    state = Guarded(
      State(results: sources.map { how.isOnlyIfEmpty && $0.newest(locked) != nil ? RefreshResult(.none) : nil }))
  }

  var services: ClientServices { client.services }
  var runtime: Runtime { services.runtime }
  var lock: ProcessLock { services.lock }

  /// Cancels an asynchronous sync that has not completed.
  package func cancel() {
    lock.withLock { stop(RemoraError(.cancelled, "the sync was cancelled"), $0) }
  }

  /// Starts the sync, with its own time limit: 0 sends no request. If no source needs a request, ends it immediately.
  func begin(timeoutMs: Int64, _ locked: Locked) throws(RemoraError) {
    guard state[locked].results.contains(where: { $0 == nil }) else { return endIfSettled(locked) }
    guard timeoutMs != 0 else { return stop(.timeout(afterMs: 0), locked) }
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    client.state[locked].syncs.append(self)
    runtime.worker.enqueue(locked) { [self] in askMonitors($0) }
  }

  func settle(_ index: Int, _ result: RefreshResult, _ locked: Locked) {
    state[locked].settle(index, result)
  }

  func fetch(_ more: [(index: Int, announced: Announcement)], _ locked: Locked) {
    guard !state[locked].isOver else { return }
    state[locked].waiting += more
    fetchNext(locked)
  }

  /// Starts the fetches of queued sources, up to the maximum number.
  private func fetchNext(_ locked: Locked) {
    while let (index, announced) = takeNext(locked) {
      let waiter = RefreshWaiter(
        .continuing { [self] result, locked in
          settle(index, result, locked)
          fetchNext(locked)
        })
      do throws(RemoraError) {
        try sources[index].requireOpen(locked)
        try sources[index].refreshes.joinOrBegin(
          waiter, RefreshManner(announced: announced, isForced: how.isForced), locked)
        state[locked].fetches[index] = waiter
      } catch {
        settle(index, RefreshResult(error), locked)
      }
    }
    endIfSettled(locked)
  }

  private func takeNext(_ locked: Locked) -> (index: Int, announced: Announcement)? {
    state.with(locked) { state in
      guard state.fetches.count < Self.mostFetches, !state.waiting.isEmpty else { return nil }
      return state.waiting.removeFirst()
    }
  }

  /// Ends the sync, with an error for each source that has no result yet.
  func stop(_ error: RemoraError, _ locked: Locked) {
    guard !state[locked].isOver else { return }
    for (index, waiter) in state[locked].fetches {
      if let result = waiter.decided(locked) { settle(index, result, locked) }
      _ = waiter.mute(locked)  // Its completion refers only to this sync, which outlives the lock.
    }
    for transfer in state[locked].transfers.values { services.transport.cancel(transfer) }
    state[locked].waiting = []
    for index in sources.indices { settle(index, RefreshResult(error), locked) }
    endIfSettled(locked)
  }

  /// Ends the sync with an error, without calling the completion of an asynchronous caller. Returns objects to be
  /// released after unlocking.
  func end(_ error: RemoraError, _ locked: Locked) -> Any {
    let dropped = waiter.mute(locked) as Any
    stop(error, locked)
    return dropped
  }

  /// Ends the sync and notifies its caller, once all sources have a result.
  func endIfSettled(_ locked: Locked) {
    let results = state[locked].results
    guard !state[locked].isOver, !results.contains(where: { $0 == nil }) else { return }
    let ended = SyncReport(
      items: zip(sources, results).compactMap { source, result in
        result.map { SyncItem(source: source.dialect.label, result: $0) }
      })
    state[locked].isOver = true
    state[locked].transfers = [:]
    client.state[locked].syncs.removeAll { $0 === self }
    // The sync may hold the last reference to a source that was closed in the meantime. A job releases it, because a
    // job holds no lock.
    if runtime.worker.isRunning(locked) { runtime.worker.enqueue(locked) { _ in withExtendedLifetime(self) {} } }
    waiter.end(ended, locked)
  }
}

extension Client {
  /// Refreshes the sources that changed, and waits for the results, or for the caller's time limit: 0 sends no request,
  /// -1 means no limit.
  ///
  /// - Parameter how: The options; an expected version is that of the monitor's list, and prevents caches from
  ///   returning an older list.
  package func sync(_ how: RefreshManner = RefreshManner(), timeoutMs: Int64) throws(RemoraError) -> SyncReport {
    try runtime.lock.withLock { locked throws(RemoraError) in
      try services.requireOpen(locked)
      try runtime.worker.requireOtherThread(locked)
      let waiter = Waiter<Never, SyncReport>(.blocked(runtime.lock))
      let sync = Sync(self, how, waiter, locked)
      try sync.begin(timeoutMs: timeoutMs, locked)
      return waiter.wait(forMs: timeoutMs, services.limits, locked) {
        sync.stop(.timeout(afterMs: timeoutMs), locked)
      }
    }
  }

  /// Refreshes the sources that changed, without waiting; see `sync`. `completion` is called once where callbacks run,
  /// unless the client is closed before.
  package func syncAsync(
    _ how: RefreshManner = RefreshManner(), timeoutMs: Int64 = -1, completion: @escaping @Sendable (SyncReport) -> Void
  ) throws(RemoraError) -> Sync {
    try runtime.lock.withLock { locked throws(RemoraError) in
      try services.requireOpen(locked)
      try delivery.startIfNeeded(locked)
      let waiter = Waiter<Never, SyncReport>(.listening(Listener(completion: completion), delivery))
      let sync = Sync(self, how, waiter, locked)
      let late = RemoraError.timeout(afterMs: timeoutMs)
      try sync.begin(timeoutMs: timeoutMs, locked)
      waiter.startLimit(timeoutMs, services.limits, locked) { [weak sync] _, locked in sync?.stop(late, locked) }
      return sync
    }
  }

  /// Ends all syncs. Returns objects to be released after unlocking.
  func endSyncs(_ error: RemoraError, _ locked: Locked) -> [Any] {
    state[locked].syncs.map { $0.end(error, locked) }
  }
}
