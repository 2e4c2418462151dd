// SPDX-License-Identifier: Apache-2.0
//
// Handles exit() without a prior close: no function of the host is called any more, and the library's threads stop
// before OpenSSL's exit handler frees what they use.

internal import Glibc

/// Registers the handler. Registers it again after libraries with handlers of their own were loaded; running twice is
/// harmless.
///
/// - Throws: `.closed` if all exit handlers have run already.
func setExitHandler() throws(RemoraError) {
  guard atexit({ exitProcess() }) == 0 else { throw .exiting }
}

/// Refuses calls of the host, stops the threads, and waits for the calls that are running on threads of the host, all
/// within 200 ms.
private func exitProcess() {
  // The handler may be registered several times.
  guard HostCalling.refuse() else { return }
  let deadline = Runtime.shared.lock.monotonicMs + 200
  Runtime.shared.exit(untilMonotonicMs: deadline)
  HostCalling.wait(untilMonotonicMs: deadline)
}
