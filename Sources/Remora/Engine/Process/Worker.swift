// SPDX-License-Identifier: Apache-2.0
//
// The engine thread of the process: runs the jobs of all sources, one at a time, and drives the connections between
// jobs.

/// Proof of the exclusive right to change sources. A job has it, on the engine thread or on a thread of the host. It
/// cannot be stored, returned, or captured by an escaping closure.
package enum Exclusive: ~Escapable {
  case held(Key)

  /// Only `Worker` creates one. A test checks that no other file takes it out of a proof.
  package struct Key { fileprivate init() {} }
}

/// A queue of jobs, some for later times, and the thread that runs them.
package final class Worker: Sendable {
  package typealias Job = @Sendable (Exclusive) -> Void

  private struct State {
    /// The jobs that are due, in order.
    var jobs = Queue<Job>()
    var timers = Timers()
    var isRunning = false
    var thread: NamedThread?
    /// Whether the thread is waiting in the poller, or is about to.
    var isIdle = false
    var isStopped = false

    /// Removes and returns the next job that is due.
    mutating func removeNext() -> Job? { isStopped ? nil : jobs.removeFirst() }

    /// Queues the jobs that are due. Returns the machine's time of the next job.
    mutating func collectDueTimers(lock: ProcessLock) -> Int64? {
      guard !timers.isEmpty else { return nil }
      for job in timers.removeDue(lock.monotonicMs) { jobs.append(job) }
      return timers.nextDueMs
    }
  }

  private let lock: ProcessLock
  private let poller: EnginePoller
  /// Held while a job runs, on any thread. A fork takes it before the fork gate: host threads run jobs outside the
  /// gate.
  private let gate = Lock()
  /// Starts the thread; nil if the creator of the runtime runs the jobs.
  private let starter: ThreadStarter?
  private let state = Guarded(State())
  /// The cache of verified chains. A fork, which holds the gate, creates a new one in the child.
  private let cachedChains = Confined(ChainCache())

  init(lock: ProcessLock, poller: EnginePoller, startThread: ThreadStarter?) {
    self.lock = lock
    self.poller = poller
    starter = startThread
  }

  /// Starts the thread if necessary. It drives the poller.
  func startThread(_ locked: Locked) throws(RemoraError) {
    guard state[locked].thread == nil else { return }
    let thread = try starter?("remora-engine") { [self] in run() }
    state[locked].thread = thread
  }

  /// Starts the thread if necessary, and the running of jobs.
  func startIfNeeded(_ locked: Locked) throws(RemoraError) {
    try startThread(locked)
    state[locked].isRunning = true
  }

  func isRunning(_ locked: Locked) -> Bool { state[locked].isRunning }

  func enqueue(_ locked: Locked, _ job: @escaping Job) {
    guard !state[locked].isStopped else { return }
    state[locked].jobs.append(job)
    wake(locked)
  }

  func enqueue(atMonotonicMs dueMs: Int64, _ locked: Locked, _ job: @escaping Job) {
    add(Timer(dueMs: dueMs, job: job), locked)
  }

  /// Queues a job for a time of the host's clock; nil means the machine's. Returns its timer, which can be cancelled.
  func enqueue(
    afterMs delay: Int64, by clock: HostClock?, _ locked: Locked, _ job: @escaping Job
  ) -> Timer {
    let now = clock?.monotonicMs ?? lock.monotonicMs
    let timer = Timer(dueMs: now.addingClamped(delay), clock: clock, job: job)
    add(timer, locked)
    return timer
  }

  /// Removes a timer from the queue, and releases its job. Has no effect once the timer is due.
  func cancel(_ timer: Timer, _ locked: Locked) { state[locked].timers.remove(timer) }

  private func add(_ timer: Timer, _ locked: Locked) {
    guard !state[locked].isStopped else { return }
    state[locked].timers.add(timer)
    wake(locked)
  }

  /// Queues the jobs that are due by now, after the clock of a host has changed.
  func collectTimers(_ locked: Locked) {
    _ = state[locked].collectDueTimers(lock: lock)
    wake(locked)
  }

  /// Starts a request and queues a job with its response.
  func send(
    _ request: HTTPRequest, by transport: any Transport, _ locked: Locked,
    then receive: @escaping @Sendable (Result<HTTPResponse, RemoraError>, Exclusive) -> Void
  ) throws(RemoraError) -> TransferID {
    try transport.start(request) { [self] answer in lock.withLock { enqueue($0) { receive(answer, $0) } } }
  }

  /// Stops the thread after the running job. The first call returns the thread, to be joined.
  func stop(_ locked: Locked) -> NamedThread? {
    guard !exchange(&state[locked].isStopped, true) else { return nil }
    wake(locked)
    return state[locked].thread
  }

  private func wake(_ locked: Locked) {
    if exchange(&state[locked].isIdle, false) { lock.wakeAfterUnlock(poller, locked) }
  }

  func chains(_ exclusive: Exclusive) -> ChainCache { cachedChains[exclusive] }

  // MARK: Fork; the gate is taken before the fork gate

  func prepareFork() { gate.prepareFork() }

  func resumeParent() { gate.resumeParent() }

  /// Called after a fork, in the child, which has no thread and no jobs; what the jobs captured belongs to the parent.
  /// Runs `body` with the exclusive right: this is the only thread of the child, and the gate was held during the fork.
  func resumeChild(_ locked: Locked, _ body: (Exclusive) -> Void) {
    gate.resumeChild()
    state.with(locked) { state in
      leak(state.jobs)
      leak(state.timers)
      let isStopped = state.isStopped
      state = State()
      state.isStopped = isStopped
    }
    let exclusive = Exclusive.held(Exclusive.Key())
    leak(exchange(&cachedChains[exclusive], ChainCache()))
    body(exclusive)
  }

  // MARK: Jobs on other threads

  /// Checks that the calling thread may wait for jobs. A host's transport, which a job calls, would wait for itself.
  ///
  /// - Throws: `.busy`.
  func requireOtherThread(_ locked: Locked) throws(RemoraError) {
    guard state[locked].thread?.isCurrent == true else { return }
    throw RemoraError(.busy, "a function of a transport cannot wait for requests, because requests wait for it")
  }

  /// Runs a job on the calling thread, after the running job; the engine thread runs no job meanwhile.
  @discardableResult
  func perform<Result, Failure: Error>(
    _ job: (Exclusive) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gate.withOuterLock { () throws(Failure) in try job(.held(Exclusive.Key())) }
  }

  /// Runs a short job on the calling thread as soon as no other job is running; does nothing on timeout.
  func perform(withinMs limit: Int64, _ job: (Exclusive) -> Void) {
    gate.withLock(withinMs: limit) { job(.held(Exclusive.Key())) }
  }

  // MARK: The thread

  private func run() {
    repeat {
      for _ in 0..<countDue() { runNext() }
      poller.turn()
    } while pause()
    poller.turn()
  }

  /// Returns the number of jobs that are due. Jobs that they queue run after the next turn of the poller.
  private func countDue() -> Int {
    lock.withLock { locked in
      state.with(locked) { state in
        state.isIdle = false
        _ = state.collectDueTimers(lock: lock)
        return state.isStopped ? 0 : state.jobs.count
      }
    }
  }

  /// Runs a job. While a thread of the host has the exclusive right, the connections are driven from time to time.
  private func runNext() {
    // Released without the gate, because releasing what a job captured may call the host.
    var job: Job?
    var isDone = false
    while !isDone {
      gate.withLock(withinMs: 50) {
        job = lock.withLock { state.with($0) { $0.removeNext() } }
        job?(.held(Exclusive.Key()))
        isDone = true
      }
      if !isDone { poller.turn() }
    }
  }

  /// Waits until a job is due or the poller has something to do. Returns false once the thread was stopped.
  private func pause() -> Bool {
    let (isOver, waits, dueMs) = lock.withLock { locked in
      state.with(locked) { state -> (Bool, Bool, Int64?) in
        let dueMs = state.collectDueTimers(lock: lock)
        state.isIdle = !state.isStopped && state.jobs.isEmpty
        return (state.isStopped, state.isIdle, dueMs)
      }
    }
    if waits { poller.wait(untilMonotonicMs: dueMs) }
    return !isOver
  }

  // MARK: Without a thread

  /// Runs the next job that is due, in a runtime without a thread. Returns whether there was one.
  package func runNextJob() -> Bool {
    let job = lock.withLock { locked in
      state.with(locked) { state -> Job? in
        _ = state.collectDueTimers(lock: lock)
        return state.isRunning ? state.removeNext() : nil
      }
    }
    guard let job else { return false }
    perform(job)
    return true
  }

  /// The monotonic time at which the next job is due; nil if none is queued.
  package var nextDueMs: Int64? {
    lock.withLock { locked in
      state.with(locked) { state in
        guard state.isRunning, !state.isStopped else { return nil }
        return state.jobs.isEmpty ? state.timers.nextDueMs : lock.monotonicMs
      }
    }
  }
}
