// SPDX-License-Identifier: Apache-2.0

/// Starts the time limits of a client's calls and requests, by the machine's clock or the host's.
package struct TimeLimits: Sendable {
  let runtime: Runtime
  /// The host's clock; nil means the machine's.
  let clock: HostClock?

  package init(runtime: Runtime, clock: HostClock?) {
    self.runtime = runtime
    self.clock = clock
  }

  /// Queues a job for the end of a time limit. Returns the time limit, which can be cancelled.
  func enqueue(afterMs limit: Int64, _ locked: Locked, _ job: @escaping Worker.Job) -> TimeLimit {
    TimeLimit(worker: runtime.worker, timer: runtime.worker.enqueue(afterMs: limit, by: clock, locked, job))
  }

  /// Creates the transport of a client whose requests the host sends. The clock ends requests after their total
  /// timeout.
  func transport(_ calls: HostCalls) -> HostTransport {
    HostTransport(runtime.hostRequests, calls, clock: clock ?? SystemClock()) { limit, work in
      runtime.lock.withLock { _ = enqueue(afterMs: limit, $0) { _ in work() } }
    }
  }
}

struct TimeLimit {
  fileprivate let worker: Worker
  fileprivate let timer: Worker.Timer

  /// Removes the job of the time limit from the queue. Has no effect once the time limit is over.
  func cancel(_ locked: Locked) { worker.cancel(timer, locked) }
}
