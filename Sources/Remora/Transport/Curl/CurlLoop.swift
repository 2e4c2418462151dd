// SPDX-License-Identifier: Apache-2.0
//
// One multi handle with all transfers, and what the thread that drives it does with them.
// Invariant: a completion leaves `completions` before it runs, so that it runs at most once and never after a cancel.

internal import CCurl

/// One life of a multi handle. A new one is made after a stop, and in a forked child.
///
/// `mailbox` and `thread` are guarded by `queue`. `transfers`, `spare`, `hasPolled` and the content of `sockets` belong to
/// the driving thread. It holds the transport's gate during `turn`: so a fork, which takes the gate, finds neither libcurl
/// nor OpenSSL nor the Swift runtime (which locks when a type is first used) halfway. Two locks, as starting and
/// cancelling must not wait for a TLS handshake; the gate is taken before `queue`.
///
/// `@unchecked Sendable`: all that changes is guarded as said above.
final class CurlLoop: @unchecked Sendable {
  /// What others leave for the driving thread.
  private struct Mailbox {
    var arrivals: [(id: TransferID, request: HTTPRequest, url: ParsedURL)] = []
    var cancelled: [TransferID] = []
    var completions: [TransferID: Transport.Completion] = [:]
    var isStopping = false
    /// Whether the driving thread waits in the multi handle, or is about to.
    var isAwaited = false
    /// How many threads wake the multi handle, which lives as long, without `queue`.
    var wakers = 0

    /// Whether there is something to do.
    var isFilled: Bool { isStopping || !arrivals.isEmpty || !cancelled.isEmpty }
  }

  /// The transport's own thread, from its start on; nil if another thread drives the loop.
  private(set) var thread: NamedThread?
  private var mailbox = Mailbox()
  private let queue: Lock
  private let clock: any Clock
  private let multi: UnsafeMutableRawPointer
  private let sockets: UnsafeMutablePointer<CurlSockets>
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  /// The handle of the last transfer that came to its end, for the next one that it fits.
  private var spare: CurlHandle?
  /// Whether libcurl has waited since its last turn.
  private var hasPolled = false

