// SPDX-License-Identifier: Apache-2.0
//
// Events of a source: what happened, and the snapshots before and after.

internal import Remora

/// A change of a source, or the outcome of a refresh.
public struct Event: Sendable {
  /// The state and the namespaces of a bundle that became live; see `Event.configuration`.
  public struct Configuration: Hashable, Sendable {
    /// The origin of the bundle: `.defaults`, `.cached` or `.fetched`.
    public let state: Origin
    /// The namespaces that the bundle lists, in its order. Namespaces that only an earlier bundle listed are missing.
    public let namespaces: [String]
  }

  /// The source, which stays open as long as the event is kept. In `onEvent`, the source can be used even before the
  /// opening function has returned.
  public let source: Source
  /// The reason for the event.
  public let cause: Cause
  /// The outcome of the refresh, if the cause is `.refreshed`. Otherwise `.staged` if the event reports a staged
  /// version, else `.none`.
  public let outcome: Outcome
  /// The live snapshot before the event.
  public let old: Snapshot
  /// The live snapshot after the event.
  public let new: Snapshot
  /// The staged snapshot (stored, but not live yet); nil if none.
  public let staged: Snapshot?
  /// The A/B experiments that became live, or whose variant has changed. Each experiment is reported once, in one
  /// process. Empty for a subscription to one key.
  public let newExperiments: [Experiment]
  /// The bundle, if the event reports that a default or cached bundle was opened, or that a newer bundle, fetched by
  /// any process, is now live. A tracker of Snowplow (an analytics library) calls `onSuccess` in these cases. Nil for
  /// other events, and for subscriptions to one key.
  public let configuration: Configuration?
  /// The reason, if the outcome is `.refused` or `.failed`.
  public let error: RemoraError?
  /// The last storage failure, such as a full disk; nil if a later access succeeded.
  public let storageError: RemoraError?
  /// The freshness of the source; see `Client.Configuration.maximumStale`.
  public let freshness: Freshness
  /// The freshness before the event. It differs from `freshness` only if the cause is `.freshness`.
  public let oldFreshness: Freshness
  /// The key of the subscription; nil for the whole source.
  let key: String?

  /// The name of the source, as in `Source.name`.
  public var sourceName: String { source.name }
  /// The kind of the source.
  public var kind: SourceKind { source.kind }
  /// The origin of the live data.
  public var origin: Origin { new.origin }
  /// The version of the live data; 0 if it has no version.
  public var version: Int64 { new.version }

  /// The changed keys; a subscription to one key receives only that key. Empty if the live data did not change.
  ///
  /// - Complexity: Compares all keys of both snapshots.
  public var changes: [Change] {
    guard isUpdate else { return [] }
    let changes = new.changes(since: old)
    return key.map { key in changes.filter { $0.key == key } } ?? changes
  }

  /// Whether the live snapshot was replaced.
  var isUpdate: Bool { old.core !== new.core }
}

extension Event {
  /// Converts an event of the core.
  init(_ event: Remora.Event, ofKey key: String?, of source: Source) {
    let label = source.label
    self.init(
      source: source, cause: Cause(event.cause), outcome: Outcome(event.outcome), old: Snapshot(event.old),
      new: Snapshot(event.new), staged: event.staged.map(Snapshot.init),
      newExperiments: event.newExperiments.map(Experiment.init),
      configuration: Configuration(event, of: source),
      error: event.error.map { RemoraError($0, of: label) },
      storageError: event.storageError.map { RemoraError($0, of: label) }, freshness: Freshness(event.freshness.new),
      oldFreshness: Freshness(event.freshness.old), key: key)
  }
}

extension Event.Configuration {
  /// Creates the configuration of an event; nil if it has no configuration.
  fileprivate init?(_ event: Remora.Event, of source: Source) {
    guard let namespaces = source.core.configuration(of: event) else { return nil }
    self.init(
      state: Origin(event.new.origin), namespaces: namespaces.map { String(decoding: $0.entry.key, as: UTF8.self) })
  }
}

/// A key whose value changed.
public struct Change: Sendable {
  /// The kind of a change.
  public enum Kind: String, CaseIterable, Sendable {
    case created, updated, deleted
  }

  /// The kind of the change.
  public let kind: Kind
  /// The key.
  public let key: String
  private let before: Snapshot?
  private let after: Snapshot

  init(kind: Kind, key: String, from before: Snapshot?, to after: Snapshot) {
    (self.kind, self.key, self.before, self.after) = (kind, key, before, after)
  }

  /// The origin of the new value; `.none` for a deleted key.
  public var origin: Origin { after.origin(of: key) ?? .none }
  /// The value before the change, copied; nil for a created key.
  public var old: JSONValue? { before?[key] }
  /// The value after the change, copied; nil for a deleted key.
  public var new: JSONValue? { after[key] }
}

/// The outcome of a refresh.
public enum Outcome: String, CaseIterable, Sendable {
  /// No refresh was attempted.
  case none
  /// A new version is live: reads return it.
  case updated
  /// The server has no newer version.
  case unchanged
  /// The response was not used, because its version is older than the current one (for a bundle: not newer).
  case notNewer
  /// A new version is staged: it is stored, and becomes live later.
  case staged
  /// A response arrived, but it failed a check and is not used.
  case refused
  /// No usable response arrived, or a limit was exceeded.
  case failed

  init(_ outcome: Remora.Outcome) {
    switch outcome {
    case .none: self = .none
    case .updated: self = .updated
    case .unchanged: self = .unchanged
    case .notNewer: self = .notNewer
    case .staged: self = .staged
    case .refused: self = .refused
    case .failed: self = .failed
    }
  }
}

/// The reason for an event.
public enum Cause: String, CaseIterable, Sendable {
  /// The first event of `onEvent`, or of a subscription or stream with `replay`: it reports the current state.
  case opened
  /// A refresh of this client has completed. Another client or process may have sent the request.
  case refreshed
  /// A version that another client or process has fetched was picked up from storage.
  case adopted
  /// `Source.reset` has deleted the fetched data.
  case reset
  /// `Client.setContext` has changed which records the filters hide.
  case context
  /// An override was set or cleared.
  case override
  /// `Source.activate` has made a staged version live.
  case activated
  /// `Source.reject`, in any process, has removed the live or staged version.
  case rejected
  /// The freshness has changed. Not reported to subscriptions to one key.
  case freshness

  init(_ cause: Remora.Cause) {
    switch cause {
    case .opened: self = .opened
    case .refreshed: self = .refreshed
    case .adopted: self = .adopted
    case .reset: self = .reset
    case .context: self = .context
    case .override: self = .override
    case .activated: self = .activated
    case .rejected: self = .rejected
    case .freshness: self = .freshness
    }
  }
}

extension Change.Kind {
  init(_ kind: ChangeKind) {
    switch kind {
    case .created: self = .created
    case .updated: self = .updated
    case .deleted: self = .deleted
    }
  }
}
