// SPDX-License-Identifier: Apache-2.0
//
// A source: its live snapshot, what is known of its versions, its refreshes and its subscribers.

/// A set of settings that is refreshed together.
///
/// Concurrency: readers use `cell` alone. "State" is guarded by the process's lock, "Worker" is touched by jobs only.
/// Only the worker changes what is live, so that a job may read `live` and `ledger` and later change them without a
/// race.
/// `@unchecked Sendable` for that reason.
package final class Source: @unchecked Sendable {
  let dialect: any Dialect
  let client: Client
  /// What the host packaged.
  let packaged: Image?
  /// The names of its files and of its server's ledger.
  let name: StorageName
  let serverName: StorageName
  /// The live snapshot, for readers.
  package let cell: LiveCell

  // State
  /// The live snapshot, for the engine.
  var live: Snapshot
  /// What the newest ledger said, with what this process found since.
  var ledger: SourceLedger
  /// Refreshes under way, the one that is running first.
  var runs: [Run] = []
  /// Why the last refresh failed.
  var lastError: RemoraError?
  /// Why the live data is in memory only, or why the cache could not be read.
  var storageError: RemoraError?
  private var subscriptions: [(owner: ObjectIdentifier, subscription: Subscription)] = []
  private var handles = 0
  /// Set once: by the client's close, or with the last handle.
  private(set) var isEnded = false

  // Worker
  /// Whether the stored live image fails its checks: it must not become the previous one.
  var isLiveDamaged: Bool
  /// The request that a refresh begins with, until something else is published.
  var firstRequest: Gather?
  /// How images become snapshots.
  var composition: Composition
  /// When it is refreshed without being asked; nil is never.
  var schedule: RefreshSchedule?

  /// Reads what is stored; the newer of that and the packaged data is live, in a context.
  init(
    _ dialect: any Dialect, client: Client, packaged: Image?, refreshIntervalMs: Int64?, context: FilterContext
  ) {
    self.dialect = dialect
    self.client = client
    self.packaged = packaged
    name = StorageName(hashing: dialect.identity)
    serverName = StorageName(hashing: dialect.serverIdentity)
    let stored = StoredState(of: dialect.identity, name, in: client.options.storage)
    ledger = stored.ledger
    storageError = stored.problem ?? client.options.storage?.writeProblem
    isLiveDamaged = stored.isLiveDamaged
    var composition = Composition(dialect, nothing: client.runtime.nothing)
    live = client.runtime.nothing
    if let (base, origin) = Self.newest(cached: stored.image, packaged: packaged) {
      live = composition.compose(base, origin, in: context) { client.note($0, $1) }
    }
    self.composition = composition
    cell = LiveCell(live)
    schedule = refreshIntervalMs.map {
      RefreshSchedule(everyMs: $0, nowMs: client.options.clock.nowMs, random: client.options.random())
    }
    client.options.storage?.noteUse(of: name, nowMs: SystemClock().nowMs)
    if let problem = stored.problem {
      client.note(.warning, "the cache cannot be used and will be replaced: \(problem.message)")
    }
  }

  deinit { cell.destroy() }

  var runtime: Runtime { client.runtime }
  var lock: Lock { client.runtime.lock }

  /// What is live when nothing was fetched yet: the newer of cached and packaged, if there is one.
  private static func newest(cached: Image?, packaged: Image?) -> (Image, Origin)? {
    if let cached, cached.metadata.version >= packaged?.metadata.version ?? .min { return (cached, .cached) }
    return packaged.map { ($0, .packaged) }
  }

  /// What is live after a reset. In jobs only.
  func startWithoutCache() -> Snapshot { packaged.map { compose($0, .packaged) } ?? runtime.nothing }

  // MARK: Inside the lock

  /// A handle for one opener.
  func open(subscriber: EventSink?) -> OpenSource {
    handles += 1
    let handle = OpenSource(self)
    if let subscriber { add(Subscription(key: nil, sink: subscriber), owner: handle, replay: true) }
    return handle
  }

  /// Gives up a handle. What it held is in the result, to be let go outside of the lock.
  func close(_ handle: OpenSource) -> [Any] {
    let mine = subscriptions.filter { $0.owner == ObjectIdentifier(handle) }.map(\.subscription)
    subscriptions.removeAll { $0.owner == ObjectIdentifier(handle) }
    var dropped: [Any] = mine + withdraw(allOf: ObjectIdentifier(handle))
    for subscription in mine { dropped += client.delivery.end(subscription) }
    if !runtime.isInsideCallback {
      for owner in mine.map(ObjectIdentifier.init) + [ObjectIdentifier(handle)] {
        client.delivery.waitForCallback(of: owner)
      }
    }
    handles -= 1
    if handles == 0, !isEnded {
      client.remove(self)
      dropped += end(.closed)
    }
    return dropped
  }

  /// Ends all refreshes and subscriptions. What they held is in the result, to be let go outside of the lock.
  func end(_ error: RemoraError) -> [Any] {
    isEnded = true
    var dropped: [Any] = subscriptions.map(\.subscription)
    for (_, subscription) in subscriptions { dropped += client.delivery.end(subscription) }
    subscriptions = []
    return dropped + endRuns(error)
  }

  func requireOpen() throws(RemoraError) {
    if isEnded || client.isClosed { throw .closed }
  }

  func add(_ subscription: Subscription, owner: OpenSource, replay: Bool) {
    subscriptions.append((ObjectIdentifier(owner), subscription))
    if replay {
      client.delivery.enqueue(Event(.opened, old: live, new: live, storageError: storageError), for: subscription)
    }
  }

  /// Ends a subscription, and waits for its callback unless the caller is inside one.
  func remove(_ subscription: Subscription) -> [Any] {
    subscriptions.removeAll { $0.subscription === subscription }
    let dropped = client.delivery.end(subscription)
    if !runtime.isInsideCallback { client.delivery.waitForCallback(of: ObjectIdentifier(subscription)) }
    return dropped
  }

  /// Queues an event for everybody who wants it.
  func notify(_ event: Event) {
    for (_, subscription) in subscriptions { client.delivery.enqueue(event, for: subscription) }
  }

  /// Whether anybody is told of events.
  var hasSubscribers: Bool { !subscriptions.isEmpty }

  /// Notes whether this process looks for what this source has to tell: images that others store, and events that
  /// were kept at a fork.
  func noteAttendance(_ isAttended: Bool, patienceMs: Int64 = 0) {
    guard !isEnded else { return }
    if isAttended {
      cell.attend()
    } else if client.options.storage != nil || client.delivery.hasCalls {
      cell.leaveUnattended(untilMonotonicMs: patienceMs)
    }
  }

  /// After a fork, in the child: refreshes stay with the parent, and so do those who looked after the source.
  func resumeChild() {
    cell.resumeChild()
    noteAttendance(false)
    leak(runs)
    runs = []
  }
}

/// One opener's handle of a source.
package final class OpenSource: Sendable {
  package let source: Source

  init(_ source: Source) { self.source = source }

  /// Gives up the handle: its subscriptions end, and with the last handle the source.
  package func close() {
    let dropped = source.lock.withLock { source.close(self) }
    withExtendedLifetime(dropped) {}
  }

  /// Subscribes to the source, or to one key.
  package func subscribe(key: [UInt8]?, replay: Bool, _ sink: @escaping EventSink) throws(RemoraError) -> Subscription {
    let subscription = Subscription(key: key, sink: sink)
    try source.lock.withLock { () throws(RemoraError) in
      try source.requireOpen()
      try source.client.startDelivering()
      source.add(subscription, owner: self, replay: replay)
    }
    return subscription
  }

  /// Ends a subscription; its callback is not running afterwards, unless the caller is inside a callback.
  package func unsubscribe(_ subscription: Subscription) {
    let dropped = source.lock.withLock { source.remove(subscription) }
    withExtendedLifetime(dropped) {}
  }
}
