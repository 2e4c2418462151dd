// SPDX-License-Identifier: Apache-2.0
//
// Refreshes of a source, and waits for fresh data.

internal import Remora

/// The result of a wait for fresh data.
public struct FreshSnapshot: ValueReader {
  /// The fresh snapshot; if it was not ready in time, the one that was live at the call.
  public let snapshot: Snapshot
  /// The reason the snapshot is not a fresh one; nil if it is.
  public let error: RemoraError?
}

extension Source {
  /// Refreshes the source, and waits until the new data is live. Concurrent refreshes share one request.
  ///
  /// A failed refresh changes nothing: the live data stays.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait. Zero sends no request. Nil means that only the limits of the client's
  ///     configuration apply.
  ///   - force: Whether to ignore a pause that the server has requested, and to share no request.
  ///   - expectedVersion: For collections: the timestamp of a push message.
  /// - Returns: `.updated`, `.unchanged`, `.notNewer` or `.staged`.
  /// - Throws: `CancellationError` as soon as the task is cancelled; the request continues if others wait for it.
  ///   `RemoraError`: `.timeout`, `.closed`, `.cancelled` by a reset, `.storage`; a network, document, trust or
  ///   freshness error.
  @discardableResult
  public func refresh(
    timeout: Duration? = nil, force: Bool = false, expectedVersion: Int64? = nil
  ) async throws -> Outcome {
    let result: RefreshResult = try await result(of: label) { completion throws(Remora.RemoraError) in
      let expected = try requireNotNegative(expectedVersion ?? 0, "expectedVersion")
      let waiter = try core.refreshAsync(
        RefreshManner(isForced: force, expected: expected, named: "expectedVersion"), timeoutMs: limit(timeout),
        on: opened.id, completion: completion)
      return { [core] in core.cancel(waiter) }
    }
    if let error = result.error { throw RemoraError(error, of: label) }
    return Outcome(result.outcome)
  }

  /// Returns the fresh snapshot if it is ready in time, otherwise the one that was live at the call, and the reason.
  /// Fresh data is not requested again; see `SettingsSource.Options.ttl`. A response that a running
  /// refresh has already received is accepted.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait. Zero returns the live snapshot. Nil means that only the limits of the
  ///     client's configuration apply. At the end of the time the request is cancelled, unless others wait for it.
  ///   - onlyIfEmpty: Whether to wait only if the source has no data.
  /// - Throws: `CancellationError` as soon as the task is cancelled. Other errors are in the result.
  public func wait(
    timeout: Duration? = nil, onlyIfEmpty: Bool = false
  ) async throws(CancellationError) -> FreshSnapshot {
    let before = lastSnapshot
    do {
      let fresh: AwaitResult = try await result(of: label) { completion throws(Remora.RemoraError) in
        let waiter = try core.awaitFreshAsync(
          onlyIfEmpty: onlyIfEmpty, timeoutMs: limit(timeout), on: opened.id, completion: completion)
        return { [core] in core.cancel(waiter) }
      }
      return FreshSnapshot(
        snapshot: fresh.snapshot.map(Snapshot.init) ?? before, error: fresh.error.map { RemoraError($0, of: label) })
    } catch let error as RemoraError {
      return FreshSnapshot(snapshot: before, error: error)
    } catch {
      throw CancellationError()
    }
  }

  /// Fetches in the background, for later waits and reads. Returns at once. Fresh data is not requested again.
  ///
  /// - Throws: `.closed`; `.unavailable` without libcurl, libcrypto or a thread; `.invalidArgument` for a source
  ///   without a server.
  public func prefetch() throws(RemoraError) {
    _ = try call(of: label) { () throws(Remora.RemoraError) in
      try core.awaitFreshAsync(onlyIfEmpty: false, timeoutMs: -1, on: opened.id) { _ in }
    }
  }

  // MARK: Events

  /// Subscribes to the events of the source, for `for await`. They report changes of the live data, staged data, and
  /// the outcome of every refresh by any process.
  ///
  /// - Parameters:
  ///   - key: Limits the stream to events that change the value of this key.
  ///   - replay: Whether the stream begins with the present state, as an event with the cause `.opened`.
  /// - Returns: The stream; at its end if the client is closed or no thread can be started.
  public func events(of key: String? = nil, replay: Bool = false) -> Events {
    Events(stream: EventStream(of: self, key: key, replay: replay))
  }

  /// Subscribes to the changed keys of the source, for `for await`.
  ///
  /// - Parameter key: Limits the stream to this key.
  public func changes(of key: String? = nil) -> Changes {
    Changes(stream: EventStream(of: self, key: key, replay: false))
  }
}
