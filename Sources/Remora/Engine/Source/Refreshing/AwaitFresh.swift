// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a fresh snapshot, with what is live at the call as the fallback.

/// The snapshot that who waited gets, and why it is not a fresh one.
package typealias AwaitResult = (snapshot: Snapshot?, error: RemoraError?)

extension Source {
  /// The refreshed snapshot if it comes in time, else the one that was live at the call, and why.
  package func awaitFresh(onlyIfEmpty: Bool, timeoutMs: Int64) -> AwaitResult {
    attendIfUnattended()
    let before: Snapshot
    let isEnough: Bool
    do throws(RemoraError) {
      (before, isEnough) = try lock.withLock { () throws(RemoraError) in
        try requireOpen()
        return (live, timeoutMs == 0 || isEnoughToAwait(onlyIfEmpty: onlyIfEmpty))
      }
    } catch {
      return (nil, error)
    }
    if isEnough { return (before, nil) }
    if let error = refresh(timeoutMs: timeoutMs).error { return (before, error) }
    return (cell.acquire(), nil)
  }

  /// The same without waiting: `completion` is called once on the delivery thread, unless the client or the handle is
  /// closed before.
  package func awaitFreshAsync(
    onlyIfEmpty: Bool, timeoutMs: Int64, on owner: OpenSource, completion: @escaping @Sendable (AwaitResult) -> Void
  ) throws(RemoraError) -> Ticket {
    attendIfUnattended()
    return try lock.withLock { () throws(RemoraError) in
      try requireOpen()
      try client.delivery.startIfNeeded()
      let before = live
      let ticket = Ticket(owner: ObjectIdentifier(owner)) { [self] result in
        completion((result.error == nil ? cell.acquire() : before, result.error))
      }
      guard timeoutMs != 0, !isEnoughToAwait(onlyIfEmpty: onlyIfEmpty) else {
        ticket.completion = nil
        client.delivery.enqueue(for: ticket.owner) { completion((before, nil)) }
        return ticket
      }
      try join(ticket)
      guard timeoutMs > 0 else { return ticket }
      runtime.worker.enqueue(atMonotonicMs: monotonicMs().addingClamped(timeoutMs)) { [weak self, weak ticket] in
        guard let self, let ticket else { return }
        lock.withLock { [self] in
          guard withdraw(ticket) else { return }
          finish(ticket, RefreshResult(.timeout(afterMs: timeoutMs)))
        }
      }
      return ticket
    }
  }

  /// Whether what is there is all that was asked for. Inside the lock.
  private func isEnoughToAwait(onlyIfEmpty: Bool) -> Bool { onlyIfEmpty && newest != nil || isFresh }
}

extension Source {
  /// Whether there is something that was fetched and is fresh. Inside the lock.
  var isFresh: Bool {
    guard let newest, !newest.metadata.isPackaged else { return false }
    return ledger.isFresh(for: lifetime, nowMs: client.options.clock.nowMs)
  }
}
