// SPDX-License-Identifier: Apache-2.0
//
// The services that a runtime needs from its process: time, threads, handlers and libraries. A simulation provides its
// own.

internal import Glibc

package typealias ThreadStarter =
  @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(RemoraError) -> NamedThread

package struct ProcessServices: Sendable {
  package var time = ProcessTime()
  /// Starts the engine thread and the decoder's. If nil, no thread starts: the creator of the runtime calls
  /// `Worker.runNextJob`.
  package var startThread: ThreadStarter? = NamedThread.start(name:_:)
  /// Registers the handlers of fork, once per process. The forking thread takes every lock first, so that the child
  /// inherits a consistent state. The child creates locks, threads and connections again when it needs them. Nothing of
  /// the parent's is ended or freed.
  package var setForkHandlers: @Sendable () -> Void = {
    pthread_atfork(
      { Runtime.shared.prepareFork() }, { Runtime.shared.resumeParent() }, { Runtime.shared.resumeChild() })
  }
  /// Registers the handler of exit. It is registered again after libraries with handlers of their own were loaded;
  /// running twice is harmless. Throws `.closed` if all exit handlers have run already.
  package var setExitHandler: @Sendable () throws(RemoraError) -> Void = { () throws(RemoraError) in
    guard atexit({ exitProcess() }) == 0 else { throw .exiting }
  }
  package var loadLibraries: @Sendable () throws(RemoraError) -> Void = { () throws(RemoraError) in
    try Libcrypto.load()
    try CurlLibrary.load()
    Libcrypto.leaveThread()
  }

  package init() {}
}

// Handles exit() without a prior close: no function of the host is called any more, and the library's threads stop
// before OpenSSL's exit handler frees what they use.

/// Refuses calls of the host, stops the threads, and waits for the calls that are running on threads of the host, all
/// within 200 ms.
private func exitProcess() {
  // The handler may be registered several times.
  guard HostCalling.refuse() else { return }
  let deadline = Runtime.shared.lock.monotonicMs + 200
  Runtime.shared.exit(untilMonotonicMs: deadline)
  HostCalling.wait(untilMonotonicMs: deadline)
}
