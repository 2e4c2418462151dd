// SPDX-License-Identifier: Apache-2.0
//
// A client: the owner of a storage directory, its sources and its log.

internal import Remora

/// A client of remote settings. Most programs have one.
///
/// A client is closed with its last reference; a source keeps its client. All of its functions may be called on any
/// thread. A forked child must not use a client of its parent: see docs/swift.md.
public final class Client: Sendable {
  let core: Remora.Client

  /// Opens the storage directory. Sends no request and starts no thread.
  ///
  /// - Throws: `.invalidArgument` naming the option; `.storage` or `.permission` for the directory; `.unavailable`.
  public convenience init(_ configuration: Configuration) throws(RemoraError) {
    self.init(
      try call { () throws(Remora.RemoraError) in
        try Remora.Client(
          configuration.options(), configuration.functions())
      })
  }

  /// Wraps a client of the core.
  init(_ core: Remora.Client) { self.core = core }

  deinit { close() }

  /// Closes the client: aborts its requests, ends its event streams, and ends waits with `.closed`. Snapshots stay
  /// valid. Has no effect on a closed client.
  ///
  /// Waits for a running `onLog` or `onAttempt`, unless called inside one of them.
  public func close() {
    ForkGate.inside { core.close() }
  }

  /// Sets the context of all filters to a JSON object; nil removes the context. The resulting snapshots are live when
  /// this function returns. Not interrupted by cancellation of the task.
  ///
  /// - Throws: `.invalidArgument` for text that is not a JSON object; `.closed`.
  public func setContext(_ context: JSONValue?) async throws(RemoraError) {
    try await outsideThePool { [core] () throws(RemoraError) in
      try call { () throws(Remora.RemoraError) in try core.setContext(context?.description) }
    }
  }

  /// Refreshes the sources that have changed, and waits for their results. Requests the monitor of each server once,
  /// and then only the collections that changed. Sources that fail do not end the sync.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait; a source without a result then has the error `.timeout`. Zero sends no
  ///     request. Nil means that only the limits of the configuration apply.
  ///   - expectedVersion: The timestamp of a push message, so that caches return no older list.
  /// - Throws: `CancellationError` if the task is cancelled, which ends the sync; `RemoraError` with
  ///   `.invalidArgument`, `.closed` or `.unavailable`.
  public func sync(timeout: Duration? = nil, expectedVersion: Int64? = nil) async throws -> SyncReport {
    let report: Remora.SyncReport = try await result(of: nil) { completion throws(Remora.RemoraError) in
      let expected = try requireNotNegative(expectedVersion ?? 0, "expectedVersion")
      let sync = try core.syncAsync(expected: expected, timeoutMs: limit(timeout), completion: completion)
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
