// SPDX-License-Identifier: Apache-2.0
//
// The process-wide state: the engine lock, the threads, the transport, the open clients, and the handling of fork and
// exit.

package final class Runtime: Sendable {
  private struct State {
    var members: [any ProcessMember] = []
    /// The running callbacks, including those of clients that were closed during the callback.
    var callbacks: [ObjectIdentifier: any RunningCallback] = [:]
    var areForkHandlersSet = false
    /// Whether the exit handler was registered for the calls of the host.
    var isExitHandled = false
    /// Whether it was registered for the threads.
    var isExitHandlerSet = false
    var areLibrariesLoaded = false
    /// The number of forks between the process that loaded the library and this one.
    var forkGeneration = 0
    /// Set by the exit handler; then no thread starts any more.
    var isExiting = false
  }

  package static let shared = Runtime()

  package let lock: ProcessLock
  /// Runs the jobs of all sources.
  package let worker: Worker
  let decoder: DecoderThread
  /// The process's connections. `loadLibraries` is called before its first request.
  let transport: CurlTransport
  /// The locks of the storage directories. Created before any other thread can use it.
  private let lockFiles = LockFiles.shared
  package let hostRequests: HostRequests
  /// Seeds the hash tables of images that have no storage directory. A forked child keeps it.
  package let hashSeed = HashSeed.random()
  /// The results of pre-connects while no client had a log.
  let preconnectLines = Guarded<[(level: LogLevel, text: String)]>([])
  private let process: ProcessServices
  private let state = Guarded(State())

  /// Creates the runtime of the process, or of a simulated one.
  package init(_ process: ProcessServices = ProcessServices()) {
    self.process = process
    lock = ProcessLock(time: process.time)
    let transport = CurlTransport(clock: SystemClock())
    self.transport = transport
    hostRequests = HostRequests { transport.wake() }
    worker = Worker(
      lock: lock, poller: EnginePoller(transport, hostRequests), startThread: process.startThread)
    decoder = DecoderThread(lock: lock, worker: worker, startThread: process.startThread)
  }

  /// Registers the fork handlers, once.
  func handleForks(_ locked: Locked) {
    guard !state[locked].areForkHandlersSet else { return }
    process.setForkHandlers()
    state[locked].areForkHandlersSet = true
  }

  func add(_ member: any ProcessMember, _ locked: Locked) {
    handleForks(locked)
    if !exchange(&state[locked].isExitHandled, true) {
      // From now on the library may call the host. Fails only if all exit handlers have run.
      try? process.setExitHandler()
    }
    state[locked].members.append(member)
  }

  func remove(_ member: any ProcessMember, _ locked: Locked) {
    state[locked].members.removeAll { $0 === member }
  }

  /// Returns the open clients, in memory of their own: ThreadSanitizer does not see that the release of a shared array
  /// comes before its next change in place.
  func members(_ locked: Locked) -> [any ProcessMember] { state[locked].members.map { $0 } }

  func begin(_ callback: any RunningCallback, _ locked: Locked) {
    state[locked].callbacks[ObjectIdentifier(callback)] = callback
  }

  func end(_ callback: any RunningCallback, _ locked: Locked) {
    state[locked].callbacks[ObjectIdentifier(callback)] = nil
  }

  /// Whether the calling thread runs a callback of any client.
  func isInsideCallback(_ locked: Locked) -> Bool {
    for callback in state[locked].callbacks.values where callback.isOnThisThread(locked) { return true }
    return false
  }

  /// Returns the number of forks between the process that loaded the library and this one.
  func forkGeneration(_ locked: Locked) -> Int { state[locked].forkGeneration }

  /// Whether the process is exiting, so that no thread starts any more.
  func isExiting(_ locked: Locked) -> Bool { state[locked].isExiting }

  package var isExiting: Bool { lock.withLock { isExiting($0) } }

  /// Prepares starting a thread: registers the exit handler that stops it.
  ///
  /// - Throws: `.closed` if the process is exiting.
  func requireThreadsAllowed(_ locked: Locked) throws(RemoraError) {
    guard !isExiting(locked) else { throw .exiting }
    guard !state[locked].isExitHandlerSet else { return }
    try process.setExitHandler()
    state[locked].isExitHandlerSet = true
  }

  /// Loads libcurl and libcrypto if necessary. The exit handler is registered before, so that an exit waits for the
  /// loading, and again afterwards. Handlers run last in, first out, and Remora's must stop its threads before
  /// OpenSSL's frees what they use.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func loadLibraries(_ locked: Locked) throws(RemoraError) {
    guard !state[locked].areLibrariesLoaded else { return }
    try requireThreadsAllowed(locked)
    try process.loadLibraries()
    state[locked].areLibrariesLoaded = true
    try process.setExitHandler()
  }

  /// Starts the engine thread if necessary, for a request that no job sends.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func startEngine(_ locked: Locked) throws(RemoraError) {
    try requireThreadsAllowed(locked)
    try worker.startThread(locked)
  }

  /// Starts the engine thread if necessary, and its work of every second.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func startWorker(_ locked: Locked) throws(RemoraError) {
    // Checked for a running thread too, which runs no jobs while the process is exiting.
    try requireThreadsAllowed(locked)
    guard !worker.isRunning(locked) else { return }
    try worker.startIfNeeded(locked)
    for member in members(locked) { member.noteWorkerStart(locked) }
    doEverySecond(afterMs: 0, locked)
  }

  // MARK: Once a second, while the engine thread runs

  private func doEverySecond(afterMs delay: Int64, _ locked: Locked) {
    worker.enqueue(atMonotonicMs: lock.monotonicMs + delay, locked) { [self] exclusive in
      for member in lock.withLock({ members($0) }) { member.everySecond(exclusive) }
      lock.withLock { doEverySecond(afterMs: 1000, $0) }
    }
  }

  // MARK: Exit

  /// Stops and joins all threads except the calling one, until a monotonic time, and ends the waits for them, because
  /// an exit handler of the host may be waiting. The host's exit handlers may still close clients.
  func exit(untilMonotonicMs deadline: Int64) {
    let threads: [NamedThread?] = lock.withLock { locked in
      state[locked].isExiting = true
      let (members, callbacks) = state.with(locked) { ($0.members, $0.callbacks.values) }
      for member in members { leak(member.endWaits(locked)) }
      var threads = [worker.stop(locked), decoder.stop(locked)]
      for member in members { threads.append(member.stopCallbacks(locked)) }
      // Clients that were closed during their own callback are found only here.
      for callback in callbacks { threads.append(callback.stop(locked)) }
      return threads
    }
    hostRequests.stop()
    _ = transport.stop(untilMonotonicMs: deadline, forGood: true)
    for thread in threads {
      guard let thread, !thread.isCurrent else { continue }
      // A thread that still runs must not use libcurl after the process has shut it down.
      if !thread.join(untilMonotonicMs: deadline) { transport.abandon() }
    }
  }

  // MARK: Fork

  /// Takes all locks, in the order used everywhere: the exclusive right, the fork gate, the engine lock, and the locks
  /// that are taken while that is held.
  func prepareFork() {
    ForkGate.outside { worker.prepareFork() }
    ForkGate.prepareFork()
    lock.prepareFork()
    hostRequests.prepareFork()
    transport.prepareFork()
    lockFiles.prepareFork()
  }

  func resumeParent() {
    lockFiles.resumeParent()
    transport.resumeParent()
    hostRequests.resumeParent()
    lock.resumeParent()
    ForkGate.resumeParent()
    worker.resumeParent()
  }

  func resumeChild() {
    lockFiles.resumeChild()
    HostCalling.resumeChild()
    lock.resumeChild { locked in
      transport.resumeChild()
      hostRequests.resumeChild()
      decoder.resumeChild(locked)
      state.with(locked) { state in
        state.forkGeneration += 1
        leak(state.callbacks)
        state.callbacks.removeAll()
      }
      worker.resumeChild(locked) { exclusive in
        for member in members(locked) { member.resumeChild(locked, exclusive) }
      }
    }
    ForkGate.resumeChild()
  }
}

// The objects that fork and exit affect: clients, and running callbacks. The runtime knows them only by these
// protocols.

/// A client, as the runtime sees it.
protocol ProcessMember: AnyObject, Sendable {
  /// Called once a second while the engine thread runs.
  func everySecond(_ exclusive: Exclusive)
  func noteWorkerStart(_ locked: Locked)
  /// Ends all waits of callers because the process exits. The result is leaked.
  func endWaits(_ locked: Locked) -> [Any]
  /// Stops the thread of the callbacks, and returns it to be joined.
  func stopCallbacks(_ locked: Locked) -> NamedThread?
  /// Called after a fork, in the child.
  func resumeChild(_ locked: Locked, _ exclusive: Exclusive)
}

/// A running callback, as the runtime sees it.
protocol RunningCallback: AnyObject, Sendable {
  func isOnThisThread(_ locked: Locked) -> Bool
  /// Stops the callback thread of a client that was closed during the callback, and returns it to be joined.
  func stop(_ locked: Locked) -> NamedThread?
}
