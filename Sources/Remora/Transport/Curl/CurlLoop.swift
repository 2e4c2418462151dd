// SPDX-License-Identifier: Apache-2.0
//
// A libcurl multi handle with all transfers, and the operations of the thread that drives it.
// Invariant: a completion is removed from `completions` before it runs, so it runs at most once and never after a
// cancel.

internal import CCurl

/// The lifetime of one multi handle. A new loop is created after a stop, and in a forked child.
///
/// `mailbox` and `thread` are guarded by `queue`. `requests`, `transfers`, `hasPolled` and the content of `sockets`
/// belong to the driving thread, which is inside the fork gate during `turn`. So a fork never interrupts
/// libcurl, OpenSSL or the Swift runtime (which takes locks when a type is first used).
///
/// `@unchecked Sendable`: all mutable state is guarded as described above.
final class CurlLoop: @unchecked Sendable {
  /// The transport's own thread, once started; nil if another thread drives the loop.
  private(set) var thread: NamedThread?
  private var mailbox = CurlMailbox()
  private let queue: Lock
  private let clock: any Clock
  private let multi: UnsafeMutableRawPointer
  private let sockets: UnsafeMutablePointer<CurlSockets>
  /// The sockets with which libcurl wakes its poll, if they were found.
  private let wakeup: [Int32: FileIdentity]
  /// The requests without an outcome; of those, `transfers` has the ones in progress.
  private var requests = RequestQueues<CurlArrival>()
  private var transfers: CurlTransfers
  /// Whether `poll` was called since the last turn.
  private var hasPolled = false

  /// Creates the multi handle. The caller holds `queue`, and libcurl is loaded.
  init(queue: Lock, clock: any Clock) throws(RemoraError) {
    guard let multi = rcurl_multi_init() else {
      throw RemoraError(.unavailable, "libcurl has no memory for its transfers")
    }
    _ = rcurl_multi_set_long(multi, RCURLMOPT_MAXCONNECTS, 16)
    self.queue = queue
    self.clock = clock
    self.multi = multi
    sockets = CurlSockets.allocate()
    transfers = CurlTransfers(multi: multi, sockets: sockets)
    wakeup = sockets.pointee.addWakeup(of: multi)
    // Without free descriptors libcurl creates a multi handle that cannot be woken; no request would ever begin.
    guard rcurl_multi_wakeup(multi) == RCURLM_OK else {
      freeHandles()
      throw RemoraError(.unavailable, "libcurl cannot create the file descriptors for its wake-up calls")
    }
  }

  // MARK: For other threads, which hold `queue`

  /// Starts a thread that drives the loop by running `body`. Only for tests: in the library, the engine
  /// thread drives it.
  func startThread(_ body: @escaping @Sendable () -> Void) throws(RemoraError) {
    do {
      thread = try NamedThread.start(name: "remora-io", body)
    } catch {
      freeHandles()
      throw error
    }
  }

  func add(_ id: TransferID, _ request: HTTPRequest, _ url: ParsedURL, _ completion: @escaping Transport.Completion) {
    add(CurlArrival(id: id, request: request, url: url, startedMs: monotonicMs()), completion)
  }

  /// Queues a request that was started earlier.
  func add(_ arrival: CurlArrival, _ completion: @escaping Transport.Completion) {
    mailbox.arrivals.append(arrival)
    mailbox.completions[arrival.id] = completion
    wake()
  }

  /// Removes and returns a completion, so that it never runs; nil if it was removed before.
  func cancel(_ id: TransferID) -> Transport.Completion? {
    guard let completion = mailbox.completions.removeValue(forKey: id) else { return nil }
    mailbox.cancelled.append(id)
    wake()
    return completion
  }

  /// Requests that the driving thread end all transfers.
  func stop() {
    mailbox.isStopping = true
    wake()
  }

  /// Ends the wait of the driving thread.
  func wake() {
    guard beginWake() else { return }
    wakeMulti()
    endWake()
  }

  /// Notes that the caller is about to call `wakeMulti`. Returns false if the driving thread is not waiting.
  func beginWake() -> Bool {
    guard mailbox.isAwaited else { return false }
    mailbox.isAwaited = false
    mailbox.wakers += 1
    return true
  }

  /// Ends the wait of the driving thread, between `beginWake` and `endWake`. Needs no lock. If the host has closed
  /// libcurl's sockets, the wait ended then.
  func wakeMulti() { if isWakeable { _ = rcurl_multi_wakeup(multi) } }

  /// Whether the descriptors with which libcurl wakes its poll are still its own. Only the host closes them while the
  /// loop lives.
  private var isWakeable: Bool { wakeup.allSatisfy { $0.value.isOpen(as: $0.key) } }

  func endWake() { mailbox.wakers -= 1 }

  /// Notes that the driving thread is about to wait. Returns false if it must not wait because there is something to
  /// do.
  func beginWait() -> Bool {
    mailbox.isAwaited = !mailbox.isFilled
    return mailbox.isAwaited
  }

  /// Notes that the driving thread no longer waits.
  func endWait() { mailbox.isAwaited = false }

  /// Closes the sockets in a forked child, where no other thread uses them.
  func closeSocketsInForkedChild() { sockets.pointee.closeInForkedChild() }

  // MARK: The driving thread

