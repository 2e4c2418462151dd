// SPDX-License-Identifier: Apache-2.0
//
// Callbacks in the event loop of the program.

internal import Remora

extension Client {
  /// Returns a file descriptor that becomes readable when callbacks are queued for `dispatch`. Use it in `poll` or
  /// `epoll`. Never read, write or close it, and remove it from the loop before `close`. All calls return the same one.
  ///
  /// - Throws: `.invalidArgument` unless the configuration has `callbacks: .dispatch`; `.unavailable`; `.closed`.
  public func fileDescriptor() throws(RemoraError) -> Int32 {
    try call { () throws(Remora.RemoraError) in try core.descriptor() }
  }

  /// Runs the callbacks that were queued before the call, on the calling thread, and resumes the tasks whose waiting
  /// calls are complete. Callbacks that are queued meanwhile run in the next call. Waits only for the callbacks.
  ///
  /// - Returns: The number of callbacks that have run.
  /// - Throws: `.invalidArgument` unless the configuration has `callbacks: .dispatch`; `.busy` if another call is
  ///   running; `.closed`.
  @discardableResult
  public func dispatch() throws(RemoraError) -> Int {
    try call { () throws(Remora.RemoraError) in try core.delivery.dispatch() }
  }
}
