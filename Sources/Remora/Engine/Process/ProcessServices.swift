// SPDX-License-Identifier: Apache-2.0
//
// The services that a runtime needs from its process: time, threads, handlers and libraries. A simulation provides its
// own.

package typealias ThreadStarter =
  @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(RemoraError) -> NamedThread

/// The services that a runtime needs from its process.
package struct ProcessServices: Sendable {
  package var time = ProcessTime()
  /// Starts the engine thread and the decoder's. If nil, no thread starts: the creator of the runtime calls
  /// `Worker.runNextJob`.
  package var startThread: ThreadStarter? = NamedThread.start(name:_:)
  package var setForkHandlers: @Sendable () -> Void = { Remora.setForkHandlers() }
  package var setExitHandler: @Sendable () throws(RemoraError) -> Void = { () throws(RemoraError) in
    try Remora.setExitHandler()
  }
  package var loadLibraries: @Sendable () throws(RemoraError) -> Void = { () throws(RemoraError) in
    try Libcrypto.load()
    try CurlLibrary.load()
    Libcrypto.leaveThread()
  }

  package init() {}
}
