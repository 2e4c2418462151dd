// SPDX-License-Identifier: Apache-2.0
//
// The transport over libcurl: starts and cancels from any thread, one I/O thread, and the hooks for fork and exit.
// Invariant: no library is loaded and no thread runs before the first request.

internal import CCurl

/// The process's way to the network. The process runtime makes one and never lets go of it.
///
/// `state` is guarded by `queue`, as is each loop's mailbox. The I/O thread holds `gate` whenever it runs, also
/// in completions: only a fork ever waits for it. It is taken before `queue`. No other lock is held while
/// completions run.
///
/// `@unchecked Sendable`: `state` is touched inside `queue` only, everything else is constant.
package final class CurlTransport: Transport, @unchecked Sendable {
  private struct State {
    /// The running loop; nil before the first request, after a stop and in a forked child.
    var loop: CurlLoop?
    /// The number of the latest transfer.
    var lastNumber: UInt64 = 0
    /// Whether the process ends.
    var isOver = false
  }

  private var state = State()
  private let queue = Lock()
  private let gate = Lock()
  private let clock: any Clock

  /// Makes a transport that does nothing yet; `CurlLibrary.load` comes before its first request.
  ///
  /// - Parameter clock: The wall time for Retry-After.
  package init(clock: any Clock) { self.clock = clock }

  package func start(
    _ request: HTTPRequest, completion: @escaping Completion
  ) throws(RemoraError) -> TransferID {
    let url = if let target = request.target { target } else { try ParsedURL(request.url) }
    for line in request.options.headers { try validateHeader(line) }
    try validateHeaderValue(request.options.userAgent, of: "User-Agent")
    if let tag = request.ifNoneMatch { try validateHeaderValue(tag, of: "If-None-Match") }
    if let destination = request.destination, destination.offset < 0 || destination.offset > destination.limit {
      throw .invalidArgument("destination", "has more bytes than its limit")
    }
    return try queue.withLock { () throws(RemoraError) -> TransferID in
      guard !state.isOver else { throw .closed }
      let loop = try currentLoop()
      state.lastNumber += 1
      let id = TransferID(number: state.lastNumber)
      loop.add(id, request, url, completion)
      return id
    }
  }

  @discardableResult
  package func cancel(_ id: TransferID) -> Bool {
    // The completion is released after unlocking: what it holds may end with it.
    let completion = queue.withLock { state.loop?.cancel(id) }
    return completion != nil
  }

  /// Ends the I/O thread: transfers are aborted, and their completions get `.closed`.
  ///
  /// - Parameters:
  ///   - deadline: The monotonic time at which waiting for the thread ends.
  ///   - forGood: Whether later starts throw `.closed`; else they begin anew.
  /// - Returns: Whether no I/O thread is left; false when time ran out, or on the I/O thread itself.
  package func stop(untilMonotonicMs deadline: Int64, forGood: Bool) -> Bool {
    let loop = queue.withLock {
      if forGood { state.isOver = true }
      state.loop?.stop()
      defer { state.loop = nil }
      return state.loop
    }
    guard let thread = loop?.thread else { return true }
    if !thread.isCurrent, thread.join(untilMonotonicMs: deadline) { return true }
    thread.detach()
    return false
  }

  // MARK: Fork

  /// Before a fork, and before any lock that a completion takes: waits until the I/O thread waits itself. It never
  /// waits for the network otherwise.
  package func prepareForkGate() { gate.prepareFork() }

  /// Before a fork, and behind any lock that is held while a transfer starts or is cancelled.
  package func prepareForkQueue() { queue.prepareFork() }

  /// After a fork, in the parent.
  package func resumeParent() {
    queue.resumeParent()
    gate.resumeParent()
  }

  /// After a fork, in the child: as before the first request, with the libraries loaded.
  ///
  /// The inherited sockets are closed; libcurl's handles, completions and what these hold are abandoned and
  /// their memory leaks, by design: cleaning a TLS connection would end the parent's.
  package func resumeChild() {
    queue.resumeChild()
    gate.resumeChild()
    state.loop?.closeSocketsInForkedChild()
    state.loop = nil  // the parent's thread held it too, and never lets go here
  }

  /// The running loop, or a new one. Inside `queue`.
  private func currentLoop() throws(RemoraError) -> CurlLoop {
    if let loop = state.loop { return loop }
    guard rcurl_is_loaded() else { throw RemoraError(.unavailable, "libcurl is not loaded") }
    let loop = try CurlLoop(queue: queue, gate: gate, clock: clock)
    try loop.startThread()
    state.loop = loop
    return loop
  }
}
