// SPDX-License-Identifier: Apache-2.0
//
// Threads that stand for those of a host.

@testable import Remora

extension NamedThread {
  /// Starts a thread outside the fork gate, where a host's threads are: forks do not wait for it.
  static func startAsHost(name: String, _ body: @escaping @Sendable () -> Void) throws(RemoraError) -> NamedThread {
    try start(name: name) { ForkGate.outside(body) }
  }
}
