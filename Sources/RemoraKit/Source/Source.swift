// SPDX-License-Identifier: Apache-2.0
//
// A source: its live data, its state, and its activation.

internal import Remora
internal import Synchronization

/// A set of settings that is fetched as a unit: a collection, a bundle or a settings dictionary.
///
/// A source is closed by `close`, or when its last reference is released. All functions may be called on any thread.
///
/// `@unchecked Sendable`: the properties are constant and refer to thread-safe objects.
public class Source: ValueReader, @unchecked Sendable {
  let opened: OpenSource
  /// Keeps the client open.
  let client: Client
  private let isClosed = Atomic(false)

  init(_ opened: OpenSource, of client: Client) {
    self.opened = opened
    self.client = client
  }

  deinit { close() }

  var label: SourceLabel { core.label }
  var core: Remora.Source { opened.source }

  /// The kind of the source.
  public var kind: SourceKind { SourceKind(label.kind) }
  /// The name: bucket and collection, such as `"main/regions"`, or the URL without its query. For settings, `"#"` and
  /// the tag follow, if set; for a bundle, a space and the option `name`, if set.
  public var name: String { label.name }
  /// For a collection, the base URL of the server. Otherwise the scheme, host and port of the URL; empty for a bundle
  /// without a URL.
  public var server: String { label.server }

  /// The live snapshot: the data that reads return now.
  ///
  /// - Throws: `.closed`.
  public var snapshot: Snapshot {
    get throws(RemoraError) {
      // Every read comes here, and takes no lock.
      guard !isClosed.load(ordering: .relaxed), !core.cell.isClosed else { throw RemoraError(.closed, of: label) }
      return lastSnapshot
    }
  }

  /// The live data as received: with the records that filters hide, without overrides and defaults.
  ///
  /// - Throws: `.closed`.
  public var unfilteredSnapshot: Snapshot {
    get throws(RemoraError) { Snapshot(try snapshot.core.unfiltered) }
  }

  /// The live snapshot; after `close`, the last live one.
  var lastSnapshot: Snapshot { Snapshot(core.lastSnapshot) }

  /// Returns the state of the source, such as for a status page.
  ///
  /// - Throws: `.closed`.
  public func info() throws(RemoraError) -> SourceInfo {
    SourceInfo(try call(of: label) { () throws(Remora.RemoraError) in try core.info() }, of: label)
  }

  /// Closes the source: ends its event streams, and ends waiting calls with `.closed`. Has no effect on a closed
  /// source.
  public func close() {
    isClosed.store(true, ordering: .relaxed)
    ForkGate.inside { opened.close() }
  }

  // MARK: Activation

  /// Makes staged (stored) data live: reads return it in this process at once, and in every client that opens the
  /// source from now on. Waits for files, outside the pool of Swift's tasks. Not interrupted by cancellation of the
  /// task.
  ///
  /// - Parameter snapshot: The snapshot that the program has checked, such as `staged` of an event. If another version
  ///   is staged now, nothing changes. Nil activates any staged version.
  /// - Returns: `.updated`; `.unchanged` if the snapshot is live already, or no data is staged.
  /// - Throws: `.notFound` if the snapshot is neither staged nor live; `.invalidArgument` if it is of another source;
  ///   `.closed`.
  @discardableResult
  public func activate(_ snapshot: Snapshot? = nil) async throws(RemoraError) -> Outcome {
    try await change { core throws(Remora.RemoraError) in Outcome(try core.activate(snapshot?.core)) }
  }

