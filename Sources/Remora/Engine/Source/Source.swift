// SPDX-License-Identifier: Apache-2.0
//
// A source: its parts, and the operations of a host. Each part is a type of its own that accesses the core. A part uses
// only parts that are created before it.

/// A set of settings that is refreshed as a unit.
package final class Source: SourcePart, Sendable {
  let core: SourceCore
  package let cell: LiveCell
  let overridesStore: OverridesStore
  let publisher: SourcePublisher
  let adoption: Adoption
  let polling: UpdatePolling
  let packaged: PackagedVerifier
  let refreshes: Refreshes
  let scheduledRefreshes: ScheduledRefreshes
  let overrideEditor: OverrideEditor
  let activation: SourceActivation
  let rejection: SourceRejection
  let resets: SourceReset
  let fallbackNotes: FallbackNotes
  /// The sources of tags that these settings keep open, by the bytes of their tags. Each of them counts a handle.
  let tags = Guarded([[UInt8]: Source]())

  /// Creates the source from the result of an opening.
  init(_ opening: SourceOpening) {
    core = SourceCore(opening)
    cell = core.cell
    overridesStore = OverridesStore(core, opening.overridesFile)
    publisher = SourcePublisher(core, overridesStore, opening.composition)
    let runs = RefreshRuns()
    adoption = Adoption(publisher, overridesStore, runs, replacementsSeen: opening.replacementsSeen)
    polling = UpdatePolling(adoption: adoption)
    packaged = PackagedVerifier(publisher)
    refreshes = Refreshes(publisher, runs, adoption, packaged)
    scheduledRefreshes = ScheduledRefreshes(refreshes)
    overrideEditor = OverrideEditor(publisher, overridesStore)
    activation = SourceActivation(publisher: publisher)
    rejection = SourceRejection(publisher: publisher, adoption: adoption)
    resets = SourceReset(publisher, refreshes)
    fallbackNotes = FallbackNotes(core)
  }

  /// Starts polling for updates by other processes if the grace period is over; see `UpdatePolling`.
  func startPollingIfNeeded() {
    if cell.isNotPolling { polling.startPollingIfNeeded() }
  }

  /// Logs the reason a read by key returned the caller's default; see `FallbackNotes`.
  package func noteFallback(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, wanted: StaticString, _ problem: RemoraError? = nil
  ) {
    fallbackNotes.note(key, pointer, wanted: wanted, problem)
  }

  // MARK: Refreshes

  /// Refreshes and waits for the result, or for the caller's time limit: 0 sends no request, -1 means no limit.
  package func refresh(_ how: RefreshManner = RefreshManner(), timeoutMs: Int64) -> RefreshResult {
    refreshes.refresh(how, timeoutMs: timeoutMs)
  }

  /// Refreshes without waiting. `completion` is called once on the delivery thread, unless the client or the handle is
  /// closed before.
  package func refreshAsync(
    _ how: RefreshManner = RefreshManner(), timeoutMs: Int64 = -1, on handle: ObjectIdentifier? = nil,
    completion: @escaping @Sendable (RefreshResult) -> Void
  ) throws(RemoraError) -> RefreshWaiter {
    try refreshes.refreshAsync(how, timeoutMs: timeoutMs, on: handle, completion: completion)
  }

  /// Cancels an asynchronous refresh that has not completed.
  package func cancel(_ waiter: RefreshWaiter) { refreshes.cancel(waiter) }

  /// Refreshes the source if its data is not fresh, and returns the live snapshot then.
  package func awaitFresh(
    _ how: RefreshManner = RefreshManner(), timeoutMs: Int64
  ) throws(RemoraError) -> Snapshot {
    startPollingIfNeeded()
    return try refreshes.awaitFresh(how, timeoutMs: timeoutMs)
  }

  /// Waits for a fresh snapshot in the background. `completion` is called once on the delivery thread, unless the
  /// client or the handle is closed before. Without a handle, the wait ends with the source.
  package func awaitFreshAsync(
    _ how: RefreshManner = RefreshManner(), timeoutMs: Int64, on handle: ObjectIdentifier?,
    completion: @escaping @Sendable (Result<Snapshot, RemoraError>) -> Void
  ) throws(RemoraError) -> RefreshWaiter {
    startPollingIfNeeded()
    return try refreshes.awaitFreshAsync(how, timeoutMs: timeoutMs, on: handle, completion: completion)
  }

  /// The name of the source in reports, errors and log lines.
  package var label: SourceLabel { dialect.label }

  // MARK: Data

  /// Makes the staged image live, if it is the one that the host has judged; see `SourceActivation`.
  package func activate(_ judged: Snapshot? = nil) throws(RemoraError) -> Outcome { try activation.activate(judged) }

  /// Rejects the live or the staged data, which the host has judged; waits at most 5 s for the files. See
  /// `SourceRejection`.
  package func reject(_ judged: Snapshot, reason: String?, withinMs limit: Int64 = 5000) throws(RemoraError) {
    try rejection.reject(judged, reason: reason, withinMs: limit)
  }

  /// Stops events, and activations that the host does not request; see `SourceActivation`.
  package func freeze() throws(RemoraError) { try activation.freeze() }

  /// Discards all fetched data; waits at most 5 s for the files.
  package func reset() throws(RemoraError) { try resets.reset() }

  // MARK: Overrides

  /// Sets an override; see `OverrideEditor`.
  ///
  /// - Parameter ifExists: Whether to set the override only if readers can see data of its key.
  package func set(_ override: Override, ifExists: Bool = false) throws(RemoraError) {
    startPollingIfNeeded()
    try overrideEditor.set(override, ifExists: ifExists)
  }

  /// Clears the overrides at a place and below it.
  package func clearOverride(_ key: [UInt8], _ pointer: [UInt8]) throws(RemoraError) {
    try overrideEditor.clear(key, pointer)
  }

  package func clearOverrides() throws(RemoraError) { try overrideEditor.clearAll() }

  package func overrides() throws(RemoraError) -> OverrideList { try overrideEditor.list() }

  // MARK: For its client

  /// Called once a second while the engine thread runs. Performs the work that is due.
  func everySecond(_ exclusive: Exclusive) {
    publisher.carryOut(.promotionDue, exclusive)
    publisher.carryOut(.rejectionDue, exclusive)
    overrideEditor.reread(exclusive)
    overridesStore.removeEnded(withinMs: 0, exclusive)
    overridesStore.retry()
    adoption.adoptIfNewer(exclusive)
    if services.options.maxStaleMs != nil { lock.withLock { core.reportFreshness($0) } }
    scheduledRefreshes.refreshIfDue(exclusive)
  }

  /// The names under which the source has files: its own, and those of identities from which it inherited data.
  var fileNames: [StorageName] {
    core.usesStorage ? dialect.identities.map(StorageName.init(hashing:)) : []
  }

  /// The images that are in use: live, staged and packaged.
  func images(_ locked: Locked) -> [Image] {
    [live(locked).base, staged(locked)?.base, options.packaged?.image].compactMap(\.self)
  }
}
