// SPDX-License-Identifier: Apache-2.0
//
// A client: the owner of a storage directory, its sources and its log.

internal import Remora

/// A client, which owns a storage directory and opens sources. Most programs have one.
///
/// A client is closed by `close`, or when its last reference is released. Sources reference their client. All functions
/// may be called on any thread. A forked child must not use a client of its parent: see docs/swift.md.
public final class Client: Sendable {
  let core: Remora.Client

  /// Creates a client. Sends no request, and starts no thread except to deliver a log line. Reads files on the calling
  /// thread. If the storage directory cannot be written, or belongs to another user, the client keeps its data in
  /// memory, and `onLog`, events and `Source.info` report the reason.
  ///
  /// - Throws: `.invalidArgument` naming the option; `.storage` if the storage directory is not a directory;
  ///   `.unavailable`.
  public convenience init(_ configuration: Configuration) throws(RemoraError) {
    self.init(
      try call { () throws(Remora.RemoraError) in
        try Remora.Client(
          configuration.options(), configuration.functions())
      })
  }

  /// The version of Remora, such as `"0.1.0"`.
  public static var libraryVersion: String { "\(LibraryVersion.text)" }

  /// Wraps a client of the core.
  init(_ core: Remora.Client) { self.core = core }

  deinit { close() }

  /// Closes the client: cancels its requests, ends its event streams, and ends waiting calls with `.closed`. Delivers
  /// the queued log lines. Snapshots and attachments stay valid. Has no effect on a closed client.
  ///
  /// Waits for a running callback, and at most 200 ms for requests. But inside a callback, this function returns at
  /// once.
  public func close() {
    ForkGate.inside { core.close() }
  }

  /// Replaces `Configuration.headers` for the requests that start from now on, such as after a token was renewed.
  /// Running requests keep their headers. If a server has refused the earlier headers with status 401 or 403 and asked
  /// for a pause, the pause ends. Does not wait.
  ///
  /// - Parameter headers: Lines of the form `"Name: value"`. An empty array removes the headers.
  /// - Throws: `.invalidArgument`, `.closed`; the headers then do not change.
  public func setHeaders(_ headers: [String]) throws(RemoraError) {
    try call { () throws(Remora.RemoraError) in try core.setHeaders(headers) }
  }

  /// Sets the context in which the filters of collections are evaluated: a JSON object of attributes, such as the
  /// locale. When this function returns, all open sources have been filtered again. Sends no request. Waits for a
  /// running job of the thread `remora-engine`, outside the pool of Swift's tasks. Not interrupted by cancellation of
  /// the task.
  ///
  /// - Parameter context: The attributes, at most 1 MiB of JSON text; see docs/filters.md. Nil removes the context.
  /// - Throws: `.invalidArgument` for a value that is not an object; `.closed`.
  public func setContext(_ context: JSONValue?) async throws(RemoraError) {
    try await outsideThePool { [core] () throws(RemoraError) in
      try call { () throws(Remora.RemoraError) in
        try core.setContext(context?.description)
      }
    }
  }

  /// Refreshes the sources that have changed on their servers, and waits for their results. Requests the monitor of
  /// each server (its list of collections with their timestamps) once, and then only the collections that have changed.
  /// Bundles and settings are always requested. If a source fails, the others are still refreshed.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait; a source without a result then has the error `.timeout`. Zero sends no
  ///     request. Nil means that only the limits of the configuration apply.
  ///   - force: Whether to send requests although the server asked for a pause, or lists a collection as unchanged.
  ///   - onlyIfEmpty: Whether to skip the sources that have any data. Their outcome is `.none`.
  ///   - expectedVersion: The timestamp of a push message, so that caches on the way return no older list. Nil if
  ///     unknown.
  /// - Throws: `CancellationError` if the task is cancelled, which ends the sync; `RemoraError` with `.invalidArgument`
  ///   (also for `force` with `onlyIfEmpty`), `.closed` or `.unavailable`.
  public func sync(
    timeout: Duration? = nil, force: Bool = false, onlyIfEmpty: Bool = false, expectedVersion: Int64? = nil
  ) async throws -> SyncReport {
    let report: Remora.SyncReport = try await result(of: nil) { completion throws(Remora.RemoraError) in
      let how = try RefreshManner(isForced: force, isOnlyIfEmpty: onlyIfEmpty, expected: expectedVersion ?? 0)
      let sync = try core.syncAsync(how, timeoutMs: limit(timeout), completion: completion)
      return { sync.cancel() }
    }
    return SyncReport(report)
  }

  /// Returns the states of the open sources, in the order of opening. Use it for status pages and tools.
  ///
  /// Reads a file of 1 KiB for each source.
  ///
  /// - Throws: `.closed`.
  public func sources() throws(RemoraError) -> [SourceInfo] {
    try call { () throws(Remora.RemoraError) in
      // A source that was closed in the meantime is skipped.
      try core.sources().compactMap { source in (try? source.info()).map { SourceInfo($0, of: source.label) } }
    }
  }
}

// MARK: Callbacks in the event loop of the program

extension Client {
  /// Returns a file descriptor that becomes readable when callbacks are queued for `dispatch`. Use it in `poll` or
  /// `epoll`. Never read, write or close it, and remove it from the loop before `close`. All calls return the same
  /// descriptor.
  ///
  /// - Throws: `.invalidArgument` unless the configuration has `callbacks: .dispatch`; `.unavailable`; `.closed`.
  public func fileDescriptor() throws(RemoraError) -> Int32 {
    try call { () throws(Remora.RemoraError) in try core.descriptor() }
  }

  /// Runs the callbacks that were queued before the call, on the calling thread, and resumes the tasks whose awaited
  /// calls are complete. Callbacks that are queued meanwhile run in the next call. Waits only for the callbacks.
  ///
  /// - Returns: The number of callbacks that have run.
  /// - Throws: `.invalidArgument` unless the configuration has `callbacks: .dispatch`; `.busy` if another call is
  ///   running; `.closed`.
  @discardableResult
  public func dispatch() throws(RemoraError) -> Int {
    try call { () throws(Remora.RemoraError) in try core.delivery.dispatch() }
  }
}
