// SPDX-License-Identifier: Apache-2.0
//
// The one worker of the process: decoding, verifying, storing and publishing happen here, one job at a time.

internal import Glibc

/// A queue of jobs with times, and the thread that runs them.
///
/// Concurrency: the queue is guarded by the process's lock; `chains` belongs to the jobs, which `gate` keeps apart.
/// `@unchecked Sendable` for that reason.
package final class Worker: @unchecked Sendable {
  package typealias Job = @Sendable () -> Void

  private let lock: Lock
  /// Told of jobs: the lock's own condition would wake everybody who waits for a refresh as well.
  private let news: Signal
  /// Held while a job runs, here or on another thread. A fork takes it: the Swift runtime has locks of its own, which a
  /// thread that a fork leaves behind would never give back in the child.
  private let gate = Lock()
  /// Jobs that are due, the next one first.
  private var jobs: [Job] = []
  /// Jobs for later, by monotonic time.
  private var timers: [(dueMs: Int64, job: Job)] = []
  private var thread: NamedThread?
  private var isStopped = false
  /// Verified chains. Only jobs touch it.
  package private(set) var chains = ChainCache()

  init(lock: Lock) {
    self.lock = lock
    news = Signal(of: lock)
  }

  // MARK: Inside the lock

  /// Starts the thread if there is none yet.
  func startIfNeeded() throws(RemoraError) {
    guard thread == nil else { return }
    thread = try NamedThread.start(name: "remora-worker") { [self] in run() }
  }

  /// Whether there is a thread.
  var isRunning: Bool { thread != nil }

  /// Queues a job.
  func enqueue(_ job: @escaping Job) {
    guard !isStopped else { return }
    jobs.append(job)
    news.wake()
  }

  /// Queues a job for a monotonic time.
  func enqueue(atMonotonicMs dueMs: Int64, _ job: @escaping Job) {
    guard !isStopped else { return }
    timers.append((dueMs, job))
    news.wake()
  }

  /// Ends the thread after the job that is running, and gives it to join, the first time.
  func stop() -> NamedThread? {
    guard !isStopped else { return nil }
    isStopped = true
    news.wake()
    return thread
  }

  // MARK: Fork; the gate is taken before the process's lock

  func prepareFork() { gate.prepareFork() }

  func resumeParent() { gate.resumeParent() }

  /// After a fork, in the child: no thread, no jobs; what they held stays with the parent.
  func resumeChild() {
    gate.resumeChild()
    news.resumeChild()
    leak(jobs)
    leak(timers)
    leak(chains)
    jobs = []
    timers = []
    chains = ChainCache()
    thread = nil
  }

  // MARK: Jobs on other threads

  /// Runs a job on the calling thread, while the worker does none. Not inside the lock, and not in a job.
  @discardableResult
  func perform<Result, Failure: Error>(_ job: () throws(Failure) -> Result) throws(Failure) -> Result {
    try gate.withLock(job)
  }

  /// Runs a short job on the calling thread as soon as no other job is running; not at all when that takes too long.
  func perform(withinMs limit: Int64, _ job: () -> Void) {
    let deadline = monotonicMs() + limit
    var isDone = false
    while true {
      gate.withLockIfFree {
        job()
        isDone = true
      }
      if isDone || monotonicMs() >= deadline { return }
      usleep(200)
    }
  }

  // MARK: The thread

  private func run() {
    while let job = next() { gate.withLock(job) }
  }

  private func next() -> Job? {
    lock.withLock {
      while !isStopped {
        let nextDueMs = collectDueTimers()
        if !jobs.isEmpty { return jobs.removeFirst() }
        news.wait(untilMonotonicMs: nextDueMs)
      }
      return nil
    }
  }

  /// Queues what is due, and gives the time at which there will be more.
  private func collectDueTimers() -> Int64? {
    guard var next = timers.first?.dueMs else { return nil }
    for timer in timers where timer.dueMs < next { next = timer.dueMs }
    let now = monotonicMs()
    guard next <= now else { return next }
    jobs += timers.filter { $0.dueMs <= now }.sorted { $0.dueMs < $1.dueMs }.map(\.job)
    timers.removeAll { $0.dueMs <= now }
    return timers.map(\.dueMs).min()
  }
}
