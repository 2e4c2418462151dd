// SPDX-License-Identifier: Apache-2.0
//
// The transport over libcurl: starts and cancels transfers from any thread, drives them on one thread, and has the
// hooks for fork and exit.
// Invariant: no library is loaded and no thread is started before the first request.

internal import CCurl

/// Connects the process to the network. The process runtime creates one transport and never releases it.
///
/// The process's engine thread drives it, inside the fork gate except while it waits. No lock is held while completions
/// run. `queue` guards `state` and each loop's mailbox.
///
/// `@unchecked Sendable`: `state` is accessed with `queue` held only; everything else is constant.
package final class CurlTransport: Transport, @unchecked Sendable {
  private struct State {
    /// The running loop; nil before the first request, after a stop and in a forked child.
    var loop: CurlLoop?
    /// Whether the next wait returns at once.
    var isWoken = false
    var lastNumber: UInt64 = 0
    /// Whether the transport was stopped permanently.
    var isOver = false
  }

  private var state = State()
  private let queue = Lock()
  private let clock: any Clock
  /// Whether it starts a thread of its own; else a thread of the caller drives it.
  private let hasOwnThread: Bool

  /// Creates a transport that is idle. `CurlLibrary.load` must be called before its first request.
  ///
  /// - Parameters:
  ///   - clock: The wall clock for Retry-After.
  ///   - hasOwnThread: Whether it starts a thread of its own, for tests without an engine thread; else a thread of the
  ///     caller drives it by `turn` and `wait`.
  package init(clock: any Clock, hasOwnThread: Bool = false) {
    self.clock = clock
    self.hasOwnThread = hasOwnThread
  }

  package func start(
    _ request: HTTPRequest, completion: @escaping Completion
  ) throws(RemoraError) -> TransferID {
    let url = if let target = request.target { target } else { try ParsedURL(request.url) }
    if let tag = request.ifNoneMatch { try validateHeaderValue(tag, of: "If-None-Match") }
    if let destination = request.destination, destination.offset < 0 || destination.offset > destination.limit {
      throw .invalidArgument(
        "the partial download",
        "has \(destination.offset) bytes, but the complete file may have at most \(destination.limit)")
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
    // The completion is released after unlocking, because releasing it may release what it captured.
    let completion = queue.withLock { state.loop?.cancel(id) }
    return completion != nil
  }

  /// Ends all transfers with `.closed`. Ends the transport's own thread; a transport that is driven by a caller ends
  /// its transfers in its next turn.
  ///
  /// - Parameters:
  ///   - deadline: The monotonic time at which waiting for the thread ends.
  ///   - forGood: Whether later starts throw `.closed`; else a later start begins a new loop. A transport that is
  ///     driven by a caller stops permanently.
  /// - Returns: Whether the transport has no thread left; false on timeout, or when called on that thread.
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

  // MARK: The driving thread

  /// Does all work that needs no waiting: begins and drops transfers, and runs completions.
  package func turn() {
    guard let loop = queue.withLock({ state.loop }), !loop.turn() else { return }
    for completion in queue.withLock({ replace(loop) }) {
      completion(.failure(RemoraError(.unavailable, "libcurl cannot be started again")))
    }
  }

  /// Ends the use of a loop. Requests that it has not begun go to the next loop; returns their completions if there can
  /// be none. Called with `queue` held.
  private func replace(_ loop: CurlLoop) -> [Completion] {
    guard state.loop === loop else { return [] }
    state.loop = nil
    let left = loop.takeArrivals()
    guard !left.isEmpty else { return [] }
    guard !state.isOver, let next = try? currentLoop() else { return left.map(\.completion) }
    for entry in left { next.add(entry.arrival, entry.completion) }
    return []
  }

  /// Waits until there is something to do, `wake` is called, or the monotonic time is reached.
  package func wait(untilMonotonicMs deadline: Int64?) {
    let loop = queue.withLock { () -> CurlLoop? in
      if state.loop == nil, !state.isWoken { _ = queue.wait(untilMonotonicMs: deadline) }
      defer { state.isWoken = false }
      return state.isWoken ? nil : state.loop
    }
    if let loop { wait(in: loop, untilMonotonicMs: deadline) }
  }

  /// Ends the current wait of the driving thread, or makes its next wait return at once.
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
    // Called without `queue`, which the driving thread takes as soon as it wakes.
    loop.wakeMulti()
    queue.withLock { loop.endWake() }
  }

  /// Abandons all transfers without freeing them, because their thread may still run while the process exits.
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
    while loop.turn() { wait(in: loop, untilMonotonicMs: nil) }
  }

  // MARK: Fork

  /// Called before a fork, after the fork gate and after any lock that is held while a transfer is started or
  /// cancelled.
  package func prepareFork() { queue.prepareFork() }

  /// Called after a fork, in the parent.
  package func resumeParent() { queue.resumeParent() }

  /// Called after a fork, in the child: restores the state before the first request, except that the libraries are
  /// loaded.
  ///
  /// Inherited sockets are closed. libcurl's handles, the completions and the objects that they hold are abandoned, and
  /// their memory leaks by design: cleaning up a TLS connection would end the parent's.
  package func resumeChild() {
    queue.resumeChild()
    state.loop?.closeSocketsInForkedChild()
    state.loop = nil  // the parent's thread holds a reference too, which the child never releases
    state.isWoken = false
  }

  /// Returns the running loop, or creates one. Called with `queue` held.
  private func currentLoop() throws(RemoraError) -> CurlLoop {
    if let loop = state.loop { return loop }
    guard rcurl_is_loaded() else { throw RemoraError(.unavailable, "libcurl is not loaded") }
    let loop = try CurlLoop(queue: queue, clock: clock)
    if hasOwnThread { try loop.startThread { [self] in run(loop) } }
    state.loop = loop
    // The driving thread has waited without a loop so far.
    queue.broadcast()
    return loop
  }
}
