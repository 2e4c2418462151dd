// SPDX-License-Identifier: Apache-2.0
//
// A sync: the sources of a client, each settled once, a few fetched at a time. `SyncMonitor.swift` finds out which of
// them moved.

/// One sync of a client's sources, from its call to its end.
///
/// Concurrency: "State" is guarded by the process's lock, the rest is constant. `@unchecked Sendable` for that reason.
package final class Sync: @unchecked Sendable {
  /// More at a time would not be faster: one worker looks at what they bring.
  static let mostFetches = 4

  let client: Client
  /// The sources that were open at the call, in the order of opening.
  let sources: [Source]
  /// The version of the monitors' lists that somebody announced, or 0.
  let expected: Int64

  // State
  /// What each source came to.
  private var results: [RefreshResult?]
  /// Those that are to be fetched and whose turn has not come.
  private var waiting: [(index: Int, announced: Announcement)] = []
  /// Those that are being fetched.
  private var tickets: [Int: Ticket] = [:]
  /// Requests to monitors that are under way, by their URLs.
  var transfers: [String: TransferID] = [:]
  /// Told the end of an asynchronous sync; nil for a caller who waits, and after the end.
  private var completion: (@Sendable (SyncReport) -> Void)?
  /// The end.
  private(set) var report: SyncReport?

  init(_ client: Client, expected: Int64, completion: (@Sendable (SyncReport) -> Void)? = nil) {
    self.client = client
    self.expected = expected
    self.completion = completion
    sources = client.openSources.filter { $0.dialect.serverIdentity != nil }
    results = Array(repeating: nil, count: sources.count)
  }

  var runtime: Runtime { client.runtime }
  var lock: Lock { client.runtime.lock }

  /// Gives up an asynchronous sync that has not ended.
  package func cancel() {
    lock.withLock { stop(RemoraError(.cancelled, "the sync was cancelled")) }
  }

  // MARK: Inside the lock

  /// Starts; without sources that is the end.
  func begin() throws(RemoraError) {
    guard !sources.isEmpty else { return endIfSettled() }
    try runtime.loadLibraries()
    try runtime.startWorker()
    client.syncs.append(self)
    runtime.worker.enqueue { [self] in askMonitors() }
  }

  /// Notes what a source came to.
  func settle(_ index: Int, _ result: RefreshResult) {
    tickets[index] = nil
    guard results[index] == nil else { return }
    results[index] = result
  }

  /// Adds sources to those that are to be fetched.
  func fetch(_ more: [(index: Int, announced: Announcement)]) {
    guard report == nil else { return }
    waiting += more
    fetchNext()
  }

  /// Fetches as many as may be fetched at a time.
  private func fetchNext() {
    while tickets.count < Self.mostFetches, !waiting.isEmpty {
      let (index, announced) = waiting.removeFirst()
      let ticket = Ticket { [self] result in
        settle(index, result)
        fetchNext()
      }
      do throws(RemoraError) {
        try sources[index].requireOpen()
        try sources[index].join(ticket, announced: announced)
        tickets[index] = ticket
      } catch {
        settle(index, RefreshResult(error))
      }
    }
    endIfSettled()
  }

  /// Ends everything that has no end yet with an error.
  func stop(_ error: RemoraError) {
    guard report == nil else { return }
    for (index, ticket) in tickets {
      ticket.continuation = nil
      if let result = sources[index].result(of: ticket) {
        settle(index, result)
      } else {
        sources[index].withdraw(ticket)
      }
    }
    for transfer in transfers.values { client.transport.cancel(transfer) }
    waiting = []
    for index in sources.indices { settle(index, RefreshResult(error)) }
    endIfSettled()
  }

  /// Ends without telling a completion. What it held is in the result, to be let go outside of the lock.
  func end(_ error: RemoraError) -> Any {
    let dropped = completion as Any
    completion = nil
    stop(error)
    return dropped
  }

  /// Tells the end, once all sources have one.
  func endIfSettled() {
    guard report == nil, !results.contains(where: { $0 == nil }) else { return }
    let ended = SyncReport(
      items: zip(sources, results).compactMap { source, result in
        result.map { SyncItem(source: source.dialect.label, result: $0) }
      })
    report = ended
    transfers = [:]
    client.syncs.removeAll { $0 === self }
    // A source that was closed meanwhile may go with its last sync: not inside the lock.
    if runtime.worker.isRunning { runtime.worker.enqueue { withExtendedLifetime(self) {} } }
    if let completion {
      self.completion = nil
      client.delivery.enqueue { completion(ended) }
    } else {
      lock.broadcast()
    }
  }
}

extension Client {
  /// Refreshes the sources that moved, and waits for the end or for the caller's own limit: 0 asks nothing, -1 is none.
  ///
  /// - Parameter expected: The version of the monitor's list that somebody announced, so that no cache answers with an
  ///   older list; 0 when unknown.
  package func sync(expected: Int64 = 0, timeoutMs: Int64) throws(RemoraError) -> SyncReport {
    try runtime.lock.withLock { () throws(RemoraError) in
      guard !isClosed else { throw .closed }
      let deadline = timeoutMs < 0 ? nil : monotonicMs().addingClamped(timeoutMs)
      let sync = Sync(self, expected: expected)
      if timeoutMs == 0 { sync.stop(.timeout(afterMs: 0)) } else { try sync.begin() }
      while true {
        if let report = sync.report { return report }
        let isInTime = runtime.lock.wait(untilMonotonicMs: deadline)
        if !isInTime { sync.stop(.timeout(afterMs: timeoutMs)) }
      }
    }
  }

  /// As `sync`, without waiting; `completion` is called once where callbacks run, unless the client is closed before.
  package func syncAsync(
    expected: Int64 = 0, completion: @escaping @Sendable (SyncReport) -> Void
  ) throws(RemoraError) -> Sync {
    try runtime.lock.withLock { () throws(RemoraError) in
      guard !isClosed else { throw .closed }
      try delivery.startIfNeeded()
      let sync = Sync(self, expected: expected, completion: completion)
      try sync.begin()
      return sync
    }
  }

  /// Inside the lock, ends all syncs. What they held is in the result, to be let go outside.
  func endSyncs(_ error: RemoraError) -> [Any] { syncs.map { $0.end(error) } }
}
