// SPDX-License-Identifier: Apache-2.0
//
// The clock by which the time limits of a client's calls and requests end: the machine's, or the host's.

/// Starts time limits.
package struct TimeLimits: Sendable {
  let runtime: Runtime
  /// The host's clock; nil means the machine's.
  let clock: HostClock?

  /// Queues a job for the end of a time limit.
  func enqueue(afterMs limit: Int64, _ locked: borrowing Locked, _ job: @escaping Worker.Job) {
    runtime.worker.enqueue(afterMs: limit, by: clock, locked, job)
  }
}

extension Runtime {
  /// Creates the transport of a client whose requests the host sends.
  ///
  /// - Parameter clock: The host's clock, which ends requests after their total timeout; nil means the machine's.
  package func hostTransport(_ calls: HostCalls, by clock: HostClock?) -> HostTransport {
    HostTransport(hostRequests, calls, clock: clock ?? SystemClock()) { [lock, worker] limit, work in
      lock.withLock { worker.enqueue(afterMs: limit, by: clock, $0) { _ in work() } }
    }
  }
}
