// SPDX-License-Identifier: Apache-2.0
//
// What other threads pass to the thread that drives a `CurlLoop`. Guarded by the lock of the transport.

/// A request that was started.
struct CurlArrival {
  let id: TransferID
  let request: HTTPRequest
  let url: ParsedURL
  /// The monotonic time of the start, from which the total timeout counts.
  let startedMs: Int64

  /// The monotonic time at which the total timeout is over; `.max` without one.
  var dueMs: Int64 {
    let limit = request.options.totalTimeoutMs
    return limit < 0 ? .max : startedMs.addingClamped(limit)
  }
}

/// What other threads have queued for the driving thread.
struct CurlMailbox {
  var arrivals: [CurlArrival] = []
  var cancelled: [TransferID] = []
  var completions: [TransferID: Transport.Completion] = [:]
  var isStopping = false
  /// Whether the driving thread is waiting in the multi handle, or is about to.
  var isAwaited = false
  /// The number of threads that are waking the multi handle without holding the lock. The handle is freed only when
  /// this is 0.
  var wakers = 0

  /// Whether the driving thread has something to do.
  var isFilled: Bool { isStopping || !arrivals.isEmpty || !cancelled.isEmpty }
}
