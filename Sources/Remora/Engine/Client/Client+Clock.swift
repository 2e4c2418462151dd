// SPDX-License-Identifier: Apache-2.0
//
// Follows the clock of a host, when the host reports that its time has changed.

extension Client {
  /// Reads the clocks of all clients whose host provides one. Time limits that have expired end, and refreshes that are
  /// due start.
  package static func readClocks(of runtime: Runtime) {
    for member in runtime.lock.withLock({ runtime.members($0) }) { (member as? Client)?.readClock() }
  }

  /// Reads the host's clock, and does what is due.
  fileprivate func readClock() {
    guard let clock = services.hostClock, let read = runtime.lock.withLock({ services.state.read($0, \.readClock) })
    else { return }
    let update = clock.beginUpdate()
    let time = read()
    let isRunning = runtime.lock.withLock { locked in
      clock.store(time, ofUpdate: update)
      runtime.worker.collectTimers(locked)
      return runtime.worker.isRunning(locked)
    }
    if isRunning { runtime.worker.perform { everySecond($0) } }
  }
}
