// SPDX-License-Identifier: Apache-2.0
//
// A sync: the sources of a client, each settled once, a few fetched at a time. `SyncMonitor.swift` finds out which of
// them moved.

/// One sync of a client's sources, from its call to its end.
package final class Sync: Sendable {
  struct State {
    /// What each source came to.
    var results: [RefreshResult?]
    /// Those that are to be fetched and whose turn has not come.
    var waiting: [(index: Int, announced: Announcement)] = []
    /// Those that are being fetched.
    var fetches: [Int: RefreshWaiter] = [:]
    /// Requests to monitors that are under way, by their URLs.
    var transfers: [String: TransferID] = [:]
    /// Set once.
    var isOver = false

    /// Notes what a source came to.
    mutating func settle(_ index: Int, _ result: RefreshResult) {
      fetches[index] = nil
      if results[index] == nil { results[index] = result }
    }
  }

  /// More at a time would not be faster: one worker looks at what they bring.
  static let mostFetches = 4

  let client: Client
  /// The sources that were open at the call, in the order of opening.
  let sources: [Source]
  /// The version of the monitors' lists that somebody announced, or 0.
  let expected: Int64
  let waiter: Waiter<Never, SyncReport>
  let state: Guarded<State>

  init(_ client: Client, expected: Int64, _ waiter: Waiter<Never, SyncReport>, _ locked: borrowing Locked) {
    self.waiter = waiter
    self.client = client
    self.expected = expected
    sources = client.openSources(locked).filter { $0.dialect.serverIdentity != nil }
    state = Guarded(State(results: Array(repeating: nil, count: sources.count)))
  }

  var services: ClientServices { client.services }
  var runtime: Runtime { services.runtime }
  var lock: ProcessLock { services.lock }

  /// Cancels an asynchronous sync that has not ended.
  package func cancel() {
    lock.withLock { stop(RemoraError(.cancelled, "the sync was cancelled"), $0) }
  }

  /// Starts; without sources that is the end.
  func begin(_ locked: borrowing Locked) throws(RemoraError) {
    guard !sources.isEmpty else { return endIfSettled(locked) }
    try runtime.loadLibraries(locked)
    try runtime.startWorker(locked)
    client.state.with(locked) { $0.syncs.append(self) }
    runtime.worker.enqueue(locked) { [self] in askMonitors($0) }
  }

  /// Notes what a source came to.
  func settle(_ index: Int, _ result: RefreshResult, _ locked: borrowing Locked) {
    state.with(locked) { $0.settle(index, result) }
  }

  /// Adds sources to those that are to be fetched.
  func fetch(_ more: [(index: Int, announced: Announcement)], _ locked: borrowing Locked) {
    guard !state.read(locked, \.isOver) else { return }
    state.with(locked) { $0.waiting += more }
    fetchNext(locked)
  }

  /// Fetches as many as may be fetched at a time.
  private func fetchNext(_ locked: borrowing Locked) {
    while let (index, announced) = takeNext(locked) {
      let waiter = RefreshWaiter(
        .continuing { [self] result, locked in
          settle(index, result, locked)
          fetchNext(locked)
        })
      do throws(RemoraError) {
        try sources[index].requireOpen(locked)
        try sources[index].refreshes.joinOrBegin(waiter, RefreshManner(announced: announced), locked)
        state.with(locked) { $0.fetches[index] = waiter }
      } catch {
        settle(index, RefreshResult(error), locked)
      }
    }
    endIfSettled(locked)
  }

  private func takeNext(_ locked: borrowing Locked) -> (index: Int, announced: Announcement)? {
    state.with(locked) { state in
      guard state.fetches.count < Self.mostFetches, !state.waiting.isEmpty else { return nil }
      return state.waiting.removeFirst()
    }
  }

  /// Ends everything that has no end yet with an error.
  func stop(_ error: RemoraError, _ locked: borrowing Locked) {
    guard !state.read(locked, \.isOver) else { return }
    for (index, waiter) in state.read(locked, \.fetches) {
      if let result = waiter.decided(locked) { settle(index, result, locked) }
      _ = waiter.mute(locked)
    }
    for transfer in state.read(locked, \.transfers).values { services.transport.cancel(transfer) }
    state.set(locked, \.waiting, to: [])
    for index in sources.indices { settle(index, RefreshResult(error), locked) }
    endIfSettled(locked)
  }

  /// Ends without calling a completion. Returns what it held, to be released after unlocking.
  func end(_ error: RemoraError, _ locked: borrowing Locked) -> Any {
    let dropped = waiter.mute(locked) as Any
    stop(error, locked)
    return dropped
  }

  /// Reports the end, once all sources have one.
  func endIfSettled(_ locked: borrowing Locked) {
    let results = state.read(locked, \.results)
    guard !state.read(locked, \.isOver), !results.contains(where: { $0 == nil }) else { return }
    let ended = SyncReport(
      items: zip(sources, results).compactMap { source, result in
        result.map { SyncItem(source: source.dialect.label, result: $0) }
      })
    state.set(locked, \.isOver, to: true)
    state.set(locked, \.transfers, to: [:])
    client.state.with(locked) { $0.syncs.removeAll { $0 === self } }
    // A source that was closed meanwhile may go with its last sync: by a job, which holds no lock.
    if runtime.worker.isRunning(locked) { runtime.worker.enqueue(locked) { _ in withExtendedLifetime(self) {} } }
    waiter.end(ended, locked)
  }
}

extension Client {
  /// Refreshes the sources that moved, and waits for the end or for the caller's own limit: 0 asks nothing, -1 is none.
  ///
  /// - Parameter expected: The version of the monitor's list that somebody announced, so that no cache answers with an
  ///   older list; 0 when unknown.
  package func sync(expected: Int64 = 0, timeoutMs: Int64) throws(RemoraError) -> SyncReport {
    try runtime.lock.withLock { locked throws(RemoraError) in
      try services.requireOpen(locked)
      let waiter = Waiter<Never, SyncReport>(.blocked(runtime.lock))
      let sync = Sync(self, expected: expected, waiter, locked)
      if timeoutMs == 0 { sync.stop(.timeout(afterMs: 0), locked) } else { try sync.begin(locked) }
      return waiter.wait(forMs: timeoutMs, locked) { sync.stop(.timeout(afterMs: timeoutMs), locked) }
    }
  }

  /// As `sync`, without waiting; `completion` is called once where callbacks run, unless the client is closed before.
  package func syncAsync(
    expected: Int64 = 0, timeoutMs: Int64 = -1, completion: @escaping @Sendable (SyncReport) -> Void
  ) throws(RemoraError) -> Sync {
    try runtime.lock.withLock { locked throws(RemoraError) in
      try services.requireOpen(locked)
      try delivery.startIfNeeded(locked)
      let waiter = Waiter<Never, SyncReport>(.listening(Listener(completion: completion), delivery))
      let sync = Sync(self, expected: expected, waiter, locked)
      let late = RemoraError.timeout(afterMs: timeoutMs)
      guard timeoutMs != 0 else {
        sync.stop(late, locked)
        return sync
      }
      try sync.begin(locked)
      guard timeoutMs > 0 else { return sync }
      let deadline = runtime.lock.monotonicMs.addingClamped(timeoutMs)
      runtime.worker.enqueue(atMonotonicMs: deadline, locked) { [lock = runtime.lock, weak sync] _ in
        lock.withLock { sync?.stop(late, $0) }
      }
      return sync
    }
  }

  /// Ends all syncs. Returns what they held, to be released after unlocking.
  func endSyncs(_ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    state.read(locked, \.syncs).map { $0.end(error, locked) }
  }
}
