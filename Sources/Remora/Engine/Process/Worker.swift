// SPDX-License-Identifier: Apache-2.0
//
// The one worker of the process: decoding, verifying, storing and publishing happen here, one job at a time.

internal import Glibc

/// Proof of the exclusive right to change sources: of a job, on the worker or on a host's thread. Only `Worker` creates
/// one.
///
/// It cannot be copied, stored or captured by an escaping closure.
package struct Exclusive: ~Copyable {
  fileprivate init() {}
}

/// A queue of jobs with times, and the thread that runs them.
///
/// `@unchecked Sendable`: functions with a proof alone touch the queue and `cachedChains`.
package final class Worker: @unchecked Sendable {
  package typealias Job = @Sendable (borrowing Exclusive) -> Void

  private let lock: ProcessLock
  /// Signalled for new jobs: the lock's own condition would wake every thread that waits for a refresh as well.
  private let news: Signal
  /// Held while a job runs, here or on another thread. A fork takes it: the Swift runtime has locks of its own, which a
  /// thread that a fork leaves behind would never release in the child.
  private let gate = Lock()
  /// Jobs that are due, the next one first.
  private var jobs: [Job] = []
  /// Jobs for later, by monotonic time.
  private var timers: [(dueMs: Int64, job: Job)] = []
  /// Starts the thread; nil if somebody else runs the jobs.
  private let startThread: ThreadStarter?
  private var isRunning = false
  private var thread: NamedThread?
  private var isStopped = false
  private var cachedChains = ChainCache()

  init(lock: ProcessLock, startThread: ThreadStarter?) {
    self.lock = lock
    self.startThread = startThread
    news = lock.makeSignal()
  }

  /// Starts the thread if there is none yet.
  func startIfNeeded(_ locked: borrowing Locked) throws(RemoraError) {
    guard !isRunning else { return }
    thread = try startThread?("remora-worker") { [self] in run() }
    isRunning = true
  }

  /// Whether jobs are done.
  func isRunning(_ locked: borrowing Locked) -> Bool { isRunning }

  /// Queues a job.
  func enqueue(_ locked: borrowing Locked, _ job: @escaping Job) {
    guard !isStopped else { return }
    jobs.append(job)
    news.wake()
  }

  /// Queues a job for a monotonic time.
  func enqueue(atMonotonicMs dueMs: Int64, _ locked: borrowing Locked, _ job: @escaping Job) {
    guard !isStopped else { return }
    timers.append((dueMs, job))
    news.wake()
  }

  /// Ends the thread after the job that is running. The first call returns the thread, to be joined.
  func stop(_ locked: borrowing Locked) -> NamedThread? {
    guard !isStopped else { return nil }
    isStopped = true
    news.wake()
    return thread
  }

  /// Verified chains.
  func chains(_ right: borrowing Exclusive) -> ChainCache { cachedChains }

  // MARK: Fork; the gate is taken before the process's lock

  func prepareFork() { gate.prepareFork() }

  func resumeParent() { gate.resumeParent() }

  /// After a fork, in the child: no thread, no jobs; what they held stays with the parent.
  func resumeChild(_ locked: borrowing Locked) {
    gate.resumeChild()
    news.resumeChild()
    leak(jobs)
    leak(timers)
    leak(cachedChains)
    jobs = []
    timers = []
    cachedChains = ChainCache()
    isRunning = false
    thread = nil
  }

  // MARK: Jobs on other threads

  /// Runs a job on the calling thread, while the worker does none. Waits for the job that is running.
  @discardableResult
  func perform<Result, Failure: Error>(
    _ job: (borrowing Exclusive) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gate.withLock { () throws(Failure) in try job(Exclusive()) }
  }

  /// Runs a short job on the calling thread as soon as no other job is running; not at all when that takes too long.
  func perform(withinMs limit: Int64, _ job: (borrowing Exclusive) -> Void) {
    let deadline = lock.monotonicMs + limit
    var isDone = false
    while true {
      gate.withLockIfFree {
        job(Exclusive())
        isDone = true
      }
      if isDone || lock.monotonicMs >= deadline { return }
      usleep(200)
    }
  }

  // MARK: The thread

  private func run() {
    while let job = next() { perform(job) }
  }

  private func next() -> Job? {
    lock.withLock { locked in
      while !isStopped {
        let nextDueMs = collectDueTimers(locked)
        if !jobs.isEmpty { return jobs.removeFirst() }
        _ = news.wait(untilMonotonicMs: nextDueMs)
      }
      return nil
    }
  }

  // MARK: Without a thread

  /// Does the next job that is due, in a runtime that starts no thread. Returns whether there was one.
  package func runNextJob() -> Bool {
    let job = lock.withLock { locked -> Job? in
      _ = collectDueTimers(locked)
      return isStopped || !isRunning || jobs.isEmpty ? nil : jobs.removeFirst()
    }
    guard let job else { return false }
    perform(job)
    return true
  }

  /// When the next job is due, by the monotonic clock; nil if none waits.
  package var nextDueMs: Int64? {
    lock.withLock { _ in
      guard isRunning, !isStopped else { return nil }
      return jobs.isEmpty ? timers.map(\.dueMs).min() : lock.monotonicMs
    }
  }

  /// Queues the jobs that are due. Returns the time of the next one.
  private func collectDueTimers(_ locked: borrowing Locked) -> Int64? {
    guard var next = timers.first?.dueMs else { return nil }
    for timer in timers where timer.dueMs < next { next = timer.dueMs }
    let now = lock.monotonicMs
    guard next <= now else { return next }
    jobs += timers.filter { $0.dueMs <= now }.sorted { $0.dueMs < $1.dueMs }.map(\.job)
    timers.removeAll { $0.dueMs <= now }
    return timers.map(\.dueMs).min()
  }
}
