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

  /// Records a backoff that the server requested.
  ///
  /// - Parameter nowMs: The time of the refresh; nil means now.
  func noteBackoff(_ headers: ResponseHeaders, nowMs: Int64? = nil) {
    guard let pause = headers.retryAfterMs, pause > 0 else { return }
    let now = nowMs ?? services.nowMs(notBefore: server)
    updateServer { $0.backoffUntilMs = max($0.backoffUntilMs, now.addingClamped(pause)) }
  }

  /// - Throws: `.backoff` during a backoff that the server requested.
  func requireNoBackoff() throws(RemoraError) {
    let server = self.server
    try server.requireNoBackoff(nowMs: services.nowMs(notBefore: server))
  }
}
