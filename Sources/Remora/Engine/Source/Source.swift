// SPDX-License-Identifier: Apache-2.0
//
// A source: its live snapshot, what is known of its data, its refreshes and its subscribers.

/// A set of settings that is refreshed together.
package final class Source: Sendable {
  let dialect: any Dialect
  let services: ClientServices
  /// What it was opened with; those of later openings of the same source have no effect.
  let options: SourceOptions
  /// Whether it has files.
  let usesStorage: Bool
  /// The names of its files and of its server's ledger.
  let name: StorageName
  let serverName: StorageName
  /// The live snapshot, for readers.
  package let cell: LiveCell
  /// What is known of it.
  let state: Guarded<State>
  /// Its snapshots.
  let snapshots: Settled<Snapshots>
  /// What jobs work with.
  let desk: Confined<Desk>
  /// Callers of resets under way.
  let resets = Waiters<Never, Result<Void, RemoraError>>()

  /// Begins as an opening has found it.
  init(_ opening: SourceOpening) {
    let (options, services) = (opening.options, opening.services)
    dialect = opening.dialect
    self.services = services
    self.options = options
    usesStorage = opening.storage != nil
    name = opening.name
    serverName = StorageName(hashing: dialect.serverIdentity ?? "nowhere")
    cell = LiveCell(opening.snapshots.live)
    state = Guarded(
      State(
        data: opening.state, overridesFile: opening.overridesFile,
        openness: Openness(replacementsSeen: opening.replacementsSeen)))
    snapshots = Settled(opening.snapshots)
    desk = Confined(
      Desk(
        composition: opening.composition, isPackagedSettled: options.packaged?.signatures.isEmpty ?? true,
        schedules: options.paces.map {
          RefreshSchedule($0, nowMs: services.options.clock.nowMs, random: services.options.random())
        }))
  }

  deinit { cell.destroy() }

  var runtime: Runtime { services.runtime }
  package var lock: ProcessLock { services.lock }
}

extension Source {
  /// What is known of a source.
  struct State {
    /// What is known of its data. Only `SourceShell.swift` changes it.
    var data: SourceState
    /// The file of its overrides.
    var overridesFile: OverridesFile
    /// Refreshes under way, the one that is running first.
    var runs: [Run] = []
    /// Who gets its events.
    var listeners = Listeners()
    /// Who has it open.
    var openness: Openness
  }

  /// The snapshots of a source, and what they are composed with.
  struct Snapshots {
    /// What readers see.
    var live: Snapshot
    /// What waits for its activation.
    var staged: Snapshot?
    /// What lies over every base.
    var layers: Layers

    /// The newest data; nil while there is none.
    var newest: Image? { staged?.base ?? (live.origin == .none ? nil : live.base) }
  }
}

extension Source {
  func live(_ locked: borrowing Locked) -> Snapshot { snapshots.read(locked, \.live) }
  func live(_ right: borrowing Exclusive) -> Snapshot { snapshots.read(right, \.live) }
  func staged(_ locked: borrowing Locked) -> Snapshot? { snapshots.read(locked, \.staged) }
  func staged(_ right: borrowing Exclusive) -> Snapshot? { snapshots.read(right, \.staged) }
  package func newest(_ locked: borrowing Locked) -> Image? { snapshots.read(locked, \.newest) }
  func newest(_ right: borrowing Exclusive) -> Image? { snapshots.read(right, \.newest) }

  /// The images that are in use: live, staged and packaged.
  func images(_ locked: borrowing Locked) -> [Image] {
    [live(locked).base, staged(locked)?.base, options.packaged?.image].compactMap(\.self)
  }

  /// What is known of the data now. Takes the lock.
  var known: SourceState { lock.withLock { state.read($0, \.data) } }
}

/// Who gets the events of a source, and which lines about it were logged.
struct Listeners {
  /// The subscriptions, with the handles that they end with.
  var subscriptions: [(owner: ObjectIdentifier, subscription: Subscription)] = []
  /// Lines of `noteFallback` that were logged.
  var fallbackNotes: Set<String> = []
}

/// Who has a source open, and where.
struct Openness {
  /// How many openers have it.
  var handles = 0
  /// Set once: by the client's close, or with the last handle.
  var isEnded = false
  /// How often the storage directory had been replaced when the source looked last.
  var replacementsSeen: Int
}

/// What the jobs of a source work with.
struct Desk {
  /// How images become snapshots.
  var composition: Composition
  /// Whether the signatures of the packaged data were looked at, or need not be.
  var isPackagedSettled: Bool
  /// When the source is refreshed without being asked.
  var schedules: [RefreshSchedule]
  /// The refresh whose outcome is worked out.
  var run: Run?
  /// The image of the publication.
  var arriving: Image?
  /// The snapshot of the publication.
  var candidate: Snapshot?
  /// The request that a refresh begins with, until something else is published.
  var firstRequest: Gather?
}
