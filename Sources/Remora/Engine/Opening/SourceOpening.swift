// SPDX-License-Identifier: Apache-2.0
//
// Reads and decides everything for the opening of a source, before the source is visible. The result may be discarded
// in favour of another opening: its only side effect is that it stores the image of a seed.

struct FoundAtOpening {
  let files: SeededState
  let overrides: StoredOverrides
  /// Whether the host stopped the events of the source in this client.
  let isMuted: Bool
}

struct SourceOpening {
  let dialect: any Dialect
  let services: ClientServices
  let options: SourceOptions
  /// The directory of its files; nil keeps it in memory.
  let storage: StorageDirectory?
  /// The number of replacements of the storage directory so far.
  let replacementsSeen: Int
  let name: StorageName
  let found: FoundAtOpening
  let overridesFile: OverridesFileState
  let composition: Composition
  /// The live and the staged snapshot, with their adjustments.
  let snapshots: SourceSnapshots
  let state: SourceState

  /// Reads the stored data, adopts a seed, and logs what was found. The newer of the stored and the packaged data
  /// becomes live, composed in a context.
  static func begin(
    _ dialect: any Dialect, _ services: ClientServices, _ options: SourceOptions, context: FilterContext
  ) -> SourceOpening {
    let current = services.followedStorage()
    let storage = options.isMemoryOnly ? nil : current.directory
    let name = StorageName(hashing: dialect.identity)
    let files = SeededState(
      dialect, name, in: storage, shape: options.shape.whenForced, nowMs: services.options.clock.nowMs)
    let overrides = StoredOverrides(of: dialect, in: options.persistsOverrides ? storage : nil)
    let opening = SourceOpening(
      dialect, services, options, storage, name,
      FoundAtOpening(files: files, overrides: overrides, isMuted: services.isMuted(name)),
      replacementsSeen: current.replacements, context)
    opening.noteUse()
    opening.log()
    return opening
  }

  private init(
    _ dialect: any Dialect, _ services: ClientServices, _ options: SourceOptions, _ storage: StorageDirectory?,
    _ name: StorageName, _ found: FoundAtOpening, replacementsSeen: Int, _ context: FilterContext
  ) {
    self.dialect = dialect
    self.services = services
    self.replacementsSeen = replacementsSeen
    self.options = options
    self.storage = storage
    self.name = name
    self.found = found
    // If the host stopped the events, new data stays staged until the next client opens the source.
    let keepsStaged = found.isMuted || options.activation == .manual
    let stored = found.files.stored
    let (base, origin) = options.choice(of: keepsStaged ? stored.image : stored.newest, services.nothing)
    var adjustments = Adjustments(defaults: options.defaults?.members, overrides: found.overrides.list)
    let removed = base === stored.staged ? dialect.updates.removedKeys(in: base, after: stored.image) : []
    let isOutdated = adjustments.overrides.end(removed) || found.overrides.isInherited
    overridesFile = OverridesFileState(found.overrides, removed: removed, isOutdated: isOutdated)
    var composition = Composition(dialect, nothing: services.nothing, hashSeed: { services.hashSeed })
    let compose = { (base: Image, origin: Origin) in
      composition.composeOrEmpty(base, origin, under: adjustments, in: context) { services.note($0, of: dialect, $1) }
    }
    let live = compose(base, origin)
    let waiting = keepsStaged ? stored.staged.flatMap { $0.isOlder(than: base) ? nil : $0 } : nil
    let staged = waiting.map { compose($0, .cached) }
    snapshots = SourceSnapshots(
      live: live.snapshot, staged: staged?.snapshot, rejected: stored.rejections, adjustments: adjustments)
    self.composition = composition
    var state = SourceState(
      dialect.versions, live: LiveData(ImageFacts(base), origin), staged: waiting.map(ImageFacts.init),
      activation: found.isMuted ? .nextSetup : options.activation, isMuted: found.isMuted,
      ledger: stored.ledger, health: stored.health)
    state.problems.storage =
      live.problem ?? stored.problem ?? found.files.seedProblem ?? found.overrides.problem ?? storage?.writeProblem
    state.rejected = stored.rejected.map { RejectedImage(ImageFacts($0), isDue: stored.isRejectionUnreported) }
    if !keepsStaged { state.promotion = found.files.promotion(dialect, removedKeys: removed) }
    if base === stored.newest { state.pendingExperiments = found.files.pendingExperiments(dialect) }
    self.state = state
  }

  /// Marks the files as used, also those of earlier identities, so that a sweep does not remove live data.
  private func noteUse() {
    guard let storage else { return }
    let images = [found.files.stored.image, found.files.stored.staged].compactMap(\.self)
    var names = images.isEmpty ? [name] : []
    for next in images.map({ StorageName(hashing: $0.metadata.identity) }) + [found.overrides.name].compactMap(\.self)
    where !names.contains(next) {
      names.append(next)
    }
    for name in names { storage.noteUse(of: name, nowMs: storage.nowMs) }
  }

  private func log() {
    let (files, overrides) = (found.files, found.overrides)
    if let unknown = options.shape.schema?.unknownKeywords, !unknown.isEmpty {
      let names = unknown.prefix(10).map { printable($0) }.joined(separator: ", ")
      services.note(.warning, of: dialect, "keywords of the schema are not known and have no effect: \(names)")
    }
    if let problem = files.stored.problem {
      services.note(.warning, of: dialect, "the cache cannot be used and will be replaced: \(problem.message)")
    }
    if let problem = files.seedProblem {
      let consequence = files.seed == nil ? "is not used" : "is accepted, but not stored"
      services.note(.warning, of: dialect, "the installed seed data \(consequence): \(problem.message)")
    } else if let seed = files.seed {
      let consequence = seed.isStored ? "accepted and stored" : "accepted, but not stored yet"
      services.note(.info, of: dialect, "the installed seed data of version \(seed.version) is \(consequence)")
    }
    if let problem = overrides.problem {
      let consequence =
        overrides.isUnread ? "cannot be read; Remora will retry later" : "cannot be used and will be replaced"
      services.note(.warning, of: dialect, "the stored overrides \(consequence): \(problem.message)")
    }
  }
}

extension SeededState {
  /// Whether another opening stores the adopted seed, and reports its experiments. False if the seed cannot be stored,
  /// because then no other process reports them.
  private var isSeedLeftToOthers: Bool { seed.map { !$0.isStored && seedProblem == nil } ?? false }

  /// Returns the pending promotion of the staged file, which becomes live at this opening.
  fileprivate func promotion(_ dialect: any Dialect, removedKeys: [[UInt8]]) -> PendingPromotion? {
    guard let staged = stored.staged, !isSeedLeftToOthers else { return nil }
    return PendingPromotion(
      ArrivingImage(
        ImageFacts(staged), experiments: dialect.newExperiments(in: staged, since: stored.image),
        removedKeys: removedKeys))
  }

  /// Returns the experiments of a seed that is the first data of the source.
  fileprivate func pendingExperiments(_ dialect: any Dialect) -> PendingExperiments {
    guard !isSeedLeftToOthers else { return PendingExperiments(areLeftToOthers: true) }
    guard let seed, seed.isFirst, let image = stored.image else { return PendingExperiments() }
    return PendingExperiments(ids: dialect.newExperiments(in: image, since: nil))
  }
}

extension SourceCore {
  /// Creates the core from the result of an opening.
  convenience init(_ opening: SourceOpening) {
    self.init(
      opening.dialect, opening.services, opening.options, usesStorage: opening.storage != nil, opening.name,
      opening.snapshots, opening.state)
  }
}
