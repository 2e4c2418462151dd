// SPDX-License-Identifier: Apache-2.0
//
// What is known of the data of one source: what readers see, what waits, and what its files hold. `SourceTransitions.swift`
// changes it.

/// The state of the data of one source. A value: it reads no clock and no file, and takes no lock.
package struct SourceState: Sendable {
  /// Which versions may follow which.
  let versions: VersionRule
  /// What readers see.
  package internal(set) var live: LiveData
  /// A newer image, which waits for its activation.
  package internal(set) var staged: ImageFacts?
  /// Whether the newest image is in memory only, after a problem of the storage.
  package internal(set) var isNewestInMemoryOnly: Bool
  /// When new images become live.
  package internal(set) var activation: ActivationMode
  /// Whether the host stopped listening. Then no subscriber gets an event, and new images are staged.
  package internal(set) var isSilenced: Bool
  /// The newest ledger that was read, with what this process found since.
  package internal(set) var ledger: SourceLedger
  package internal(set) var health: FilesHealth
  /// A staged file that becomes the live one as soon as this process has the right to the files.
  package internal(set) var promotion: PendingPromotion?
  /// Which experiments the next event announces.
  package internal(set) var announcements: Announcements
  /// What failed last.
  package internal(set) var problems: Problems
  /// What becomes live or staged now; nil between publications.
  package internal(set) var publication: Publication?
}

/// What readers see.
package struct LiveData: Equatable, Sendable {
  package internal(set) var origin: Origin
  package internal(set) var image: ImageFacts

  package init(_ image: ImageFacts, _ origin: Origin) {
    self.image = image
    self.origin = origin
  }
}

/// What the last look at the files of the images found wrong.
package struct FilesHealth: Equatable, Sendable {
  /// The live file fails its checks. It is read again before another image takes its place, and removed if it is still
  /// damaged: a damaged image never becomes the previous one.
  package var isLiveDamaged = false
  /// A file could not be read. It may be newer than what is known, so nothing is stored until it can be.
  package var isUnread = false

  package init(isLiveDamaged: Bool = false, isUnread: Bool = false) {
    self.isLiveDamaged = isLiveDamaged
    self.isUnread = isUnread
  }
}

/// A staged file that is to become the live one.
package struct PendingPromotion: Sendable {
  package let image: ImageFacts
  /// What it brings here, for this process to announce if the file cannot be promoted.
  package let experiments: [ExperimentID]
  /// Keys that it removes, whose stored overrides end first.
  package internal(set) var removedKeys: [[UInt8]]

  package init(_ arrival: ArrivingImage) {
    image = arrival.image
    experiments = arrival.experiments
    removedKeys = arrival.removedKeys
  }
}

/// Which experiments the next event announces. An experiment is announced once: by the process that makes its image live
/// in the storage.
package struct Announcements: Sendable {
  /// What the next event announces to subscribers of the whole source.
  package internal(set) var pending: [ExperimentID] = []
  /// Whether another process announces the experiments of the live image: the one that stores it as live.
  package internal(set) var areLeftToOthers = false

  package init(pending: [ExperimentID] = [], areLeftToOthers: Bool = false) {
    self.pending = pending
    self.areLeftToOthers = areLeftToOthers
  }
}

/// What failed last, for info and events.
package struct Problems: Sendable {
  /// Why the last refresh failed.
  package internal(set) var refresh: RemoraError?
  /// Why the live data is in memory only, or why the cache could not be read.
  package internal(set) var storage: RemoraError?
  /// Why the newest image could not be stored. It counts again once a later problem of the storage is over.
  var image: RemoraError?

  package init(refresh: RemoraError? = nil, storage: RemoraError? = nil) {
    self.refresh = refresh
    self.storage = storage
  }
}

extension SourceState {
  /// The state of a source that was just opened.
  init(
    _ versions: VersionRule, live: LiveData, staged: ImageFacts?, activation: ActivationMode, isSilenced: Bool,
    ledger: SourceLedger, health: FilesHealth
  ) {
    self.versions = versions
    self.live = live
    self.staged = staged
    self.activation = activation
    self.isSilenced = isSilenced
    self.ledger = ledger
    self.health = health
    announcements = Announcements()
    problems = Problems()
    let newest = staged ?? live.image
    isNewestInMemoryOnly = live.origin != .none && newest.stamp.generation > ledger.generation
  }

  /// What the next event announces. It is announced then.
  mutating func takeExperiments() -> [ExperimentID] {
    defer { announcements.pending = [] }
    return announcements.pending
  }

  /// Adds what an opening of the same source found, before what is pending.
  mutating func addExperiments(ofAnotherOpening experiments: [ExperimentID]) {
    announcements.pending = experiments.adding(announcements.pending)
  }

  /// After a fork, in the child: the parent announces what is pending.
  mutating func resumeChild() { announcements.pending = [] }

  /// The newest image; nil while there is none.
  package var newest: ImageFacts? { staged ?? (live.origin == .none ? nil : live.image) }

  /// The generation of an image that was found, if nothing was reset since.
  func generation(of image: ImageFacts?) -> UInt64 {
    image.flatMap { $0.stamp.epoch == ledger.epoch ? $0.stamp.generation : nil } ?? 0
  }

  /// Whether an image that was found may take the place of the newest one here. It may not if it was stored before: then a
  /// newer file could not be read. Below the floor it may if it is newer than that one: it was accepted when it was stored,
  /// and what raised the floor could not be.
  func mayFollow(_ image: ImageFacts) -> Bool {
    let isNewer = newest.map { image.stamp > $0.stamp && image.version > $0.version } ?? false
    guard isNewer || !versions.isBelow(image.version, floor: ledger.floor) else { return false }
    // Anything in another directory is newer.
    guard let newest, ledger.generation > 0 else { return true }
    return image.stamp >= newest.stamp
  }
}
