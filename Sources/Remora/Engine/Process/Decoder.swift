// SPDX-License-Identifier: Apache-2.0
//
// The thread for big answers. It decodes, merges, verifies and compiles them, while the engine thread goes on with other
// jobs.

/// A queue of work that needs no exclusive right, and the thread that does it.
///
/// `@unchecked Sendable`: functions with a proof alone touch the queue.
package final class Decoder: @unchecked Sendable {
  /// Work, which returns the job that receives its result.
  typealias Work = @Sendable () -> Worker.Job

  private let lock: ProcessLock
  private let worker: Worker
  /// Held while work is done. A fork takes it; see `Worker.gate`.
  private let gate = Lock()
  /// Starts the thread; nil if somebody else runs the jobs.
  private let starter: ThreadStarter?
  private var news: Signal
  private var queue: [Work] = []
  private var thread: NamedThread?
  private var isStopped = false

  init(lock: ProcessLock, worker: Worker, startThread: ThreadStarter?) {
    self.lock = lock
    self.worker = worker
    starter = startThread
    news = lock.makeSignal()
  }

  /// Queues work, and starts the thread if there is none yet. Where no thread can start, the work becomes a job.
  func enqueue(_ locked: borrowing Locked, _ work: @escaping Work) {
    guard !isStopped else { return }
    if thread == nil { thread = try? starter?("remora-decoder") { [self] in run() } }
    guard thread != nil else { return worker.enqueue(locked) { [self] _ in finish(work) } }
    queue.append(work)
    news.wakeAfterUnlock()
  }

  /// Ends the thread after the work that it is at. The first call returns the thread, to be joined.
  func stop(_ locked: borrowing Locked) -> NamedThread? {
    guard !isStopped else { return nil }
    isStopped = true
    news.wakeAfterUnlock()
    return thread
  }

  // MARK: Fork

  func prepareFork() { gate.prepareFork() }

  func resumeParent() { gate.resumeParent() }

  /// After a fork, in the child: no thread and no work.
  func resumeChild(_ locked: borrowing Locked) {
    gate.resumeChild()
    leak(queue)
    leak(news)
    queue = []
    news = lock.makeSignal()
    thread = nil
  }

  // MARK: The thread

  private func run() {
    while let work = next() { gate.withLock { finish(work) } }
  }

  private func next() -> Work? {
    lock.withLock { _ in
      while !isStopped {
        if !queue.isEmpty { return queue.removeFirst() }
        _ = news.wait(untilMonotonicMs: nil)
      }
      return nil
    }
  }

  private func finish(_ work: Work) {
    let job = work()
    lock.withLock { worker.enqueue($0, job) }
  }
}
