// SPDX-License-Identifier: Apache-2.0
//
// One source at one version, as the core's snapshot.

internal import Remora

/// An immutable view of one version of a source. Read values that must belong together from one snapshot.
///
/// A snapshot stays valid after its source and client are closed. It may be used on any thread, and its reads never
/// wait.
public struct Snapshot: ValueReader {
  let core: Remora.Snapshot

  init(_ core: Remora.Snapshot) { self.core = core }

  /// This snapshot.
  public var snapshot: Snapshot { self }

  /// The origin of the data.
  public var origin: Origin { Origin(core.origin) }
  /// The version: a timestamp of the server in milliseconds since 1970, a bundle's version, or for settings the time of
  /// the fetch; 0 without data.
  public var version: Int64 { core.base.metadata.version }
  /// The time of the fetch in milliseconds since 1970; 0 for data that was not fetched.
  public var fetchedAtMs: Int64 { core.base.metadata.fetchedAtMs }
  /// Whether a signature was verified for this data.
  public var isVerified: Bool { core.base.metadata.isVerified }
  /// The number of keys.
  public var count: Int { core.count }

  /// The keys, sorted by their UTF-8.
  public var keys: [String] {
    (0..<core.count).compactMap { index in
      core.reader.pointee.entry(at: index).map { String(decoding: $0.key, as: UTF8.self) }
    }
  }

  /// Returns the origin of the value of a key: `.override` if any part is overridden. Nil if the key does not exist.
  public func origin(of key: String) -> Origin? {
    key.withBytes { core.origin(of: $0).map(Origin.init) }
  }

  /// Returns the keys whose values differ from those in another snapshot, sorted by their UTF-8. Use it to see what
  /// changed between two versions, such as the live and the staged one.
  ///
  /// - Parameter old: The other snapshot, usually an older one of the same source. Nil means an empty snapshot.
  /// - Complexity: Compares all keys of both snapshots.
  public func changes(since old: Snapshot?) -> [Change] {
    var changes: [Change] = []
    diff(old?.core.reader.pointee, core.reader.pointee) { change in
      changes.append(
        Change(kind: Change.Kind(change.kind), key: String(decoding: change.key, as: UTF8.self), from: old, to: self))
      return true
    }
    return changes
  }

  /// Returns the canonical JSON of the whole snapshot, as one object.
  ///
  /// - Throws: `.corrupt` if the stored file was changed while in use; `.unavailable` if memory is exhausted.
  public func json() throws(RemoraError) -> String {
    try call { () throws(Remora.RemoraError) in
      var text = ByteBuffer()
      try core.appendCanonical(to: &text)
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  /// Returns the A/B experiment of settings with this name; nil if none exists.
  public func experiment(_ name: String) -> Experiment? {
    name.withBytes { name in
      withExtendedLifetime(core) { Experiments(of: core.reader.pointee)?.named(name).map(Experiment.init) }
    }
  }

  /// The A/B experiments in settings, in the order of the document; empty for other kinds of source.
  public var experiments: [Experiment] {
    var found: [Experiment] = []
    Experiments(of: core.reader.pointee)?.forEach { experiment in
      found.append(Experiment(experiment))
      return true
    }
    return found
  }
}

/// The origin of data.
public enum Origin: String, CaseIterable, Sendable {
  /// There is no data.
  case none
  /// The default bundle.
  case defaults
  /// Data that was packaged with the program.
  case packaged
  /// Stored data that an earlier client or process fetched, or a seed.
  case cached
  /// Data that any process has fetched or confirmed since the client was created.
  case fetched
  /// For a key only: the value, or a part of it, is an override.
  case override

  init(_ origin: Remora.Origin) {
    switch origin {
    case .none: self = .none
    case .defaults: self = .defaults
    case .packaged: self = .packaged
    case .cached: self = .cached
    case .fetched: self = .fetched
    case .override: self = .override
    }
  }
}

/// An A/B experiment in settings.
public struct Experiment: Hashable, Sendable {
  /// The name of the experiment; never empty.
  public let name: String
  /// The variant that the server chose; empty if the server sent no variant.
  public let variant: String
  /// A number for your analytics, which Remora does not interpret; 0 if the server sent no number.
  public let trackable: Double
  /// The keys that the experiment affects, if the server lists them.
  public let settings: [String]

  init(_ experiment: Remora.Experiment) {
    name = String(decoding: experiment.name, as: UTF8.self)
    variant = String(decoding: experiment.variant, as: UTF8.self)
    trackable = experiment.trackable
    settings = experiment.settings.map { keys in (0..<keys.count).compactMap { keys.element(at: $0)?.text } } ?? []
  }
}