  /// Makes the multi handle. The caller holds `queue`, and libcurl is loaded.
  init(queue: Lock, clock: any Clock) throws(RemoraError) {
    guard let multi = rcurl_multi_init() else {
      throw RemoraError(.unavailable, "libcurl has no memory for its transfers")
    }
    _ = rcurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 16)
    self.queue = queue
    self.clock = clock
    self.multi = multi
    sockets = CurlSockets.allocate()
    sockets.pointee.addWakeup(of: multi)
    // Out of descriptors libcurl makes do without: then nobody could ever wake the poll, and no request would begin.
    guard rcurl_multi_wakeup(multi) == CURLM_OK else {
      freeHandles()
      throw RemoraError(.unavailable, "libcurl has no descriptors for its wake-ups")
    }
  }

  // MARK: For other threads, which hold `queue`

  /// Starts a thread that drives the loop, by `body`.
  func startThread(_ body: @escaping @Sendable () -> Void) throws(RemoraError) {
    do {
      thread = try NamedThread.start(name: "remora-io", body)
    } catch {
      freeHandles()
      throw error
    }
  }

  /// Leaves a request.
  func add(_ id: TransferID, _ request: HTTPRequest, _ url: ParsedURL, _ completion: @escaping Transport.Completion) {
    mailbox.arrivals.append((id, request, url))
    mailbox.completions[id] = completion
    wake()
  }

  /// Takes a completion away, so that it never runs; nil when it is no longer there.
  func cancel(_ id: TransferID) -> Transport.Completion? {
    guard let completion = mailbox.completions.removeValue(forKey: id) else { return nil }
    mailbox.cancelled.append(id)
    wake()
    return completion
  }

  /// Asks the driving thread to end all transfers.
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

  /// Notes that the caller is about to call `wakeMulti`. False if nobody waits.
  func beginWake() -> Bool {
    guard mailbox.isAwaited else { return false }
    mailbox.isAwaited = false
    mailbox.wakers += 1
    return true
  }

  /// Ends the wait of the driving thread, between `beginWake` and `endWake`. It needs no lock.
  func wakeMulti() { _ = rcurl_multi_wakeup(multi) }

  func endWake() { mailbox.wakers -= 1 }

  /// Notes that the driving thread is about to wait. False if it must not, as something is to be done.
  func beginWait() -> Bool {
    mailbox.isAwaited = !mailbox.isFilled
    return mailbox.isAwaited
  }

  /// Notes that the driving thread does not wait any more.
  func endWait() { mailbox.isAwaited = false }

  /// In a forked child: nobody else touches the sockets any more.
  func closeSocketsInForkedChild() { sockets.pointee.closeInForkedChild() }

  // MARK: The driving thread

  /// Waits until libcurl has something to do, a `wake`, or the monotonic time.
  func poll(untilMonotonicMs deadline: Int64?) {
    hasPolled = true
    let longest: Int64 = 3_600_000
    let wait = min(longest, max(0, (deadline ?? .max).addingClamped(-monotonicMs())))
    if rcurl_multi_poll(multi, Int32(wait)) != CURLM_OK {
      // Out of memory or descriptors: try again, but not in a tight circle.
      queue.withLock { _ = queue.wait(untilMonotonicMs: monotonicMs() + 10) }
    }
  }

  /// Does what can be done without waiting; false at the end.
  func turn() -> Bool {
    guard let failed = readMail() else {
      end()
      return false
    }
    guard hasPolled || !failed.isEmpty || !transfers.isEmpty else { return true }
    hasPolled = false
    deliver(failed + advance())
    return true
  }

  /// What has come since; nil at the end.
  private func takeMail() -> Mailbox? {
    queue.withLock {
      guard !mailbox.isStopping else { return nil }
      // Moved and not copied: what a request holds ends with it, and must not do so in here.
      var mail = Mailbox()
      swap(&mail.arrivals, &mailbox.arrivals)
      swap(&mail.cancelled, &mailbox.cancelled)
      return mail
    }
  }

  private typealias Outcome = (id: TransferID, result: Result<HTTPResponse, RemoraError>)

  /// Drops and begins transfers, and answers those that could not begin; nil at the end. On return
  /// nothing is left of the requests but what their transfers hold.
  private func readMail() -> [Outcome]? {
    guard let mail = takeMail() else { return nil }
    var outcomes: [Outcome] = []
    let cancelled = Set(mail.cancelled)
    if !cancelled.isEmpty {
      for transfer in transfers.values where cancelled.contains(transfer.id) { drop(transfer) }
    }
    for (id, request, url) in mail.arrivals where !cancelled.contains(id) {
      do throws(RemoraError) {
        let handle = try takeHandle(for: request, url: url)
        try begin(CurlTransfer(id: id, request: request, url: url, nowMs: clock.nowMs, handle: handle), url: url)
      } catch {
        outcomes.append((id, .failure(error)))
      }
    }
    return outcomes
  }

  /// Lets libcurl go on, and collects what ended.
  private func advance() -> [Outcome] {
    var outcomes: [Outcome] = []
    let problem = rcurl_multi_perform(multi)
    var code = CURLE_OK
    while let easy = rcurl_multi_next_done(multi, &code) {
      guard let transfer = transfers[easy] else { continue }
      outcomes.append((transfer.id, transfer.outcome(code)))
      if code == CURLE_OK { finish(transfer) } else { drop(transfer) }
    }
    if problem != CURLM_OK {
      let error = RemoraError(.network, "libcurl: " + String(cString: rcurl_multi_strerror(problem)))
      for transfer in transfers.values {
        outcomes.append((transfer.id, .failure(error)))
        drop(transfer)
      }
    }
    return outcomes
  }

  private func begin(_ transfer: CurlTransfer, url: ParsedURL) throws(RemoraError) {
    let code = rcurl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else {
      transfer.cleanUp()
      throw .transfer(.network, String(cString: rcurl_multi_strerror(code)), url: url)
    }
    transfers[transfer.easy] = transfer
  }

  /// A handle for a request: the spare one, if it fits.
  private func takeHandle(for request: HTTPRequest, url: ParsedURL) throws(RemoraError) -> CurlHandle {
    guard let handle = spare, handle.fits(request) else {
      return try CurlHandle(for: request, url: url, sockets: sockets)
    }
    spare = nil
    return handle
  }

  /// Ends a transfer that libcurl has completed, and keeps its handle where libcurl's version allows another transfer.
  private func finish(_ transfer: CurlTransfer) {
    transfers[transfer.easy] = nil
    _ = rcurl_multi_remove_handle(multi, transfer.easy)
    guard rcurl_may_reuse_handles() else { return transfer.cleanUp() }
    spare?.free()
    spare = transfer.takeHandle()
  }

  /// Ends a transfer; a connection in the middle of an answer is closed by libcurl.
  private func drop(_ transfer: CurlTransfer) {
    transfers[transfer.easy] = nil
    _ = rcurl_multi_remove_handle(multi, transfer.easy)
    transfer.cleanUp()
  }

  /// Runs the completions that are still wanted.
  private func deliver(_ outcomes: [Outcome]) {
    for outcome in outcomes {
      let completion = queue.withLock { mailbox.completions.removeValue(forKey: outcome.id) }
      completion?(outcome.result)
    }
  }

  /// Aborts what is left, and tells those who wait for it.
  private func end() {
    let abandoned = dropMail()
    for transfer in transfers.values { drop(transfer) }
    freeHandles()
    deliver(abandoned)
  }

  /// Drops what never began, and answers who waits for anything.
  private func dropMail() -> [Outcome] {
    var mail = Mailbox()
    return queue.withLock {
      mailbox.isAwaited = false
      while mailbox.wakers > 0 { _ = queue.wait(untilMonotonicMs: monotonicMs() + 1) }
      swap(&mail.arrivals, &mailbox.arrivals)
      return mailbox.completions.keys.map { Outcome($0, .failure(RemoraError(.closed, "the transport was stopped"))) }
    }
  }

  private func freeHandles() {
    spare?.free()
    spare = nil
    _ = rcurl_multi_cleanup(multi)
    sockets.deinitialize(count: 1)
    sockets.deallocate()
  }
}
