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
  /// Where its files are; nil keeps it in memory.
  let storage: StorageDirectory?
  /// What the host packaged: start values, and a folder of attachments.
  let packaged: PackagedImage?
  let packagedAttachments: String?
  /// What fetched keys inherit, and what is live before anything was fetched.
  let defaults: DefaultValues?
  /// How long what was fetched counts as fresh.
  let lifetime: Lifetime
  /// Whether overrides are stored.
  let persistsOverrides: Bool
  /// The names of its files and of its server's ledger.
  let name: StorageName
  let serverName: StorageName
  /// The live snapshot, for readers.
  package let cell: LiveCell

  // State
  /// The live snapshot, for the engine.
  var live: Snapshot
  /// A newer one that waits for its activation.
  var staged: Snapshot?
  /// When what is fetched becomes live; changed in jobs only.
  var activation: Activation
  /// Whether events are kept from the subscribers.
  var isMuted: Bool
  /// Experiments that are to be announced with the next event.
  var unannounced: [ExperimentID] = []
  /// What the newest ledger said, with what this process found since.
  var ledger: SourceLedger
  /// What lies over every base; changed in jobs only.
  var layers: Layers
  /// Whether the stored overrides are not these.
  var owesOverrides = false
  /// Why they could not be read or stored.
  var overridesProblem: RemoraError?
  /// Refreshes under way, the one that is running first.
  var runs: [Run] = []
  /// Why the last refresh failed.
  var lastError: RemoraError?
  /// Why the live data is in memory only, or why the cache could not be read.
  var storageError: RemoraError?
  private(set) var subscriptions: [(owner: ObjectIdentifier, subscription: Subscription)] = []
  private var handles = 0
  /// Set once: by the client's close, or with the last handle.
  private(set) var isEnded = false

  // Worker
  /// Whether the stored live image fails its checks: it must not become the previous one.
  var isLiveDamaged: Bool
  /// What became live here while its file is still the staged one.
  var owedPromotion: OwedPromotion?
  /// Whether what is live is announced by who makes it live in the storage: what another client staged and this one took
  /// over, or a first seed that could not be stored because the files were busy.
  var isLiveStaged = false
  /// The request that a refresh begins with, until something else is published.
  var firstRequest: Gather?
  /// Whether the signatures of the packaged data were looked at, or need not be.
  var isPackagedSettled: Bool
  /// How images become snapshots.
  var composition: Composition
  /// When it is refreshed without being asked.
  var schedules: [RefreshSchedule]

  /// Reads what is stored; the newer of that and the packaged data is live, in a context.
  init(_ dialect: any Dialect, client: Client, _ options: SourceOptions, context: FilterContext) {
    self.dialect = dialect
    self.client = client
    let storage = options.isMemoryOnly ? nil : client.options.storage
    self.storage = storage
    packaged = options.packaged
    packagedAttachments = options.packagedAttachments
    defaults = options.defaults
    lifetime = options.lifetime
    persistsOverrides = options.persistsOverrides
    name = StorageName(hashing: dialect.identity)
    serverName = StorageName(hashing: dialect.serverIdentity)
    let stored = StoredState(opening: dialect, name, in: storage, nowMs: client.options.clock.nowMs)
    ledger = stored.ledger
    let overrides = StoredOverrides(of: dialect, in: options.persistsOverrides ? storage : nil)
    overridesProblem = overrides.problem
    storageError = stored.problem ?? stored.seedProblem ?? overrides.problem ?? storage?.writeProblem
    isLiveDamaged = stored.isLiveDamaged
    isPackagedSettled = packaged?.signatures.isEmpty ?? true
    var composition = Composition(dialect, nothing: client.runtime.nothing)
    var layers = Layers(defaults: options.defaults?.layer, overrides: overrides.list)
    let isSilenced = client.isSilenced(name)
    activation = isSilenced ? .nextSetup : options.activation
    isMuted = isSilenced
    // Who was told to stop listening waits for the next client.
    let keepsStaged = isSilenced || options.activation == .manual
    let cached = keepsStaged ? stored.image : stored.newest
    let (base, origin) =
      Self.newest(cached: cached, packaged: packaged?.image) ?? Self.start(of: options, client.runtime)
    let isSuccession = dialect.keepsUnlisted && base === stored.staged
    let endsOverrides = isSuccession ? layers.overrides.end(removedBy: base, after: stored.image) : false
    owesOverrides = overrides.isInherited || endsOverrides
    self.layers = layers
    live = composition.composeOrHide(base, origin, under: layers, in: context) { client.note($0, $1) }
    if keepsStaged, let next = stored.staged, next.metadata.version >= base.metadata.version {
      staged = composition.composeOrHide(next, .cached, under: layers, in: context) { client.note($0, $1) }
    }
    self.composition = composition
    owedPromotion = nil
    cell = LiveCell(live)
    schedules = options.paces.map {
      RefreshSchedule($0, nowMs: client.options.clock.nowMs, random: client.options.random())
    }
    // Perhaps earlier identities': no sweep must take what is live.
    let used = [stored.image, stored.staged].compactMap { $0.map { StorageName(hashing: $0.metadata.identity) } }
    for name in Set((used.isEmpty ? [name] : used) + [overrides.name].compactMap(\.self)) {
      storage?.noteUse(of: name, nowMs: SystemClock().nowMs)
    }
    if let problem = stored.problem {
      client.note(.warning, "the cache cannot be used and will be replaced: \(problem.message)")
    }
    if let problem = stored.seedProblem {
      let consequence = stored.seed == nil ? "is not used" : "is live in memory only"
      client.note(.warning, "the seed \(consequence): \(problem.message)")
    } else if let seed = stored.seed {
      let consequence = seed.isStored ? "taken over" : "live in memory until another opening stores it"
      client.note(.info, "the seed of version \(seed.version) is \(consequence)")
    }
    if let problem = overrides.problem {
      client.note(.warning, "the stored overrides cannot be used and will be replaced: \(problem.message)")
    }
    if !keepsStaged, let next = stored.staged {
      owedPromotion = OwedPromotion(
        image: next, experiments: newExperiments(in: next, since: stored.image), endsOverrides: endsOverrides)
    }
    if let seed = stored.seed, seed.isFirst, base === stored.image {
      // Once nothing can be stored, nobody else announces it either.
      if seed.isStored || stored.seedProblem != nil {
        unannounced = newExperiments(in: base, since: nil)
      } else {
        isLiveStaged = true
      }
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

  /// What is live while there is neither: the defaults, or nothing.
  private static func start(of options: SourceOptions, _ runtime: Runtime) -> (Image, Origin) {
    options.defaults.map { ($0.image, .defaults) } ?? (runtime.nothing.base, .none)
  }

  /// What is live after a reset. In jobs only.
  func startWithoutCache() -> Snapshot {
    lock.withLock { layers.carriedOver = CarriedKeys() }
    if let packaged { return compose(packaged.image, .packaged) }
    return defaults.map { compose($0.image, .defaults) } ?? compose(runtime.nothing.base, .none)
  }

  // MARK: Inside the lock

  /// A handle for one opener, who may have stored what is to be announced.
  func open(announcing experiments: [ExperimentID]) -> OpenSource {
    handles += 1
    unannounced = experiments.adding(unannounced)
    return OpenSource(self)
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

  /// Ends all refreshes, openings and subscriptions. What they held is in the result, to be let go outside of the lock.
  func end(_ error: RemoraError) -> [Any] {
    isEnded = true
    var dropped: [Any] = subscriptions.map(\.subscription)
    for (_, subscription) in subscriptions { dropped += client.delivery.end(subscription) }
    subscriptions = []
    return dropped + endRuns(error) + client.endAttachments(of: self, error)
  }

  func requireOpen() throws(RemoraError) {
    if isEnded || client.isClosed { throw .closed }
  }

  /// Adds the subscriber that an opener brings; it is told the state at open.
  func add(first sink: @escaping EventSink, owner: OpenSource) {
    let isTold = live.origin != .none || dialect.tellsEmptyOpening
    add(Subscription(key: nil, sink: sink), owner: owner, replay: isTold)
  }

  func add(_ subscription: Subscription, owner: OpenSource, replay: Bool) {
    subscriptions.append((ObjectIdentifier(owner), subscription))
    if replay {
      var event = Event(.opened, old: live, new: live, storageError: storageError)
      event.staged = staged
      if subscription.key == nil { event.announced = takeAnnouncements() }
      client.delivery.enqueue(event, for: subscription)
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
    guard !isMuted else { return }
    var event = event
    event.staged = staged
    let announced = subscriptions.contains { $0.subscription.key == nil } ? takeAnnouncements() : []
    for (_, subscription) in subscriptions {
      event.announced = subscription.key == nil ? announced : []
      client.delivery.enqueue(event, for: subscription)
    }
  }

  /// Whether anybody is told of events.
  var hasSubscribers: Bool { !subscriptions.isEmpty }

  /// Notes whether this process looks for what this source has to tell: images that others store, and events that
  /// were kept at a fork.
  func noteAttendance(_ isAttended: Bool, patienceMs: Int64 = 0) {
    guard !isEnded else { return }
    if isAttended {
      cell.attend()
    } else if storage != nil || client.delivery.hasCalls {
      cell.leaveUnattended(untilMonotonicMs: patienceMs)
    }
  }

  /// After a fork, in the child: refreshes stay with the parent, and so do those who looked after the source.
  func resumeChild() {
    cell.resumeChild()
    noteAttendance(false)
    leak(runs)
    runs = []
    unannounced = []
  }
}
