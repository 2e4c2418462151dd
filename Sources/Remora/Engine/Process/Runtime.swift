// SPDX-License-Identifier: Apache-2.0
//
// What a process has once: the lock, the worker, the transport, the open clients, and their way through fork and exit.

/// The process-wide state.
///
/// Concurrency: `lock` guards everything mutable of the engine: this object's state, clients, sources, runs, tickets,
/// subscriptions and queues. It is held for moments: never across I/O, a callback, or a call that could wait; the one
/// exception is the loading of libcurl and libcrypto, which must not happen while another thread forks.
/// `@unchecked Sendable` for that reason.
package final class Runtime: @unchecked Sendable {
  /// The runtime of this process.
  package static let shared = Runtime()

  /// Guards the state of the engine.
  package let lock = Lock()
  /// Runs everything behind gather.
  let worker: Worker
  /// The process's connections. `loadLibraries` comes before its first request.
  let transport = CurlTransport(clock: SystemClock())
  /// Held by threads that run callbacks, outside of the lock and of the host's code; see `Worker.gate`.
  let callbackGate = Lock()
  /// Open clients.
  private(set) var members: [any ProcessMember] = []
  /// Callbacks that are running now; a client that was closed inside its callback is not open any more.
  private var callbacks: [ObjectIdentifier: any RunningCallback] = [:]
  private var areForkHandlersSet = false
  private var isExitHandlerSet = false
  private var areLibrariesLoaded = false
  /// Seeds the hash tables of images where no storage directory does. A forked child keeps it.
  package let hashSeed = HashSeed.random()
  /// How many forks lie between this process and the one that loaded the library.
  private(set) var forkGeneration = 0
  /// What pre-connects came to while no client had a log.
  var preconnectLines: [(level: LogLevel, text: String)] = []
  /// Set by the exit handler: no thread starts any more.
  private(set) var isExiting = false

  private init() { worker = Worker(lock: lock) }

  // MARK: Inside the lock

  /// Registers the fork handlers, once.
  func handleForks() {
    guard !areForkHandlersSet else { return }
    setForkHandlers()
    areForkHandlersSet = true
  }

  /// Registers a client.
  func add(_ member: any ProcessMember) {
    handleForks()
    members.append(member)
  }

  func remove(_ member: any ProcessMember) { members.removeAll { $0 === member } }

  /// Notes that a callback begins.
  func begin(_ callback: any RunningCallback) { callbacks[ObjectIdentifier(callback)] = callback }

  /// Notes that a callback has ended.
  func end(_ callback: any RunningCallback) { callbacks[ObjectIdentifier(callback)] = nil }

  /// Whether the calling thread is inside a callback of any client.
  var isInsideCallback: Bool { callbacks.values.contains { $0.isOnThisThread } }

  /// Makes sure that a thread may start: its end at exit is seen to first.
  ///
  /// - Throws: `.closed` while the process exits.
  func requireThreadsAllowed() throws(RemoraError) {
    guard !isExiting else { throw .exiting }
    guard !isExitHandlerSet else { return }
    try setExitHandler()
    isExitHandlerSet = true
  }

  /// Makes sure that libcurl and libcrypto are there. The exit handler is registered before them, so that an exit waits
  /// for what is being loaded; and behind them: handlers run last in, first out, and ours must stop our threads before
  /// one of theirs takes down what they use.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func loadLibraries() throws(RemoraError) {
    guard !areLibrariesLoaded else { return }
    try requireThreadsAllowed()
    try Libcrypto.load()
    try CurlLibrary.load()
    Libcrypto.leaveThread()
    areLibrariesLoaded = true
    try setExitHandler()
  }

  /// Makes sure that the worker runs.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func startWorker() throws(RemoraError) {
    // Also for a worker that runs: at exit it does no job any more.
    try requireThreadsAllowed()
    guard !worker.isRunning else { return }
    try worker.startIfNeeded()
    for member in members { try member.noteWorkerStart() }
    look(afterMs: 0)
  }

  // MARK: Once a second, while there is a worker

  private func look(afterMs delay: Int64) {
    worker.enqueue(atMonotonicMs: monotonicMs() + delay) { [self] in
      for member in lock.withLock({ members }) { member.look() }
      lock.withLock { look(afterMs: 1000) }
    }
  }

  // MARK: Exit

  /// Stops and joins all threads but the calling one, within 200 ms, and answers those who wait for them: an exit
  /// handler of the host's may be waiting for one of these. Handlers of the host's may also still close clients.
  func exit() {
    let deadline = monotonicMs() + 200
    let threads: [NamedThread?] = lock.withLock {
      // The handler may be registered twice.
      guard !isExiting else { return [] }
      isExiting = true
      for member in members { leak(member.endWaits()) }
      lock.broadcast()
      // A client that was closed inside its own callback is among these alone.
      let threads = members.map { $0.stopCallbacks() } + callbacks.values.map { $0.stop() }
      return [worker.stop()] + threads
    }
    guard !threads.isEmpty else { return }
    _ = transport.stop(untilMonotonicMs: deadline, forGood: true)
    for thread in threads {
      guard let thread, !thread.isCurrent else { continue }
      _ = thread.join(untilMonotonicMs: deadline)
    }
  }

  // MARK: Fork

  /// The order in which locks are taken everywhere: the gates, which our threads hold while they work; the process's
  /// lock; and what is taken while that is held.
  func prepareFork() {
    worker.prepareFork()
    callbackGate.prepareFork()
    transport.prepareForkGate()
    lock.prepareFork()
    transport.prepareForkQueue()
    StorageDirectory.prepareFork()
  }

  func resumeParent() {
    StorageDirectory.resumeParent()
    transport.resumeParent()
    lock.resumeParent()
    callbackGate.resumeParent()
    worker.resumeParent()
  }

  func resumeChild() {
    StorageDirectory.resumeChild()
    lock.resumeChild()
    transport.resumeChild()
    callbackGate.resumeChild()
    worker.resumeChild()
    forkGeneration += 1
    leak(callbacks)
    callbacks.removeAll()
    for member in members { member.resumeChild() }
  }
}
