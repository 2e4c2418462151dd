// SPDX-License-Identifier: Apache-2.0
//
// What all sources of a server share: its wish to be left alone, and the time that the clock must not fall behind.

extension ClientServices {
  /// Wall time, never before the last verified answer of the server less a day: a clock that runs backwards must not
  /// revive expired certificates.
  func nowMs(notBefore server: ServerLedger) -> Int64 { max(options.clock.nowMs, server.clockFloorMs) }

  /// Changes what is known of a server, in memory and on disk.
  ///
  /// - Throws: The reason it could not be stored; it holds in memory then.
  func updateServerLedger(
    _ server: StorageName, _ change: (inout ServerLedger) -> Void
  ) throws(RemoraError) {
    var next = serverLedger(server)
    change(&next)
    lock.withLock { locked in state.with(locked) { $0.servers[server] = next } }
    guard let storage = try requireStorage(), storage.writeProblem == nil else { return }
    try storage.updateServerLedger(server) { $0 = next }
  }

  /// What is known of a server, here and in its ledger.
  func serverLedger(_ server: StorageName) -> ServerLedger {
    let known = lock.withLock { state.read($0, \.servers)[server] } ?? ServerLedger()
    guard let stored = storage?.readServerLedger(server) else { return known }
    var both = known
    both.backoffUntilMs = max(known.backoffUntilMs, stored.backoffUntilMs)
    both.clockFloorMs = max(known.clockFloorMs, stored.clockFloorMs)
    return both
  }
}

extension ServerLedger {
  /// What is left of the backoff. More than a server can ask for was noted under a clock that was wrong.
  func backoffMs(nowMs: Int64) -> Int64 {
    let left = max(0, backoffUntilMs.addingClamped(-nowMs))
    return left <= longestRetryAfterMs ? left : 0
  }

  /// - Throws: `.backoff` with the remaining time.
  func requireNoBackoff(nowMs: Int64) throws(RemoraError) {
    let left = backoffMs(nowMs: nowMs)
    guard left > 0 else { return }
    throw RemoraError(.backoff, "the server asked to be left alone for another \(left) ms", retryAfterMs: left)
  }
}
