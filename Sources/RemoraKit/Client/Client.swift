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
          configuration.options(), HostFunctions(log: configuration.log(), onAttempt: configuration.attempts()))
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

  /// Opens a connection to a server ahead of time, for the next request to it. Returns at once. A failure is logged and
  /// has no other effect.
  ///
  /// - Throws: `.invalidArgument`; `.unavailable` without libcurl, libcrypto or a thread.
  public static func preconnect(to url: String, applicationName: String) throws(RemoraError) {
    try call { () throws(Remora.RemoraError) in
      try Preconnects().open(
        to: ParsedURL(url, as: "url"), for: Application(name: applicationName), on: nil, .ofPreconnect)
    }
  }
}

extension Client {
  /// Opens a collection of a Remote Settings server. Makes the newest local data live; sends no request, unless the
  /// options request it. Reads files on the calling thread.
  ///
  /// - Throws: `.invalidArgument` naming the option; for packaged data also `.storage`, `.parse`, `.format` and
  ///   `.tooLarge`; `.closed`.
  public func collection(
    _ name: String, _ options: CollectionSource.Options = CollectionSource.Options()
  ) throws(RemoraError) -> CollectionSource {
    CollectionSource(
      try call { () throws(Remora.RemoraError) in try core.openCollection(options.core(name)) }, of: self)
  }

  /// Opens a bundle, the format of Snowplow's remote configuration. Starts a refresh in the background, unless the
  /// options forbid it. Reads files on the calling thread.
  ///
  /// - Parameter url: The URL; nil for a bundle that consists of its default and its overrides.
  /// - Throws: `.invalidArgument` naming the option; `.parse`, `.format` or `.tooLarge` for the default; `.closed`.
  public func bundle(
    _ url: String?, _ options: BundleSource.Options = BundleSource.Options()
  ) throws(RemoraError) -> BundleSource {
    BundleSource(try call { () throws(Remora.RemoraError) in try core.openBundle(options.core(url)) }, of: self)
  }

  /// Opens settings, one dictionary at a URL. Starts a refresh in the background, unless the options forbid it. Reads
  /// files on the calling thread.
  ///
  /// - Parameter url: The URL; nil for the URL of the PAPulse SDK.
  /// - Throws: `.invalidArgument` naming the option; for packaged data also `.storage`, `.parse`, `.format` and
  ///   `.tooLarge`; `.closed`.
  public func settings(
    _ url: String? = nil, _ options: SettingsSource.Options = SettingsSource.Options()
  ) throws(RemoraError) -> SettingsSource {
    SettingsSource(
      try call { () throws(Remora.RemoraError) in try core.openSettings(options.core(url)) }, of: self, url, options)
  }
}
