// SPDX-License-Identifier: Apache-2.0
//
// A source: its live snapshot, what is known of its versions, its refreshes and its subscribers.

/// A set of settings that is refreshed together.
///
/// Concurrency: readers use `cell` alone. What is below "State" changes under the lock; what is below "Worker" needs the
/// exclusive right. Both are needed to change what is live, so that a job may read `live` and `ledger` and later change
/// them without a race. `@unchecked Sendable` for that reason.
package final class Source: @unchecked Sendable {
  let dialect: any Dialect
  let client: Client
  /// What it was opened with; those of later openings of the same source have no effect.
  let options: SourceOptions
  /// Whether it has files.
  let usesStorage: Bool
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
  /// When what is fetched becomes live.
  var activation: Activation
  /// Whether events are kept from the subscribers.
  var isMuted: Bool
  /// Experiments that are to be announced with the next event.
  var untoldExperiments: [ExperimentID]
  /// What the newest ledger said, with what this process found since.
  var ledger: SourceLedger
  /// What lies over every base.
  var layers: Layers
  /// Whether the stored overrides are not these.
  var owesOverrides: Bool
  /// The changes since a read of the stored overrides failed; nil if the overrides were read or are not stored.
  var unreadOverrides: UnreadOverrides?
  /// Removed keys whose overrides are still to be removed from the storage.
  var endingKeys: [[UInt8]] = []
  /// Why they could not be read or stored.
  var overridesProblem: RemoraError?
  /// Refreshes under way, the one that is running first.
  var runs: [Run] = []
  /// Why the last refresh failed.
  var lastError: RemoraError?
  /// Why the live data is in memory only, or why the cache could not be read.
  var storageError: RemoraError?
  /// Whether its client uses another storage directory since the source looked last.
  var isStorageNew = false
  /// Who is told of events.
  var subscriptions: [(owner: ObjectIdentifier, subscription: Subscription)] = []
  /// Lines of `noteFallback` that were logged.
  var fallbackNotes: Set<String> = []
  /// How many openers have it.
  var handles = 0
  /// Set once: by the client's close, or with the last handle.
  var isEnded = false

  // Worker
  /// Whether the stored live image fails its checks: it must not become the previous one.
  var isLiveDamaged: Bool
  /// What became live here while its file is still the staged one.
  var owedPromotion: OwedPromotion?
  /// Whether what is live is announced by who makes it live in the storage: what another client staged and this one took
  /// over, or a first seed that could not be stored because the files were busy.
  var isLiveUntold: Bool
  /// The request that a refresh begins with, until something else is published.
  var firstRequest: Gather?
  /// Whether the signatures of the packaged data were looked at, or need not be.
  var isPackagedSettled: Bool
  /// How images become snapshots.
  var composition: Composition
  /// When it is refreshed without being asked.
  var schedules: [RefreshSchedule]

  /// Begins as an opening has found it.
  init(_ opening: SourceOpening) {
    let (options, client) = (opening.options, opening.client)
    dialect = opening.dialect
    self.client = client
    self.options = options
    usesStorage = opening.storage != nil
    packaged = options.packaged
    packagedAttachments = options.packagedAttachments
    defaults = options.defaults
    lifetime = options.lifetime
    persistsOverrides = options.persistsOverrides
    name = opening.name
    serverName = StorageName(hashing: dialect.serverIdentity ?? "nowhere")
    cell = LiveCell(opening.live)
    live = opening.live
    staged = opening.staged
    activation = opening.isSilenced ? .nextSetup : options.activation
    isMuted = opening.isSilenced
    untoldExperiments = opening.untoldExperiments
    ledger = opening.stored.ledger
    layers = opening.layers
    owesOverrides = opening.owesOverrides
    unreadOverrides = opening.unreadOverrides
    overridesProblem = opening.overrides.problem
    storageError = opening.storageError
    isLiveDamaged = opening.stored.isLiveDamaged
    owedPromotion = opening.owedPromotion
    isLiveUntold = opening.isLiveUntold
    isPackagedSettled = packaged?.signatures.isEmpty ?? true
    composition = opening.composition
    schedules = options.paces.map {
      RefreshSchedule($0, nowMs: client.options.clock.nowMs, random: client.options.random())
    }
  }

  deinit { cell.destroy() }

  var runtime: Runtime { client.runtime }
  var lock: ProcessLock { client.runtime.lock }
}
