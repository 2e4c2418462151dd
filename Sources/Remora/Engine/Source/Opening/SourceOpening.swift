// SPDX-License-Identifier: Apache-2.0
//
// What an opening of a source reads and decides before anybody sees the source. It may be dropped for another one: all
// that it writes is the image of a seed.

/// What an opening has found in the storage.
struct FoundAtOpening {
  let stored: StoredState
  let overrides: StoredOverrides
  /// Whether this client stopped listening to the source.
  let isSilenced: Bool
}

/// A source as it begins.
struct SourceOpening {
  let dialect: any Dialect
  let services: ClientServices
  let options: SourceOptions
  /// Where its files are; nil keeps it in memory.
  let storage: StorageDirectory?
  /// How often the storage directory had been replaced by then.
  let replacementsSeen: Int
  let name: StorageName
  let found: FoundAtOpening
  /// What is known of the file of the overrides.
  let overridesFile: OverridesFileState
  let composition: Composition
  /// What is live, what waits for its activation, and what lies over both.
  let snapshots: SourceSnapshots
  /// What is known of the data.
  let state: SourceState

  /// Reads what is stored, takes over a seed, and logs what was found. The newer of the stored and the packaged data is
  /// live, in a context.
  static func begin(
    _ dialect: any Dialect, _ services: ClientServices, _ options: SourceOptions, context: FilterContext
  ) -> SourceOpening {
    let current = services.followedStorage()
    let storage = options.isMemoryOnly ? nil : current.directory
    let name = StorageName(hashing: dialect.identity)
    let stored = StoredState.open(dialect, name, in: storage, nowMs: services.options.clock.nowMs)
    let overrides = StoredOverrides(of: dialect, in: options.persistsOverrides ? storage : nil)
    let opening = SourceOpening(
      dialect, services, options, storage, name,
      FoundAtOpening(stored: stored, overrides: overrides, isSilenced: services.isSilenced(name)),
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
    // Who stopped listening waits for the next client.
    let keepsStaged = found.isSilenced || options.activation == .manual
    let stored = found.stored
    let (base, origin) = options.newest(keepsStaged ? stored.image : stored.newest) ?? options.start(services.nothing)
    var layers = Layers(defaults: options.defaults?.layer, overrides: found.overrides.list)
    let removed = base === stored.staged ? dialect.updates.removedKeys(in: base, after: stored.image) : []
    let isOutdated = layers.overrides.end(removed) || found.overrides.isInherited
    overridesFile = OverridesFileState(found.overrides, removed: removed, isOutdated: isOutdated)
    var composition = Composition(dialect, nothing: services.nothing, hashSeed: { services.hashSeed })
    let compose = { (base: Image, origin: Origin) in
      composition.composeOrEmpty(base, origin, under: layers, in: context) { services.note($0, of: dialect, $1) }
    }
    let live = compose(base, origin)
    let waiting = keepsStaged ? stored.staged.flatMap { $0.isOlder(than: base) ? nil : $0 } : nil
    let staged = waiting.map { compose($0, .cached) }
    snapshots = SourceSnapshots(live: live.snapshot, staged: staged?.snapshot, layers: layers)
    self.composition = composition
    var state = SourceState(
      dialect.versions, live: LiveData(ImageFacts(base), origin), staged: waiting.map(ImageFacts.init),
      activation: found.isSilenced ? .nextSetup : options.activation, isSilenced: found.isSilenced,
      ledger: stored.ledger, health: stored.health)
    state.problems.storage =
      live.problem ?? stored.problem ?? stored.seedProblem ?? found.overrides.problem ?? storage?.writeProblem
    if !keepsStaged { state.promotion = stored.promotion(dialect, removedKeys: removed) }
    if base === stored.newest { state.announcements = stored.announcements(dialect) }
    self.state = state
  }

  /// Notes the use of the files, perhaps earlier identities': no sweep must take what is live.
  private func noteUse() {
    guard let storage else { return }
    let images = [found.stored.image, found.stored.staged].compactMap(\.self)
    var names = images.isEmpty ? [name] : []
    for next in images.map({ StorageName(hashing: $0.metadata.identity) }) + [found.overrides.name].compactMap(\.self)
    where !names.contains(next) {
      names.append(next)
    }
    for name in names { storage.noteUse(of: name, nowMs: storage.nowMs) }
  }

  /// Logs what was found.
  private func log() {
    let (stored, overrides) = (found.stored, found.overrides)
    if let problem = stored.problem {
      services.note(.warning, of: dialect, "the cache cannot be used and will be replaced: \(problem.message)")
    }
    if let problem = stored.seedProblem {
      let consequence = stored.seed == nil ? "is not used" : "is live in memory only"
      services.note(.warning, of: dialect, "the seed \(consequence): \(problem.message)")
    } else if let seed = stored.seed {
      let consequence = seed.isStored ? "taken over" : "live in memory until another opening stores it"
      services.note(.info, of: dialect, "the seed of version \(seed.version) is \(consequence)")
    }
    if let problem = overrides.problem {
      let consequence =
        overrides.isUnread ? "cannot be read and are read again later" : "cannot be used and will be replaced"
      services.note(.warning, of: dialect, "the stored overrides \(consequence): \(problem.message)")
    }
  }
}

extension SourceOptions {
  /// What is live when nothing was fetched yet: the newer of cached and packaged, if there is one.
  fileprivate func newest(_ cached: Image?) -> (image: Image, origin: Origin)? {
    if let cached, cached.metadata.version >= packaged?.image.metadata.version ?? .min { return (cached, .cached) }
    return packaged.map { ($0.image, .packaged) }
  }
}

extension Image {
  fileprivate func isOlder(than other: Image) -> Bool { metadata.version < other.metadata.version }
}

extension StoredState {
  /// Whether another opening stores the seed that was taken over, and announces what it brings. Once nothing can be
  /// stored, nobody else announces it.
  private var isSeedLeftToOthers: Bool { seed.map { !$0.isStored && seedProblem == nil } ?? false }

  /// The staged file, which becomes live at this opening, as a promotion to do.
  fileprivate func promotion(_ dialect: any Dialect, removedKeys: [[UInt8]]) -> PendingPromotion? {
    guard let staged, !isSeedLeftToOthers else { return nil }
    return PendingPromotion(
      ArrivingImage(
        ImageFacts(staged), experiments: dialect.newExperiments(in: staged, since: image), removedKeys: removedKeys))
  }

  /// The experiments that a seed brings that nothing preceded.
  fileprivate func announcements(_ dialect: any Dialect) -> Announcements {
    guard !isSeedLeftToOthers else { return Announcements(areLeftToOthers: true) }
    guard let seed, seed.isFirst, let image else { return Announcements() }
    return Announcements(pending: dialect.newExperiments(in: image, since: nil))
  }
}
