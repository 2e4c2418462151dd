// SPDX-License-Identifier: Apache-2.0
//
// What an opening of a source reads and decides before anybody sees the source. It may be dropped for another one: all
// that it writes is the image of a seed.

/// A source as it begins.
struct SourceOpening {
  let dialect: any Dialect
  let client: Client
  let options: SourceOptions
  /// Where its files are; nil keeps it in memory.
  let storage: StorageDirectory?
  let name: StorageName
  let stored: StoredState
  let overrides: StoredOverrides
  /// Whether this client was told to stop listening to it.
  let isSilenced: Bool
  /// What lies over every base, and whether the stored overrides are others.
  let layers: Layers
  let owesOverrides: Bool
  /// Set if the stored overrides could not be read.
  let unreadOverrides: UnreadOverrides?
  let composition: Composition
  /// What is live, and what waits for its activation.
  let live: Snapshot
  let staged: Snapshot?
  /// What becomes live here while its file is still the staged one.
  private(set) var owedPromotion: OwedPromotion?
  /// Experiments that a first seed brings, which this opening has to announce.
  private(set) var untoldExperiments: [ExperimentID] = []
  /// Whether who stores that seed announces them.
  private(set) var isLiveUntold = false

  /// Reads what is stored; the newer of that and the packaged data is live, in a context.
  init(_ dialect: any Dialect, client: Client, _ options: SourceOptions, context: FilterContext) {
    self.dialect = dialect
    self.client = client
    self.options = options
    client.followStorage()
    storage = options.isMemoryOnly ? nil : client.storage
    name = StorageName(hashing: dialect.identity)
    let stored = StoredState(opening: dialect, name, in: storage, nowMs: client.options.clock.nowMs)
    self.stored = stored
    overrides = StoredOverrides(of: dialect, in: options.persistsOverrides ? storage : nil)
    isSilenced = client.isSilenced(name)
    // Who was told to stop listening waits for the next client.
    let keepsStaged = isSilenced || options.activation == .manual
    let cached = keepsStaged ? stored.image : stored.newest
    let (base, origin) = options.newest(cached) ?? options.start(client.nothing)
    var layers = Layers(defaults: options.defaults?.layer, overrides: overrides.list)
    let removed = base === stored.staged ? dialect.updates.removedKeys(in: base, after: stored.image) : []
    owesOverrides = layers.overrides.end(removed) || overrides.isInherited
    unreadOverrides = overrides.isUnread ? UnreadOverrides(removed) : nil
    self.layers = layers
    var composition = Composition(dialect, nothing: client.nothing, hashSeed: { client.hashSeed })
    live = composition.composeOrHide(base, origin, under: layers, in: context) { client.note($0, of: dialect, $1) }
    if keepsStaged, let next = stored.staged, next.metadata.version >= base.metadata.version {
      staged = composition.composeOrHide(next, .cached, under: layers, in: context) { client.note($0, of: dialect, $1) }
    } else {
      staged = nil
    }
    self.composition = composition
    if !keepsStaged, let next = stored.staged {
      owedPromotion = OwedPromotion(
        image: next, experiments: dialect.newExperiments(in: next, since: stored.image), removedKeys: removed)
    }
    if let seed = stored.seed, seed.isFirst, base === stored.image {
      // Once nothing can be stored, nobody else announces it either.
      isLiveUntold = !seed.isStored && stored.seedProblem == nil
      untoldExperiments = isLiveUntold ? [] : dialect.newExperiments(in: base, since: nil)
    }
    noteUse()
    tell()
  }

  /// Why not everything could be read, or is in memory only.
  var storageError: RemoraError? { stored.problem ?? stored.seedProblem ?? overrides.problem ?? storage?.writeProblem }

  /// Notes the use of the files, perhaps earlier identities': no sweep must take what is live.
  private func noteUse() {
    let used = [stored.image, stored.staged].compactMap { $0.map { StorageName(hashing: $0.metadata.identity) } }
    for name in Set((used.isEmpty ? [name] : used) + [overrides.name].compactMap(\.self)) {
      storage?.noteUse(of: name, nowMs: SystemClock().nowMs)
    }
  }

  /// Tells the log what was found.
  private func tell() {
    if let problem = stored.problem {
      client.note(.warning, of: dialect, "the cache cannot be used and will be replaced: \(problem.message)")
    }
    if let problem = stored.seedProblem {
      let consequence = stored.seed == nil ? "is not used" : "is live in memory only"
      client.note(.warning, of: dialect, "the seed \(consequence): \(problem.message)")
    } else if let seed = stored.seed {
      let consequence = seed.isStored ? "taken over" : "live in memory until another opening stores it"
      client.note(.info, of: dialect, "the seed of version \(seed.version) is \(consequence)")
    }
    if let problem = overrides.problem {
      let consequence =
        overrides.isUnread ? "cannot be read and are read again later" : "cannot be used and will be replaced"
      client.note(.warning, of: dialect, "the stored overrides \(consequence): \(problem.message)")
    }
  }
}

extension SourceOptions {
  /// What is live when nothing was fetched yet: the newer of cached and packaged, if there is one.
  fileprivate func newest(_ cached: Image?) -> (Image, Origin)? {
    if let cached, cached.metadata.version >= packaged?.image.metadata.version ?? .min { return (cached, .cached) }
    return packaged.map { ($0.image, .packaged) }
  }

  /// What is live while there is neither: the defaults, or nothing.
  fileprivate func start(_ nothing: Snapshot) -> (Image, Origin) {
    defaults.map { ($0.image, .defaults) } ?? (nothing.base, .none)
  }
}