  /// Rejects the live or the staged version, because the program cannot work with it. A rejected live version is
  /// replaced at once by the newest stored version that was live before it, or else by packaged data or defaults. Other
  /// processes follow within about a second, with an event whose cause is `.rejected`. The rejected version is not
  /// accepted again, even after a restart: refreshes throw `.rejected` until the server has another version. Only the
  /// newest rejected version is remembered, until `reset`. Waits at most 5 s while another client or process has locked
  /// the files; if they stay locked, the rejection is stored later, while the client is open. Not interrupted by
  /// cancellation of the task.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot that the program has checked.
  ///   - reason: The reason, for the log.
  /// - Throws: `.notFound` if the snapshot is neither live nor staged any more, or has no fetched data;
  ///   `.invalidArgument` if it is of another source; `.closed`.
  public func reject(_ snapshot: Snapshot, reason: String? = nil) async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in try core.reject(snapshot.core, reason: reason) }
  }

  /// Freezes the live data until the client is closed: later versions are only staged, and subscribers receive no more
  /// events. But `activate`, `reject`, overrides, the context and `reset` still change the live data. Waits for a
  /// running callback of the source, outside the pool of Swift's tasks. Not interrupted by cancellation of the task.
  ///
  /// - Throws: `.closed`.
  public func freeze() async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in try core.freeze() }
  }

  /// Discards all fetched data, in memory and on disk, and ends refreshes with `.cancelled`. Use it to recover after a
  /// server has signed a wrong timestamp. Waits at most 5 s for files that another process has locked. Not interrupted
  /// by cancellation of the task.
  ///
  /// - Throws: `.storage`; `.closed`.
  public func reset() async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in try core.reset() }
  }

  /// Runs a call that may wait for files or for `remora-engine`, outside the pool of Swift's tasks.
  func change<Answer: Sendable>(
    _ body: @escaping @Sendable (Remora.Source) throws(Remora.RemoraError) -> Answer
  ) async throws(RemoraError) -> Answer {
    try await outsideThePool { [core, label] () throws(RemoraError) in
      try call(of: label) { () throws(Remora.RemoraError) in try body(core) }
    }
  }
}

/// The state of a source at one moment. Times are in milliseconds since 1970; 0 means "never".
public struct SourceInfo: Hashable, Sendable {
  /// The name, as in `Source.name`.
  public let name: String
  /// The address of the server, as in `Source.server`.
  public let server: String
  /// The kind of the source.
  public let kind: SourceKind
  /// The origin of the live data.
  public let origin: Origin
  /// The version of the live data.
  public let version: Int64
  /// The time at which the live data was fetched.
  public let fetchedAtMs: Int64
  /// The time of the last successful refresh by any process.
  public let checkedAtMs: Int64
  /// The time since `checkedAtMs`; nil if no refresh has succeeded.
  public let checkedAge: Duration?
  /// The time of the last refresh attempt by any process.
  public let attemptedAtMs: Int64
  /// The remaining time of the server's backoff; zero without a backoff.
  public let retryAfter: Duration
  /// Whether newer data is staged.
  public let hasStaged: Bool
  /// The newest version that `Source.reject` has rejected, in any process; nil if none.
  public let rejectedVersion: Int64?
  /// A number that increases each time a version of the source is stored.
  public let generation: UInt64
  /// The number of records that are hidden because their filter could not be evaluated.
  public let filterFailures: Int
  /// The error of the last refresh; nil if it succeeded.
  public let lastError: RemoraError?
  /// The last failure to access a file of the source; nil if a later access succeeded.
  public let storageError: RemoraError?
  /// Whether the last successful refresh is recent enough.
  public let freshness: Freshness

  init(_ info: Remora.SourceInfo, of source: SourceLabel) {
    (name, server, kind) = (source.name, source.server, SourceKind(source.kind))
    origin = Origin(info.origin)
    version = info.version
    fetchedAtMs = info.fetchedAtMs
    checkedAtMs = info.checkedAtMs
    checkedAge = info.checkedAgeMs.map { .milliseconds($0) }
    attemptedAtMs = info.attemptedAtMs
    retryAfter = .milliseconds(info.retryAfterMs)
    hasStaged = info.hasStaged
    rejectedVersion = info.rejectedVersion
    generation = info.generation
    filterFailures = info.filterFailures
    lastError = info.lastError.map { RemoraError($0, of: source) }
    storageError = info.storageError.map { RemoraError($0, of: source) }
    freshness = Freshness(info.freshness)
  }
}
