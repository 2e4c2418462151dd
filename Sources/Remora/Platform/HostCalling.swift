// SPDX-License-Identifier: Apache-2.0
//
// Calls functions of the host: callbacks, visitors, transports, clocks, and functions that free user data.
// Invariant: none of them begins once the process is exiting, because their code, or the interpreter that runs it, may
// no longer exist. Used by all code that calls the host.

internal import CSupport

/// Calls functions of the host.
package enum HostCalling {
  /// Calls the host outside the fork gate. Returns nil without a call if the process is exiting.
  @discardableResult
  package static func call<Result>(_ body: () -> Result) -> Result? {
    guard remora_host_call_begin() else { return nil }
    defer { remora_host_call_end() }
    return ForkGate.outside(body)
  }

  // MARK: Exit and fork

  /// Makes every later call do nothing, for the rest of the process. Returns false if this was done before.
  static func refuse() -> Bool { remora_host_calls_refuse() }

  /// Waits until no call is running on another thread.
  static func wait(untilMonotonicMs deadline: Int64) { remora_host_calls_wait(deadline) }

  /// Called after a fork, in the child, where the calls of other threads do not exist.
  static func resumeChild() { remora_host_calls_reset() }
}

/// The calls of a visitor, one for each item.
package struct Visits {
  private var isExiting = false

  package init() {}

  /// Calls the visitor with the next item. Returns whether the items after it are to be visited.
  package mutating func visit(_ visitor: () -> Int32) -> Bool {
    guard let answer = HostCalling.call(visitor) else {
      isExiting = true
      return false
    }
    return answer == 0
  }

  /// Ends the visits.
  ///
  /// - Throws: `.closed` if the exit of the process has ended them.
  package consuming func end() throws(RemoraError) {
    if isExiting { throw .exiting }
  }
}
