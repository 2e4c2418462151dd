// SPDX-License-Identifier: Apache-2.0
//
// The state of one source's data: the live and the staged image, and the content of its files.
// `SourceState+Transitions.swift` changes it; events take the pending experiments from `PendingExperiments`.

/// The state of one source's data. A value: it does not access clocks, files or locks.
package struct SourceState: Sendable {
  /// Which versions may replace which.
  let versions: VersionRule
  package internal(set) var live: LiveData
  /// A newer image that is not activated yet.
  package internal(set) var staged: ImageFacts?
  /// Whether the newest image is in memory only, after a storage problem.
  package internal(set) var isNewestInMemoryOnly: Bool
  package internal(set) var activation: ActivationMode
  /// Whether the host stopped the events. Then subscribers receive no events, and new images are staged.
  package internal(set) var isMuted: Bool
  /// The newest ledger that was read, updated by this process since.
  package internal(set) var ledger: SourceLedger
  package internal(set) var health: FilesHealth
  /// A staged file that becomes the live one as soon as this process holds the files' lock.
  package internal(set) var promotion: PendingPromotion?
  /// The newest image that was rejected, here or by another process.
  package internal(set) var rejected: RejectedImage?
  /// The experiments that the next event reports.
  package internal(set) var pendingExperiments: PendingExperiments
  package internal(set) var problems: Problems
  /// The publication in progress; nil between publications.
  package internal(set) var publication: Publication?
}

package struct LiveData: Equatable, Sendable {
  package internal(set) var origin: Origin
  package internal(set) var image: ImageFacts

  package init(_ image: ImageFacts, _ origin: Origin) {
    self.image = image
    self.origin = origin
  }
}

/// The problems that the last check of the image files found.
package struct FilesHealth: Equatable, Sendable {
  /// The live file fails its checks. It is read again before another image replaces it, and removed if it is still
  /// damaged, so that a damaged image never becomes the previous one.
  package var isLiveDamaged = false
  /// A file could not be read. It may have newer data, so nothing is stored until it can be read.
  package var isUnread = false

  package init(isLiveDamaged: Bool = false, isUnread: Bool = false) {
    self.isLiveDamaged = isLiveDamaged
    self.isUnread = isUnread
  }
}

/// A staged file that is to become the live one.
package struct PendingPromotion: Sendable {
  package let image: ImageFacts
  /// The experiments that are new here. This process reports them if the file cannot be promoted.
  package let experiments: [ExperimentID]
  /// The keys that the image removes; their stored overrides are removed first.
  package internal(set) var removedKeys: [[UInt8]]

  package init(_ arrival: ArrivingImage) {
    image = arrival.image
    experiments = arrival.experiments
    removedKeys = arrival.removedKeys
  }
}

/// The experiments that the next event reports. Each experiment is reported once: by the process that makes its image
/// live in the storage.
package struct PendingExperiments: Sendable {
  /// The experiments that the next event reports to subscribers of the whole source.
  package internal(set) var ids: [ExperimentID] = []
  /// Whether another process reports the experiments of the live image: the process that stores it as live.
  package internal(set) var areLeftToOthers = false

  package init(ids: [ExperimentID] = [], areLeftToOthers: Bool = false) {
    self.ids = ids
    self.areLeftToOthers = areLeftToOthers
  }

  /// Returns the experiments for an event, and marks them as reported.
  mutating func take() -> [ExperimentID] {
    defer { ids = [] }
    return ids
  }

  /// Adds the experiments that an opening of the same source found, before the pending ones.
  mutating func add(ofAnotherOpening experiments: [ExperimentID]) { ids = experiments.adding(ids) }

  /// Called after a fork, in the child: the parent reports the pending experiments.
  mutating func resumeChild() { ids = [] }
}

/// The last errors, for info and events.
package struct Problems: Sendable {
  /// The reason the last refresh failed; nil if it succeeded, or if there was none.
  package internal(set) var refresh: RemoraError?
  /// The reason the live data is in memory only, or the cache could not be read.
  package internal(set) var storage: RemoraError?
  /// The reason the newest image could not be stored. It becomes the storage problem again once a later one is solved.
  var image: RemoraError?

  package init(refresh: RemoraError? = nil, storage: RemoraError? = nil) {
    self.refresh = refresh
    self.storage = storage
  }
}

extension SourceState {
  /// Creates the state of a source that was just opened.
  init(
    _ versions: VersionRule, live: LiveData, staged: ImageFacts?, activation: ActivationMode, isMuted: Bool,
    ledger: SourceLedger, health: FilesHealth
  ) {
    self.versions = versions
    self.live = live
    self.staged = staged
    self.activation = activation
    self.isMuted = isMuted
    self.ledger = ledger
    self.health = health
    pendingExperiments = PendingExperiments()
    problems = Problems()
    let newest = staged ?? live.image
    isNewestInMemoryOnly = live.origin != .none && newest.stamp.generation > ledger.generation
  }

  /// The newest image; nil if there is none.
  package var newest: ImageFacts? { staged ?? (live.origin == .none ? nil : live.image) }

  /// Returns the generation of an image that was found; 0 if the source was reset since.
  func generation(of image: ImageFacts?) -> UInt64 {
    image.flatMap { $0.stamp.epoch == ledger.epoch ? $0.stamp.generation : nil } ?? 0
  }

  /// Whether an image that was found may replace the newest one here. An image that was stored earlier may not: then a
  /// newer file could not be read. An image below the floor may if it is newer than the one here: it was accepted when
  /// it was stored, and the image that raised the floor could not be stored, or was rejected.
  func mayFollow(_ image: ImageFacts) -> Bool {
    let isNewer = newest.map { image.stamp > $0.stamp && image.version > $0.version } ?? (rejected != nil)
    guard isNewer || !versions.isBelow(image.version, floor: ledger.floor) else { return false }
    // Any image in another directory counts as newer.
    guard let newest, ledger.generation > 0 else { return true }
    return image.stamp >= newest.stamp
  }
}

// The activation modes. Until a fetched image becomes live it is staged: kept in memory and on disk in addition to the
// live one. The next refresh requests changes since the staged image and merges them with it.

/// The time at which a fetched image becomes live; raw values are those of the C header.
package enum ActivationMode: Int32, Sendable {
  case immediate = 1
  /// When the source is opened by another client.
  case nextSetup
  /// When the host activates it.
  case manual

  /// Creates the mode from a number of the C header; nil for 0, which means the default of the kind of source.
  ///
  /// - Throws: `.invalidArgument`.
  package init?(option number: Int32) throws(RemoraError) {
    if number == 0 { return nil }
    try self.init(number, of: "activation", "an activation mode")
  }
}
