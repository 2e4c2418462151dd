// SPDX-License-Identifier: Apache-2.0
//
// A source's view of its server: the ledger that all sources of the server share.

extension SourceCore {
  /// The ledger of the source's server.
  var server: ServerLedger { services.serverLedger(serverName) }

  /// Changes the ledger of the server, in memory and on disk.
  func updateServer(_ change: (inout ServerLedger) -> Void) {
    do throws(RemoraError) {
      try services.updateServerLedger(serverName, change)
    } catch {
      noteStorage(error)
    }
  }

  /// Records what the headers of a response request: an Alert, which is logged once, and a backoff of the source's own
  /// server, unless a known one ends later. Pauses use the clock without the floor of the server, because a pause never
  /// ends while the clock stands still at the floor.
  ///
  /// - Returns: The requested backoff; an empty one if the source's own server requested none.
  @discardableResult
  func noteRequests(of headers: ResponseHeaders, to gather: Gather) -> Backoff {
    if let alert = headers.alert {
      services.warnOnce("\(gather.url.originText) sent an Alert header: \(String(alert.unicodeScalars.prefix(500)))")
    }
    guard gather.isOwnOrigin, let pause = headers.retryAfterMs, pause > 0 else { return Backoff() }
    let now = services.options.clock.nowMs
    let backoff = Backoff(lengthMs: pause, nowMs: now)
    updateServer { if $0.backoff.leftMs(nowMs: now) < pause { $0.backoff = backoff } }
    return backoff
  }

  /// - Throws: `.backoff` during a backoff that the server requested.
  func requireNoBackoff() throws(RemoraError) {
    try server.requireNoBackoff(nowMs: services.options.clock.nowMs)
  }
}
