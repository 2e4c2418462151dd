// SPDX-License-Identifier: Apache-2.0

/// Sends and receives for the engine thread between jobs: for the transports of hosts, then by libcurl, where the
/// thread waits when no job is due. `wake` ends the current wait, or the next one; only `wake` may be called on other
/// threads.
final class EnginePoller: Wakeable, Sendable {
  private let curl: CurlTransport
  private let hosts: HostRequests

  init(_ curl: CurlTransport, _ hosts: HostRequests) {
    self.curl = curl
    self.hosts = hosts
  }

  /// Does all work that needs no waiting. Never called inside a job.
  func turn() {
    hosts.turn()
    curl.turn()
  }

  /// Waits until a turn has something to do, `wake` is called, or the monotonic time is reached.
  func wait(untilMonotonicMs deadline: Int64?) { curl.wait(untilMonotonicMs: deadline) }

  func wake() { curl.wake() }
}
