// SPDX-License-Identifier: Apache-2.0
//
// The transport over libcurl: starts and cancels from any thread, one thread that drives it, and the hooks for fork and
// exit. Invariant: no library is loaded and no thread runs before the first request.

internal import CCurl

/// The process's way to the network. The process runtime makes one and never lets go of it.
///
/// The thread that drives it is the process's engine thread. That thread holds `gate` during a turn,
/// also in completions: only a fork ever waits for it. No other lock is held while completions run. The gate is taken
/// before `queue`, which guards `state` and each loop's mailbox.
///
/// `@unchecked Sendable`: `state` is touched inside `queue` only, everything else is constant.
package final class CurlTransport: Transport, @unchecked Sendable {
  private struct State {
    /// The running loop; nil before the first request, after a stop and in a forked child.
    var loop: CurlLoop?
    /// Whether the next wait ends at once.
    var isWoken = false
    /// The number of the latest transfer.
    var lastNumber: UInt64 = 0
    /// Whether the process ends.
    var isOver = false
  }

  private var state = State()
  private let queue = Lock()
  private let gate = Lock()
  private let clock: any Clock
  /// Whether it has a thread of its own; else one of the caller's drives it.
  private let hasOwnThread: Bool

  /// Makes a transport that does nothing yet; `CurlLibrary.load` comes before its first request.
  ///
  /// - Parameters:
  ///   - clock: The wall time for Retry-After.
  ///   - hasOwnThread: Whether it starts a thread of its own, for tests that have no engine thread; else a thread of the
  ///     caller's drives it, by `turn` and `wait`.
  package init(clock: any Clock, hasOwnThread: Bool = false) {
    self.clock = clock
    self.hasOwnThread = hasOwnThread
  }

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

  /// Ends all transfers: their completions get `.closed`. Ends the transport's own thread; a driven transport ends them
  /// in its next turn.
  ///
  /// - Parameters:
  ///   - deadline: The monotonic time at which waiting for the thread ends.
  ///   - forGood: Whether later starts throw `.closed`; else they begin anew. A driven transport stops for good.
  /// - Returns: Whether no own thread is left; false when time ran out, or on that thread itself.
  package func stop(untilMonotonicMs deadline: Int64, forGood: Bool) -> Bool {
    let loop = queue.withLock { () -> CurlLoop? in
      if forGood || !hasOwnThread { state.isOver = true }
      state.loop?.stop()
      guard hasOwnThread else { return nil }
      defer { state.loop = nil }
      return state.loop
    }
    guard let thread = loop?.thread else { return true }
    if !thread.isCurrent, thread.join(untilMonotonicMs: deadline) { return true }
    thread.detach()
    return false
  }

  // MARK: The thread that drives it

  /// Does what can be done without waiting: begins and drops transfers, and runs completions.
  package func turn() {
    guard let loop = queue.withLock({ state.loop }), !gate.withLock({ loop.turn() }) else { return }
    queue.withLock { if state.loop === loop { state.loop = nil } }
  }

  /// Waits until there is something to do, a `wake`, or the monotonic time.
  package func wait(untilMonotonicMs deadline: Int64?) {
    let loop = queue.withLock { () -> CurlLoop? in
      if state.loop == nil, !state.isWoken { _ = queue.wait(untilMonotonicMs: deadline) }
      defer { state.isWoken = false }
      return state.isWoken ? nil : state.loop
    }
    if let loop { wait(in: loop, untilMonotonicMs: deadline) }
  }

  /// Ends the wait of the driving thread, or its next one.
  package func wake() {
    let loop = queue.withLock { () -> CurlLoop? in
      state.isWoken = true
      guard let loop = state.loop else {
        queue.broadcast()
        return nil
      }
      return loop.beginWake() ? loop : nil
    }
    guard let loop else { return }
    // Without the queue's lock, which the driving thread takes as soon as it wakes.
    loop.wakeMulti()
    queue.withLock { loop.endWake() }
  }

  /// Forgets all transfers, as their thread may still run when the process ends.
  package func abandon() {
    queue.withLock {
      leak(state.loop)
      state.loop = nil
    }
  }

  private func wait(in loop: CurlLoop, untilMonotonicMs deadline: Int64?) {
    guard queue.withLock({ !state.isWoken && loop.beginWait() }) else { return }
    loop.poll(untilMonotonicMs: deadline)
    queue.withLock {
      loop.endWait()
      state.isWoken = false
    }
  }

  private func run(_ loop: CurlLoop) {
    while gate.withLock({ loop.turn() }) { wait(in: loop, untilMonotonicMs: nil) }
  }

  // MARK: Fork

  /// Before a fork, and before any lock that a completion takes: waits until the driving thread waits itself. It never
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
    state.isWoken = false
  }

  /// The running loop, or a new one. Inside `queue`.
  private func currentLoop() throws(RemoraError) -> CurlLoop {
    if let loop = state.loop { return loop }
    guard rcurl_is_loaded() else { throw RemoraError(.unavailable, "libcurl is not loaded") }
    let loop = try CurlLoop(queue: queue, clock: clock)
    if hasOwnThread { try loop.startThread { [self] in run(loop) } }
    state.loop = loop
    // The driving thread waits without a loop so far.
    queue.broadcast()
    return loop
  }
}
