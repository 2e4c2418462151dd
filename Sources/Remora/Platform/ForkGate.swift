// SPDX-License-Identifier: Apache-2.0
//
// Prevents a fork while a thread runs the library's code. A child process has only the thread that forked. If another
// thread holds a lock at the fork, in the Swift runtime or in libcurl, that lock stays locked permanently in the child.
// So a fork waits until every thread of the library is waiting, or runs code of the host.

internal import CSupport

/// The fork gate of the process. A fork waits until no thread is inside; threads that enter in the meantime wait for
/// the fork.
///
/// A thread of the library is inside from its start to its end, except while it waits (`Lock.wait`, `Signal.wait`,
/// `CurlLoop.poll`) or calls the host (`HostCalling`). A thread of the host is inside while it runs an exported
/// function that does more than read a snapshot, a value or a key, or release a snapshot or an attachment, and while it
/// prepares a callback. What a read may start besides runs under the engine lock or `Worker.gate`, which a fork takes
/// too.
///
/// The gate is taken before all locks except `Worker.gate`, which is taken before it. A thread that is inside never
/// waits for `Worker.gate`: it leaves first.
package enum ForkGate {
  /// Runs `body` inside the gate.
  package static func inside<Result>(_ body: () -> Result) -> Result {
    let entered = remora_fork_gate_enter()
    defer { if entered { remora_fork_gate_leave() } }
    return body()
  }

  /// Runs `body`, which waits or calls the host, outside the gate. The caller holds no lock but `Worker.gate`.
  package static func outside<Result>(_ body: () -> Result) -> Result {
    let left = remora_fork_gate_leave()
    defer { if left { remora_fork_gate_enter() } }
    return body()
  }

  // MARK: Fork

  /// Called before a fork, and before any lock but `Worker.gate` is taken: waits until no thread is inside.
  package static func prepareFork() { remora_fork_gate_close() }

  /// Called after a fork, in the parent.
  package static func resumeParent() { remora_fork_gate_open() }

  /// Called after a fork, in the child.
  package static func resumeChild() { remora_fork_gate_reset() }
}
