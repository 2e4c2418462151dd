// SPDX-License-Identifier: Apache-2.0
//
// The state that all sources of a server share: its backoff, and a lower bound for the clock.

/// The ledger of a server, as this client knows it.
struct KnownServer: Sendable {
  var ledger: ServerLedger
  /// Whether it was stored. Then a lower clock floor in the storage is newer: another process has reset a source.
  var isStored = false
}

extension ClientServices {
  /// Returns the wall time, but at least the time of the server's last verified response minus one day. A clock that
  /// was set back must not make expired certificates valid again.
  func nowMs(notBefore server: ServerLedger) -> Int64 { max(options.clock.nowMs, server.clockFloorMs) }

  /// Changes the ledger of a server, in memory and on disk.
  ///
  /// - Throws: The reason it could not be stored; the change in memory stays.
  func updateServerLedger(
    _ server: StorageName, _ change: (inout ServerLedger) -> Void
  ) throws(RemoraError) {
    var next = sharedServerLedger(server)
    change(&next)
    lock.withLock { locked in state[locked].servers[server] = KnownServer(ledger: next) }
    guard let storage = try requireStorage(), storage.writeProblem == nil else { return }
    try storage.updateServerLedger(server) { $0 = next }
    lock.withLock { locked in state[locked].servers[server]?.isStored = true }
  }

  /// Returns the ledger of a server, with the pause after a refusal of the client's credentials if that ends later.
  func serverLedger(_ server: StorageName) -> ServerLedger {
    var ledger = sharedServerLedger(server)
    guard let refusal = lock.withLock({ state[$0].refusals[server] }) else { return ledger }
    let now = options.clock.nowMs
    if refusal.leftMs(nowMs: now) > ledger.backoff.leftMs(nowMs: now) { ledger.backoff = refusal }
    return ledger
  }

  /// Records the pause of a server that refused the client's credentials, unless a known one ends later.
  func noteRefusal(by server: StorageName, _ backoff: Backoff, nowMs: Int64) {
    lock.withLock { locked in
      let known = state[locked].refusals[server]?.leftMs(nowMs: nowMs) ?? 0
      if known < backoff.leftMs(nowMs: nowMs) { state[locked].refusals[server] = backoff }
    }
  }

  /// Returns the ledger of a server that all processes share, merged from memory and disk.
  func sharedServerLedger(_ server: StorageName) -> ServerLedger {
    let known = lock.withLock { state[$0].servers[server] }
    guard var both = storage?.readServerLedger(server) else { return known?.ledger ?? ServerLedger() }
    guard let known else { return both }
    let now = options.clock.nowMs
    if known.ledger.backoff.leftMs(nowMs: now) > both.backoff.leftMs(nowMs: now) { both.backoff = known.ledger.backoff }
    if !known.isStored { both.clockFloorMs = max(known.ledger.clockFloorMs, both.clockFloorMs) }
    return both
  }
}

extension Backoff {
  /// Returns the rest of the pause. A pause that begins in the future, or that is longer than the maximum, was recorded
  /// with a wrong clock, and counts as none: a pause never outlasts its own length, even if the clock is set back.
  package func leftMs(nowMs: Int64) -> Int64 {
    let left = max(0, untilMs.addingClamped(-nowMs))
    return fromMs <= nowMs && left <= longestRetryAfterMs ? left : 0
  }
}

extension ServerLedger {
  /// - Throws: `.backoff` with the remaining time.
  func requireNoBackoff(nowMs: Int64) throws(RemoraError) {
    let left = backoff.leftMs(nowMs: nowMs)
    guard left > 0 else { return }
    throw RemoraError(.backoff, "the server requested a pause: no requests for another \(left) ms", retryAfterMs: left)
  }
}
