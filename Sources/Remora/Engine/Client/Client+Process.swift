// SPDX-License-Identifier: Apache-2.0
//
// The work of a client for the process: once a second, when the engine thread starts, when the host's clock moves, at
// exit and at a fork.

extension Client {
  func everySecond(_ exclusive: Exclusive) {
    services.followStorage()
    // Events may have been kept for this process at a fork, or the delivery thread could not start.
    runtime.lock.withLock { try? delivery.startIfWaitedFor($0) }
    sweepIfDue(exclusive)
    for source in runtime.lock.withLock({ openSources($0) }) { source.everySecond(exclusive) }
  }

  /// Removes unused files from the storage directory, once a day.
  func sweepIfDue(_ exclusive: Exclusive) {
    sweep.runIfDue(openSources: { [self] in runtime.lock.withLock { openSources($0) } }, exclusive)
  }

  func noteWorkerStart(_ locked: Locked) {
    for source in openSources(locked) { source.polling.note(true, locked) }
  }

  /// Reads the clocks of all clients whose host provides one. Time limits that have expired end, and refreshes that are
  /// due start.
  package static func readClocks(of runtime: Runtime) {
    for member in runtime.lock.withLock({ runtime.members($0) }) { (member as? Client)?.readClock() }
  }

  private func readClock() {
    guard let clock = services.hostClock, let read = runtime.lock.withLock({ services.state[$0].readClock })
    else { return }
    let update = clock.beginUpdate()
    guard let time = read() else { return }
    let isRunning = runtime.lock.withLock { locked in
      clock.store(time, ofUpdate: update)
      runtime.worker.collectTimers(locked)
      return runtime.worker.isRunning(locked)
    }
    if isRunning { runtime.worker.perform { everySecond($0) } }
  }

  func endWaits(_ locked: Locked) -> [Any] {
    endSyncs(.closed, locked) + attachments.end(.exiting, locked)
      + openSources(locked).flatMap { $0.endCalls(.exiting, locked) }
  }

  func stopCallbacks(_ locked: Locked) -> NamedThread? { delivery.stop(locked) }

  func resumeChild(_ locked: Locked, _ exclusive: Exclusive) {
    delivery.resumeChild(locked)
    leak(exchange(&state[locked].syncs, []))
    attachments.resumeChild(locked)
    for source in openSources(locked) { source.resumeChild(locked, exclusive) }
  }
}
