// SPDX-License-Identifier: Apache-2.0
//
// Waits for a fresh snapshot. The fallback is the snapshot that was live at the call.

/// The resulting snapshot, and the reason it is not a fresh one.
package typealias AwaitResult = (snapshot: Snapshot?, error: RemoraError?)

extension Refreshes {
  /// Returns the refreshed snapshot if it is ready in time, else the one that was live at the call, and the reason.
  func awaitFresh(onlyIfEmpty: Bool, timeoutMs: Int64) -> AwaitResult {
    do throws(RemoraError) {
      // The check and the wait share one hold of the lock: no run can end between them. Snapshots are released outside.
      let (before, isFetched, error) = try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        let before = live(locked)
        let fetches = timeoutMs != 0 && !isEnoughToAwait(onlyIfEmpty: onlyIfEmpty, locked)
        let how = RefreshManner(acceptsAnswered: true)
        return (before, fetches, fetches ? waitForRun(how, timeoutMs: timeoutMs, locked).error : nil)
      }
      return (isFetched && error == nil ? core.cell.acquire() : before, error)
    } catch {
      return (nil, error)
    }
  }

  /// Waits for a fresh snapshot in the background. `completion` is called once on the delivery thread, unless the
  /// client or the handle is closed before.
  func awaitFreshAsync(
    onlyIfEmpty: Bool, timeoutMs: Int64, on handle: ObjectIdentifier,
    completion: @escaping @Sendable (AwaitResult) -> Void
  ) throws(RemoraError) -> RefreshWaiter {
    return try lock.withLock { locked throws(RemoraError) in
      try requireOpen(locked)
      try services.delivery.startIfNeeded(locked)
      let before = live(locked)
      let delivery = services.delivery
      guard timeoutMs != 0, !isEnoughToAwait(onlyIfEmpty: onlyIfEmpty, locked) else {
        let waiter = RefreshWaiter(.listening(Listener { _ in completion((before, nil)) }, delivery), handle: handle)
        waiter.end(RefreshResult(.none), locked)
        return waiter
      }
      let listener = Listener<Never, RefreshResult> { [self] result in
        completion((result.error == nil ? core.cell.acquire() : before, result.error))
      }
      let waiter = RefreshWaiter(.listening(listener, delivery), handle: handle)
      try joinOrBegin(waiter, RefreshManner(acceptsAnswered: true), timeoutMs: timeoutMs, locked)
      return waiter
    }
  }

  /// Whether the present data satisfies the caller without a refresh.
  private func isEnoughToAwait(onlyIfEmpty: Bool, _ locked: borrowing Locked) -> Bool {
    onlyIfEmpty && newest(locked) != nil || isFresh(locked)
  }
}

extension Refreshes {
  /// Whether the source has fetched data that is fresh.
  func isFresh(_ locked: borrowing Locked) -> Bool {
    let nowMs = services.options.clock.nowMs
    guard core.state.with(locked, { $0.data.ledger.isFresh(for: options.lifetime, nowMs: nowMs) }) else { return false }
    return newest(locked).map { !$0.metadata.isPackaged } ?? false
  }
}
