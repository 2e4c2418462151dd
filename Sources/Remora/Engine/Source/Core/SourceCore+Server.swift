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

  /// Records what the headers of a response request: the backoff of the source's own server, and an Alert, which is
  /// logged once.
  ///
  /// - Parameter nowMs: The time of the refresh; nil means now.
  func noteRequests(of headers: ResponseHeaders, to gather: Gather, nowMs: Int64? = nil) {
    if let alert = headers.alert {
      services.warnOnce("\(gather.url.originText) sent an Alert header: \(String(alert.unicodeScalars.prefix(500)))")
    }
    guard gather.isOwnOrigin, let pause = headers.retryAfterMs, pause > 0 else { return }
    let now = nowMs ?? services.nowMs(notBefore: server)
    updateServer { $0.backoffUntilMs = max($0.backoffUntilMs, now.addingClamped(pause)) }
  }

  /// - Throws: `.backoff` during a backoff that the server requested.
  func requireNoBackoff() throws(RemoraError) {
    let server = self.server
    try server.requireNoBackoff(nowMs: services.nowMs(notBefore: server))
  }
}
