// SPDX-License-Identifier: Apache-2.0
//
// The requests of a process that hosts send: from the start to the answer, the timeout or the cancellation.
// Invariant: a completion runs at most once, and no function of a host runs after its transport was closed.

internal import Glibc

/// The requests that wait for answers of hosts. The engine thread drives them, as it drives libcurl.
///
/// `@unchecked Sendable`: `state`, and `calls` of each transport, are accessed with `queue` held only. Everything else
/// is constant.
package final class HostRequests: @unchecked Sendable {
  /// A request without a result.
  struct Pending {
    let request: HTTPRequest
    let url: ParsedURL
    let transport: HostTransport
    let completion: Transport.Completion
    /// Whether the host has received the request.
    var isSent = false
    /// Whether the host has answered; then only the delivery is pending.
    var isAnswered = false

    init(
      _ request: HTTPRequest, _ url: ParsedURL, _ transport: HostTransport, _ completion: @escaping Transport.Completion
    ) {
      (self.request, self.url, self.transport, self.completion) = (request, url, transport, completion)
    }
  }

  private typealias Work = @Sendable () -> Void

  private struct State {
    var pending: [UInt64: Pending] = [:]
    /// The pending requests that the engine thread has seen.
    var queues = RequestQueues<UInt64>()
    /// The work of the engine thread, in order.
    var work: [Work] = []
    /// The number of the latest request. A forked child continues to count, so that numbers of its parent stay unknown.
    var lastNumber: UInt64 = 0
    /// The transport whose function is running, and the thread that runs it.
    var running: (transport: ObjectIdentifier, thread: pthread_t)?
    /// The number of forks between the process that loaded the library and this one.
    var forks = 0
    /// Whether the process is exiting.
    var isOver = false
  }

  private var state = State()
  private let queue = Lock()
  /// Makes the engine thread call `turn`. Callable with any lock held.
  private let wake: @Sendable () -> Void

  package init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  var forks: Int { queue.withLock { state.forks } }

  // MARK: Starting and ending requests; from any thread

  /// Adds a request, which the engine thread passes to the host.
  func add(_ pending: Pending) throws(RemoraError) -> TransferID {
    let number = try queue.withLock { () throws(RemoraError) -> UInt64 in
      guard pending.transport.forks == state.forks else { throw HostTransport.ofParent }
      guard pending.transport.calls != nil, !state.isOver else { throw .closed }
      state.lastNumber += 1
      let number = state.lastNumber
      state.pending[number] = pending
      state.work.append { [self] in arrive(number) }
      return number
    }
    wake()
    return TransferID(number: number)
  }

  /// Ends a request without a result. Returns whether its completion will never run.
  func cancel(_ id: TransferID) -> Bool {
    // Released after unlocking, because releasing the completion may release what it captured.
    let (pending, hasWork) = queue.withLock { () -> (Pending?, Bool) in
      let pending = remove(id)
      if let pending { noteEnd(of: pending, id) }
      return (pending, !state.work.isEmpty)
    }
    if hasWork { wake() }
    return pending != nil
  }

  /// Accepts the host's answer to a request. The engine thread delivers it.
  ///
  /// - Parameter copy: Returns a copy of the answer, with at most one byte of its body more than the limit.
  /// - Throws: `.notFound` unless the request waits for an answer; the error of `copy`.
  package func accept(
    answerTo id: TransferID, _ copy: (_ bodyLimit: Int) throws(RemoraError) -> HostResponse
  ) throws(RemoraError) {
    let limit = try queue.withLock { () throws(RemoraError) in try requireUnanswered(id).request.bodyLimit }
    let answer = try copy(limit)
    try queue.withLock { () throws(RemoraError) in
      var pending = try requireUnanswered(id)
      pending.isAnswered = true
      state.pending[id.number] = pending
      state.work.append { [self] in deliver(answer, to: id) }
    }
    wake()
  }

  private func requireUnanswered(_ id: TransferID) throws(RemoraError) -> Pending {
    guard let pending = state.pending[id.number], pending.isSent else {
      throw RemoraError(
        .notFound,
        "the request with the id \(id.number) is unknown or has ended:"
          + " it was answered or cancelled, it timed out, or its client is closed"
      )
    }
    guard !pending.isAnswered else {
      throw RemoraError(.notFound, "the request with the id \(id.number) was already answered; this answer is not used")
    }
    return pending
  }

  /// Removes a request, and queues the request that waited for its end. Called with `queue` held.
  private func remove(_ id: TransferID) -> Pending? {
    guard let pending = state.pending.removeValue(forKey: id.number) else { return nil }
    if let next = state.queues.remove(id) { state.work.append { [self] in send(next) } }
    return pending
  }

  /// Queues the notification of the host that a request has ended, unless it answered the request.
  private func noteEnd(of pending: Pending, _ id: TransferID) {
    guard pending.isSent, !pending.isAnswered else { return }
    let transport = pending.transport
    state.work.append { [self] in call(transport) { $0.cancel?(id) } }
  }

  // MARK: The end of a transport

  /// Removes the functions of a transport. Returns them, to be released after unlocking.
  func takeCalls(of transport: HostTransport) -> HostCalls? {
    queue.withLock {
      defer { transport.calls = nil }
      return transport.calls
    }
  }

  /// Waits until a running function of a transport has returned, except on the thread that runs it.
  func waitForCall(of transport: HostTransport) {
    queue.withLock {
      while let running = state.running, running.transport == ObjectIdentifier(transport),
        pthread_equal(running.thread, pthread_self()) == 0
      { _ = queue.wait(untilMonotonicMs: nil) }
    }
  }

  // MARK: The engine thread

  /// Does the queued work. Never called inside a job.
  package func turn() {
    var work: [Work] = []
    queue.withLock { if !state.isOver { swap(&work, &state.work) } }
    for step in work { step() }
  }

  /// Starts the time limit of a request, and sends the request unless it has to wait for others to its server.
  private func arrive(_ number: UInt64) {
    let (pending, isNext) = queue.withLock { () -> (Pending?, Bool) in
      guard let pending = state.pending[number] else { return (nil, false) }
      let server = pending.url.originText
      return (pending, state.queues.add(TransferID(number: number), number, to: server, dueMs: .max))
    }
    guard let pending else { return }
    let limit = pending.request.options.totalTimeoutMs
    if limit >= 0 { pending.transport.timer(limit) { [self] in expire(number, afterMs: limit) } }
    if isNext { send(number) }
  }

  private func send(_ number: UInt64) {
    let pending = queue.withLock { () -> Pending? in
      state.pending[number]?.isSent = true
      return state.pending[number]
    }
    guard let pending else { return }
    let (request, url) = (pending.request, pending.request.text(of: pending.url))
    call(pending.transport) { $0.send(TransferID(number: number), request, url) }
  }

  /// Calls the host, unless the client was closed.
  private func call(_ transport: HostTransport, _ body: (HostCalls) -> Void) {
    queue.withLock { state.running = (ObjectIdentifier(transport), pthread_self()) }
    callRunning(transport, body)
    queue.withLock {
      state.running = nil
      queue.broadcast()
    }
  }

  /// Calls the host. Releases the functions before the call counts as ended, so that a close frees the user data.
  private func callRunning(_ transport: HostTransport, _ body: (HostCalls) -> Void) {
    guard let calls = queue.withLock({ transport.calls }) else { return }
    body(calls)
  }

  private func deliver(_ answer: HostResponse, to id: TransferID) {
    guard let pending = queue.withLock({ remove(id) }) else { return }
    wake()
    let completion = pending.completion
    completion(result(of: pending, answer))
  }

  /// Returns the result of a request, and releases its destination.
  private func result(of pending: consuming Pending, _ answer: HostResponse) -> Result<HTTPResponse, RemoraError> {
    answer.result(for: pending.request, to: pending.url, nowMs: pending.transport.clock.nowMs)
  }

  /// Ends a request whose total timeout has expired. Called in a job.
  private func expire(_ number: UInt64, afterMs limit: Int64) {
    let pending = queue.withLock { () -> Pending? in
      guard let pending = state.pending[number], !pending.isAnswered else { return nil }
      noteEnd(of: pending, TransferID(number: number))
      return remove(TransferID(number: number))
    }
    guard let pending else { return }
    wake()
    let late =
      pending.isSent
      ? RemoraError.transfer(.network, "the program's transport did not answer within \(limit) ms", url: pending.url)
      : .waitedTooLong(forMs: limit, url: pending.url)
    pending.completion(.failure(late))
  }

  // MARK: Exit and fork

  /// Stops calling hosts, because the process exits.
  package func stop() { queue.withLock { state.isOver = true } }

  package func prepareFork() { queue.prepareFork() }

  package func resumeParent() { queue.resumeParent() }

  /// Called after a fork, in the child: the requests, and the transports that sent them, belong to the parent.
  package func resumeChild() {
    queue.resumeChild()
    leak(state.pending)
    leak(state.work)
    leak(state.queues)
    (state.pending, state.work, state.queues, state.running) = ([:], [], RequestQueues(), nil)
    state.forks += 1
  }
}
