// SPDX-License-Identifier: Apache-2.0
//
// A source and its server: what the server asked for, which its other sources follow too.

extension SourceCore {
  /// What is known of the source's server.
  var server: ServerLedger { services.serverLedger(serverName) }

  /// Changes what is known of the server, in memory and on disk.
  func updateServer(_ change: (inout ServerLedger) -> Void) {
    do throws(RemoraError) {
      try services.updateServerLedger(serverName, change)
    } catch {
      noteStorage(error)
    }
  }

  /// Remembers the server's wish to be left alone.
  ///
  /// - Parameter nowMs: The time of the refresh; nil is now.
  func noteBackoff(_ headers: ResponseHeaders, nowMs: Int64? = nil) {
    guard let pause = headers.retryAfterMs, pause > 0 else { return }
    let now = nowMs ?? services.nowMs(notBefore: server)
    updateServer { $0.backoffUntilMs = max($0.backoffUntilMs, now.addingClamped(pause)) }
  }

  /// - Throws: `.backoff` while the server wants to be left alone.
  func requireNoBackoff() throws(RemoraError) {
    let server = self.server
    try server.requireNoBackoff(nowMs: services.nowMs(notBefore: server))
  }
}
