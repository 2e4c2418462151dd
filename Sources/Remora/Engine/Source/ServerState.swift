// SPDX-License-Identifier: Apache-2.0
//
// What all sources of a server share: its wish to be left alone, and the time that the clock must not fall behind.

extension Client {
  /// Wall time, never before the last verified answer of the server less a day: a clock that runs backwards must not
  /// revive expired certificates.
  func nowMs(notBefore server: ServerLedger) -> Int64 { max(options.clock.nowMs, server.clockFloorMs) }

  /// Changes what is known of a server, in memory and on disk.
  func updateServerLedger(of source: Source, _ change: (inout ServerLedger) -> Void) {
    var next = serverLedger(of: source)
    change(&next)
    runtime.lock.withLock { locked in state.with(locked) { $0.servers[source.serverName] = next } }
    guard let storage = try? requireStorage(), storage.writeProblem == nil else { return }
    do throws(RemoraError) {
      try storage.updateServerLedger(source.serverName) { $0 = next }
    } catch {
      source.noteStorage(error)
    }
  }

  /// Remembers a server's wish to be left alone.
  func noteBackoff(_ headers: ResponseHeaders, from source: Source, nowMs: Int64) {
    guard let pause = headers.retryAfterMs, pause > 0 else { return }
    updateServerLedger(of: source) { $0.backoffUntilMs = max($0.backoffUntilMs, nowMs.addingClamped(pause)) }
  }

  /// What is known of a source's server, here and in its ledger.
  func serverLedger(of source: Source) -> ServerLedger {
    let known = runtime.lock.withLock { state.read($0, \.servers)[source.serverName] } ?? ServerLedger()
    guard let stored = storage?.readServerLedger(source.serverName) else { return known }
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