  /// Waits until libcurl has something to do, a waiting request is late, `wake` is called, or the monotonic time is
  /// reached.
  func poll(untilMonotonicMs deadline: Int64?) {
    hasPolled = true
    guard isWakeable else { return }
    let longest: Int64 = 3_600_000
    let next = min(deadline ?? .max, requests.nextDueMs ?? .max)
    let wait = min(longest, max(0, next.addingClamped(-monotonicMs())))
    if ForkGate.outside({ rcurl_multi_poll(multi, Int32(wait)) }) != RCURLM_OK {
      // libcurl has no memory or descriptors: retry after a short pause, to avoid a busy loop.
      queue.withLock { _ = queue.wait(untilMonotonicMs: monotonicMs() + 10) }
    }
  }

  /// Does all work that needs no waiting. Returns false once the loop was stopped, or has lost its sockets.
  func turn() -> Bool {
    if !isWakeable {
      abandonTransfers()
      return false
    }
    guard let failed = readMail() else {
      end()
      return false
    }
    guard hasPolled || !failed.isEmpty || !transfers.isEmpty else { return true }
    hasPolled = false
    deliver(failed + takeEnded())
    return true
  }

  /// Takes what was queued since the last turn; nil once the loop was stopped.
  private func takeMail() -> CurlMailbox? {
    queue.withLock {
      guard !mailbox.isStopping else { return nil }
      // Moved, not copied: a copy could be the last reference to a request, and release what it captures under this
      // lock.
      var mail = CurlMailbox()
      swap(&mail.arrivals, &mailbox.arrivals)
      swap(&mail.cancelled, &mailbox.cancelled)
      return mail
    }
  }

  private typealias Outcome = CurlTransfers.Outcome

  /// Drops cancelled requests and begins new ones; returns the outcomes of those that cannot begin, or nil once the
  /// loop was stopped. On return, only `requests` and the transfers still reference anything of the requests.
  private func readMail() -> [Outcome]? {
    guard let mail = takeMail() else { return nil }
    let cancelled = Set(mail.cancelled)
    transfers.drop(cancelled)
    var outcomes = endAndBeginNext(mail.cancelled)
    for arrival in mail.arrivals where !cancelled.contains(arrival.id) {
      let server = arrival.url.originText
      if requests.add(arrival.id, arrival, to: server, dueMs: arrival.dueMs) { outcomes += begin(arrival) }
    }
    for late in requests.removeLate(nowMs: monotonicMs()) {
      let limit = late.request.options.totalTimeoutMs
      outcomes.append((late.id, .failure(.waitedTooLong(forMs: limit, url: late.url))))
    }
    return outcomes
  }

  /// Begins a request, or, if it cannot begin, the waiting ones after it. Returns the outcomes of those that cannot.
  private func begin(_ first: CurlArrival) -> [Outcome] {
    var outcomes: [Outcome] = []
    var next: CurlArrival? = first
    while let arrival = next {
      do throws(RemoraError) {
        try transfers.begin(arrival, nowMs: clock.nowMs)
        return outcomes
      } catch {
        outcomes.append((arrival.id, .failure(error)))
        next = requests.remove(arrival.id)
      }
    }
    return outcomes
  }

  /// Removes requests that have ended, and begins those that waited for them. Returns the outcomes of those that cannot
  /// begin.
  private func endAndBeginNext(_ ended: [TransferID]) -> [Outcome] {
    ended.flatMap { id in requests.remove(id).map { begin($0) } ?? [] }
  }

  /// Lets libcurl work, and returns the outcomes of transfers that ended.
  private func takeEnded() -> [Outcome] {
    let outcomes = transfers.takeEnded()
    return outcomes + endAndBeginNext(outcomes.map(\.id))
  }

  /// Runs the completions of transfers that were not cancelled.
  private func deliver(_ outcomes: [Outcome]) {
    for outcome in outcomes {
      let completion = queue.withLock { mailbox.completions.removeValue(forKey: outcome.id) }
      completion?(outcome.result)
    }
  }

  /// Aborts the remaining transfers, and calls their completions with `.closed`.
  private func end() {
    let abandoned = dropMail()
    requests = RequestQueues()
    transfers.dropAll()
    freeHandles()
    deliver(abandoned)
  }

  /// Ends the transfers without calling libcurl, whose handles leak by design: the host has closed its sockets, and
  /// libcurl would use their numbers. Requests that have not begun stay queued for the next loop.
  private func abandonTransfers() {
    let error = RemoraError(.network, "the program has closed the file descriptors of the library's connections")
    let outcomes = transfers.abandon(error)
    queue.withLock { mailbox.arrivals = requests.removeAll() + mailbox.arrivals }
    deliver(outcomes)
  }

  /// Removes and returns the requests that have not begun. Called with `queue` held.
  func takeArrivals() -> [(arrival: CurlArrival, completion: Transport.Completion)] {
    defer { mailbox.arrivals = [] }
    return mailbox.arrivals.compactMap { arrival in
      mailbox.completions.removeValue(forKey: arrival.id).map { (arrival, $0) }
    }
  }

  /// Drops requests that never began, and returns a `.closed` outcome for every pending completion.
  private func dropMail() -> [Outcome] {
    var mail = CurlMailbox()
    return queue.withLock {
      mailbox.isAwaited = false
      while mailbox.wakers > 0 { _ = queue.wait(untilMonotonicMs: monotonicMs() + 1) }
      swap(&mail.arrivals, &mailbox.arrivals)
      return mailbox.completions.keys.map { Outcome($0, .failure(RemoraError(.closed, "the transport was stopped"))) }
    }
  }

  private func freeHandles() {
    transfers.freeSpare()
    _ = rcurl_multi_cleanup(multi)
    sockets.deinitialize(count: 1)
    sockets.deallocate()
  }
}
