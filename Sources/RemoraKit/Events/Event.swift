// SPDX-License-Identifier: Apache-2.0
//
// Events of a source: what happened, and the snapshots before and after.

internal import Remora

/// A change of a source, or the outcome of a refresh.
public struct Event: Sendable {
  /// A bundle that a Snowplow tracker would pass to `onSuccess`; see `Event.configuration`.
  public struct Configuration: Hashable, Sendable {
    /// The state: `.defaults`, `.cached` or `.fetched`.
    public let state: Origin
    /// The namespaces of the bundle, in its order. Namespaces that only an earlier bundle lists are not contained.
    public let namespaces: [String]
  }

  /// The source, which is open as long as the event is kept. In `onEvent`, it can be used even before the opening
  /// function has returned.
  public let source: Source
  /// The reason for the event.
  public let cause: Cause
  /// The outcome, if the cause is a refresh. `.staged` if the event reports a version that was stored, but is not live
  /// yet. Otherwise `.none`.
  public let outcome: Outcome
  /// The live snapshot before the event.
  public let old: Snapshot
  /// The live snapshot after the event.
  public let new: Snapshot
  /// The staged snapshot; nil if none is staged.
  public let staged: Snapshot?
  /// The experiments of the live data that were not live before, or had another variant. Each is reported once. Empty
  /// for a subscription to one key.
  public let newExperiments: [Experiment]
  /// The state and the namespaces with which a Snowplow tracker would call `onSuccess`. Nil for other events, sources
  /// other than bundles, and subscriptions to one key. Not nil if the default or a cached bundle was opened, a refresh
  /// has made a newer bundle live, or another process has.
  public let configuration: Configuration?
  /// The reason, if the outcome is `.refused` or `.failed`.
  public let error: RemoraError?
  /// The last storage failure, such as a full disk: the data is then in memory only.
  public let storageError: RemoraError?
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

  /// The changed keys; of a subscription to one key only that one. Empty if the live data did not change.
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
      configuration: key == nil ? Configuration(event, of: source) : nil,
      error: event.error.map { RemoraError($0, of: label) },
      storageError: event.storageError.map { RemoraError($0, of: label) }, key: key)
  }
}

extension Event.Configuration {
  /// Creates the configuration of an event; nil if a tracker would not call `onSuccess`.
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
  /// The server has no version that is newer than the current one.
  case unchanged
  /// The response was not used: its version is lower than the current one (for a bundle: not higher).
  case notNewer
  /// A new version is stored, but reads do not return it until it is activated.
  case staged
  /// A response arrived, but it failed a check and is not used.
  case refused
  /// No usable response arrived, or it exceeds a limit.
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
  /// The first event of `onEvent`, or of a subscription or stream with `replay`: the current state.
  case opened
  /// A refresh of this client has completed. Another client or process may have sent the request.
  case refreshed
  /// Data that another client or process fetched was read from storage.
  case adopted
  /// `Source.reset` has deleted the fetched data.
  case reset
  /// `Client.setContext` has changed which records the filters hide.
  case context
  /// An override was set or cleared.
  case override
  /// `Source.activate` has made a staged version live.
  case activated

  init(_ cause: Remora.Cause) {
    switch cause {
    case .opened: self = .opened
    case .refreshed: self = .refreshed
    case .adopted: self = .adopted
    case .reset: self = .reset
    case .context: self = .context
    case .override: self = .override
    case .activated: self = .activated
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
