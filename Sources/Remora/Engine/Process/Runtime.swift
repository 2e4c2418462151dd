// SPDX-License-Identifier: Apache-2.0
//
// What a process has once: the lock, the threads, the transport, the open clients, and their way through fork and exit.

/// The process-wide state.
package final class Runtime: Sendable {
  private struct State {
    /// Open clients.
    var members: [any ProcessMember] = []
    /// Callbacks that are running now; a client that was closed during its callback is not open any more.
    var callbacks: [ObjectIdentifier: any RunningCallback] = [:]
    var areForkHandlersSet = false
    var isExitHandlerSet = false
    var areLibrariesLoaded = false
    /// How many forks lie between this process and the one that loaded the library.
    var forkGeneration = 0
    /// Set by the exit handler: no thread starts any more.
    var isExiting = false
  }

  /// The runtime of this process.
  package static let shared = Runtime()

  /// The lock of the engine.
  package let lock: ProcessLock
  /// Runs everything behind gather.
  package let worker: Worker
  /// Decodes big answers.
  let decoder: DecoderThread
  /// The process's connections. `loadLibraries` is called before its first request.
  let transport: CurlTransport
  /// Held by threads that run callbacks, except during the host's code; see `Worker.gate`.
  let callbackGate = Lock()
  /// Seeds the hash tables of images where no storage directory does. A forked child keeps it.
  package let hashSeed = HashSeed.random()
  /// The results of pre-connects while no client had a log.
  let preconnectLines = Guarded<[(level: LogLevel, text: String)]>([])
  /// What it takes from the process.
  private let process: ProcessServices
  private let state = Guarded(State())

  /// Makes the runtime of the process, or of a simulated one.
  package init(_ process: ProcessServices = ProcessServices()) {
    self.process = process
    lock = ProcessLock(time: process.time)
    transport = CurlTransport(clock: SystemClock())
    worker = Worker(lock: lock, poller: transport, startThread: process.startThread)
    decoder = DecoderThread(lock: lock, worker: worker, startThread: process.startThread)
  }

  /// Registers the fork handlers, once.
  func handleForks(_ locked: borrowing Locked) {
    guard !state.read(locked, \.areForkHandlersSet) else { return }
    process.setForkHandlers()
    state.set(locked, \.areForkHandlersSet, to: true)
  }

  /// Registers a client.
  func add(_ member: any ProcessMember, _ locked: borrowing Locked) {
    handleForks(locked)
    state.with(locked) { $0.members.append(member) }
  }

  func remove(_ member: any ProcessMember, _ locked: borrowing Locked) {
    state.with(locked) { $0.members.removeAll { $0 === member } }
  }

  /// The open clients.
  func members(_ locked: borrowing Locked) -> [any ProcessMember] { state.read(locked, \.members) }

  /// Notes that a callback begins.
  func begin(_ callback: any RunningCallback, _ locked: borrowing Locked) {
    state.with(locked) { $0.callbacks[ObjectIdentifier(callback)] = callback }
  }

  /// Notes that a callback has ended.
  func end(_ callback: any RunningCallback, _ locked: borrowing Locked) {
    state.with(locked) { $0.callbacks[ObjectIdentifier(callback)] = nil }
  }

  /// Calls the host, on a thread that runs callbacks: nothing of ours is held meanwhile.
  package static func callHost(_ host: () -> Void) { shared.callbackGate.withoutLock(host) }

  /// Whether the calling thread runs a callback of any client.
  func isInsideCallback(_ locked: borrowing Locked) -> Bool {
    for callback in state.read(locked, \.callbacks).values where callback.isOnThisThread(locked) { return true }
    return false
  }

  /// How many forks lie between this process and the one that loaded the library.
  func forkGeneration(_ locked: borrowing Locked) -> Int { state.read(locked, \.forkGeneration) }

  /// Whether the process exits: no thread starts any more.
  func isExiting(_ locked: borrowing Locked) -> Bool { state.read(locked, \.isExiting) }

  /// Whether the process exits.
  package var isExiting: Bool { lock.withLock { isExiting($0) } }

  /// Makes sure that a thread may start: its end at exit is seen to first.
  ///
  /// - Throws: `.closed` while the process exits.
  func requireThreadsAllowed(_ locked: borrowing Locked) throws(RemoraError) {
    guard !isExiting(locked) else { throw .exiting }
    guard !state.read(locked, \.isExitHandlerSet) else { return }
    try process.setExitHandler()
    state.set(locked, \.isExitHandlerSet, to: true)
  }

  /// Makes sure that libcurl and libcrypto are there. The exit handler is registered before them, so that an exit waits
  /// for what is being loaded; and behind them: handlers run last in, first out, and ours must stop our threads before
  /// one of theirs takes down what they use.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func loadLibraries(_ locked: borrowing Locked) throws(RemoraError) {
    guard !state.read(locked, \.areLibrariesLoaded) else { return }
    try requireThreadsAllowed(locked)
    try process.loadLibraries()
    state.set(locked, \.areLibrariesLoaded, to: true)
    try process.setExitHandler()
  }

  /// Makes sure that a thread drives the connections, for a request that no job sends.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func startEngine(_ locked: borrowing Locked) throws(RemoraError) {
    try requireThreadsAllowed(locked)
    try worker.startThread(locked)
  }

  /// Makes sure that the worker runs.
  ///
  /// - Throws: `.unavailable`, `.closed`.
  func startWorker(_ locked: borrowing Locked) throws(RemoraError) {
    // Also for a worker that runs: at exit it does no job any more.
    try requireThreadsAllowed(locked)
    guard !worker.isRunning(locked) else { return }
    try worker.startIfNeeded(locked)
    for member in members(locked) { try member.noteWorkerStart(locked) }
    doEverySecond(afterMs: 0, locked)
  }

  // MARK: Once a second, while there is a worker

  private func doEverySecond(afterMs delay: Int64, _ locked: borrowing Locked) {
    worker.enqueue(atMonotonicMs: lock.monotonicMs + delay, locked) { [self] right in
      for member in lock.withLock({ members($0) }) { member.everySecond(right) }
      lock.withLock { doEverySecond(afterMs: 1000, $0) }
    }
  }

  // MARK: Exit

  /// Stops and joins all threads but the calling one, within 200 ms, and answers those who wait for them: an exit
  /// handler of the host's may be waiting for one of these. Handlers of the host's may also still close clients.
  func exit() {
    let deadline = lock.monotonicMs + 200
    let threads: [NamedThread?] = lock.withLock { locked in
      // The handler may be registered twice.
      guard !isExiting(locked) else { return [] }
      state.set(locked, \.isExiting, to: true)
      let (members, callbacks) = state.with(locked) { ($0.members, $0.callbacks.values) }
      for member in members { leak(member.endWaits(locked)) }
      var threads = [worker.stop(locked), decoder.stop(locked)]
      for member in members { threads.append(member.stopCallbacks(locked)) }
      // A client that was closed during its own callback is among these alone.
      for callback in callbacks { threads.append(callback.stop(locked)) }
      return threads
    }
    guard !threads.isEmpty else { return }
    _ = transport.stop(untilMonotonicMs: deadline, forGood: true)
    for thread in threads {
      guard let thread, !thread.isCurrent else { continue }
      // What is not over by now must not use libcurl when the process has ended it.
      if !thread.join(untilMonotonicMs: deadline) { transport.abandon() }
    }
  }

  // MARK: Fork

  /// The order in which locks are taken everywhere: the gates, which our threads hold while they work; the process's
  /// lock; and what is taken while that is held.
  func prepareFork() {
    // First, as a decoding may take long, and nobody has to wait for a gate meanwhile.
    decoder.prepareFork()
    worker.prepareFork()
    callbackGate.prepareFork()
    transport.prepareForkGate()
    lock.prepareFork()
    transport.prepareForkQueue()
    DirectoryRegistry.shared.prepareFork()
  }

  func resumeParent() {
    DirectoryRegistry.shared.resumeParent()
    transport.resumeParent()
    lock.resumeParent()
    callbackGate.resumeParent()
    worker.resumeParent()
    decoder.resumeParent()
  }

  func resumeChild() {
    DirectoryRegistry.shared.resumeChild()
    lock.resumeChild { locked in
      transport.resumeChild()
      callbackGate.resumeChild()
      worker.resumeChild(locked)
      decoder.resumeChild(locked)
      state.with(locked) { state in
        state.forkGeneration += 1
        leak(state.callbacks)
        state.callbacks.removeAll()
      }
      for member in members(locked) { member.resumeChild(locked) }
    }
  }
}
