// SPDX-License-Identifier: Apache-2.0
//
// A thread for large responses. It decodes them while they arrive, and merges, verifies and compiles them, while the
// engine thread runs other jobs.

/// A queue of work that needs no exclusive right, and the thread that runs it.
package final class DecoderThread: Sendable {
  /// A piece of work, which does not wait; returns the job that receives its result, if it has one.
  typealias Work = @Sendable () -> Worker.Job?

  private struct State {
    var news: Signal
    var queue: [Work] = []
    /// The number of unfinished pieces of work that became jobs, because no thread could start.
    var jobs = 0
    var thread: NamedThread?
    var isStopped = false
  }

  private let lock: ProcessLock
  private let worker: Worker
  /// Starts the thread; nil if the creator of the runtime runs the jobs.
  private let starter: ThreadStarter?
  private let state: Guarded<State>

  init(lock: ProcessLock, worker: Worker, startThread: ThreadStarter?) {
    self.lock = lock
    self.worker = worker
    starter = startThread
    state = Guarded(State(news: lock.makeSignal()))
  }

  /// Queues work, and starts the thread if necessary. If no thread can start, the work becomes a job, and so does later
  /// work until that job is done: no two threads process parts of the same document.
  func enqueue(_ locked: Locked, _ work: @escaping Work) {
    guard !state[locked].isStopped else { return }
    if state[locked].thread == nil, !isReplaced(locked) {
      let thread = try? starter?("remora-decoder") { [self] in run() }
      state[locked].thread = thread
    }
    guard state[locked].thread != nil else {
      state[locked].jobs += 1
      return worker.enqueue(locked) { [self] _ in
        finish(work)
        lock.withLock { state.with($0) { $0.jobs -= 1 } }
      }
    }
    state[locked].queue.append(work)
    state[locked].news.wakeAfterUnlock()
  }

  /// Whether jobs of the engine thread do the work at present.
  func isReplaced(_ locked: Locked) -> Bool { state[locked].jobs > 0 }

  /// Stops the thread after its current work. The first call returns the thread, to be joined.
  func stop(_ locked: Locked) -> NamedThread? {
    guard !exchange(&state[locked].isStopped, true) else { return nil }
    state[locked].news.wakeAfterUnlock()
    return state[locked].thread
  }

  // MARK: Fork

  /// Called after a fork, in the child, which has no thread and no work.
  func resumeChild(_ locked: Locked) {
    state.with(locked) { state in
      leak(state.queue)
      leak(state.news)
      (state.queue, state.jobs, state.news, state.thread) = ([], 0, lock.makeSignal(), nil)
    }
  }

  // MARK: The thread

  private func run() {
    while let work = next() { finish(work) }
  }

  private func next() -> Work? {
    lock.withLock { locked in
      while !state[locked].isStopped {
        if let work = state.with(locked, { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) { return work }
        _ = state[locked].news.wait(untilMonotonicMs: nil)
      }
      return nil
    }
  }

  private func finish(_ work: Work) {
    guard let job = work() else { return }
    lock.withLock { worker.enqueue($0, job) }
  }
}
