// SPDX-License-Identifier: Apache-2.0
//
// Refreshes of a source, and waits for fresh data.

internal import Remora

/// The result of a wait for fresh data.
public struct FreshSnapshot: ValueReader {
  /// The live snapshot after the wait.
  public let snapshot: Snapshot
  /// The reason if the refresh failed or took too long; otherwise nil.
  public let error: RemoraError?
}

/// The result of a wait in the core.
private typealias AwaitResult = Result<Remora.Snapshot, Remora.RemoraError>

extension Source {
  /// Requests a newer version of the source, and waits until it is live (reads return it) or staged (stored).
  /// Concurrent refreshes share one request, unless they are forced. If the refresh fails, the live data stays.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait. Zero sends no request. Nil means that only the limits of the client's
  ///     configuration apply.
  ///   - force: Whether to send a separate request, even if the server asked for a pause. Use it when a user asks for
  ///     the newest data. Even an empty settings dictionary then replaces settings with keys.
  ///   - onlyIfEmpty: Whether to send no request if the source has any data. The outcome is then `.none`.
  ///   - expectedVersion: For collections: the timestamp of a push message, so that caches on the way return no older
  ///     data.
  /// - Returns: `.updated`, `.unchanged`, `.notNewer` or `.staged`; `.none` with `onlyIfEmpty`.
  /// - Throws: `CancellationError` as soon as the task is cancelled; the request continues if others wait for it.
  ///   `RemoraError`: `.timeout`, `.closed`, `.cancelled` by a reset, `.storage`, `.invalidArgument` (also for `force`
  ///   with `onlyIfEmpty`); a network, document, trust or freshness error.
  @discardableResult
  public func refresh(
    timeout: Duration? = nil, force: Bool = false, onlyIfEmpty: Bool = false, expectedVersion: Int64? = nil
  ) async throws -> Outcome {
    let result: RefreshResult = try await result(of: label) { completion throws(Remora.RemoraError) in
      let how = try RefreshManner(isForced: force, isOnlyIfEmpty: onlyIfEmpty, expected: expectedVersion ?? 0)
      let waiter = try core.refreshAsync(how, timeoutMs: limit(timeout), on: opened.id, completion: completion)
      return { [core] in core.cancel(waiter) }
    }
    if let error = result.error { throw RemoraError(error, of: label) }
    return Outcome(result.outcome)
  }

  /// Refreshes the source if its data is not fresh, and then returns the live snapshot, with the reason if the refresh
  /// failed or took too long. Settings are fresh for the time in their option `ttl`; collections and bundles are never
  /// fresh.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait. Zero sends no request: the result has the error `.timeout`, unless the data
  ///     is fresh. Nil means that only the limits of the client's configuration apply. After this time the request is
  ///     cancelled, unless other calls wait for it.
  ///   - force: As in `refresh`; the data then counts as not fresh.
  ///   - onlyIfEmpty: Whether to send no request if the source has any data.
  ///   - expectedVersion: As in `refresh`.
  /// - Throws: `CancellationError` as soon as the task is cancelled. Other errors are in the result.
  public func wait(
    timeout: Duration? = nil, force: Bool = false, onlyIfEmpty: Bool = false, expectedVersion: Int64? = nil
  ) async throws(CancellationError) -> FreshSnapshot {
    do {
      let fresh: AwaitResult = try await result(of: label) { completion throws(Remora.RemoraError) in
        let how = try RefreshManner(isForced: force, isOnlyIfEmpty: onlyIfEmpty, expected: expectedVersion ?? 0)
        let waiter = try core.awaitFreshAsync(how, timeoutMs: limit(timeout), on: opened.id, completion: completion)
        return { [core] in core.cancel(waiter) }
      }
      switch fresh {
      case .success(let snapshot): return FreshSnapshot(snapshot: Snapshot(snapshot), error: nil)
      case .failure(let error): return FreshSnapshot(snapshot: lastSnapshot, error: RemoraError(error, of: label))
      }
    } catch let error as RemoraError {
      return FreshSnapshot(snapshot: lastSnapshot, error: error)
    } catch {
      throw CancellationError()
    }
  }

  /// Refreshes the source in the background, for later waits and reads. Returns at once. Sends no request if the data
  /// is fresh.
  ///
  /// - Throws: `.closed`; `.unavailable` without libcurl, libcrypto or a thread; `.invalidArgument` for a source
  ///   without a server.
  public func prefetch() throws(RemoraError) {
    _ = try call(of: label) { () throws(Remora.RemoraError) in
      try core.awaitFreshAsync(timeoutMs: -1, on: nil) { _ in }
    }
  }

  // MARK: Events

  /// Returns a stream of the source's events, for `for await`. Events report changes of the live data, new staged data,
  /// the outcomes of this client's refreshes, and new data of other processes.
  ///
  /// - Parameters:
  ///   - key: Limits the stream to events that change the value of this key. Nil means all events.
  ///   - replay: Whether the first event reports the current state, with the cause `.opened`.
  /// - Returns: The stream, which ends at once if the client is closed or no thread can be started.
  public func events(of key: String? = nil, replay: Bool = false) -> Events {
    Events(stream: EventStream(of: self, key: key, replay: replay))
  }

  /// Returns a stream of the source's changed keys, for `for await`.
  ///
  /// - Parameter key: Limits the stream to this key.
  public func changes(of key: String? = nil) -> Changes {
    Changes(stream: EventStream(of: self, key: key, replay: false))
  }
}
