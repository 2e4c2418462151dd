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
  func noteBackoff(_ headers: ResponseHeaders, nowMs: Int64) {
    guard let pause = headers.retryAfterMs, pause > 0 else { return }
    updateServer { $0.backoffUntilMs = max($0.backoffUntilMs, nowMs.addingClamped(pause)) }
  }

  /// Remembers the server's wish to be left alone.
  func noteBackoff(_ headers: ResponseHeaders) {
    noteBackoff(headers, nowMs: services.nowMs(notBefore: server))
  }

  /// - Throws: `.backoff` while the server wants to be left alone.
  func requireNoBackoff() throws(RemoraError) {
    let server = self.server
    try server.requireNoBackoff(nowMs: services.nowMs(notBefore: server))
  }
}
