// SPDX-License-Identifier: Apache-2.0
//
// What takes part in the life of the process: its clients, and the callbacks that are running. The runtime knows them by
// these protocols alone.

/// A client, as the process sees it.
protocol ProcessMember: AnyObject, Sendable {
  /// Called once a second while there is a worker.
  func everySecond(_ right: borrowing Exclusive)
  /// Called when the worker has started.
  ///
  /// - Throws: `.unavailable` when a thread that is needed now cannot start.
  func noteWorkerStart(_ locked: borrowing Locked) throws(RemoraError)
  /// Ends everything that callers wait for, because the process exits. The result is leaked.
  func endWaits(_ locked: borrowing Locked) -> [Any]
  /// Stops the thread of the callbacks, and returns it to be joined.
  func stopCallbacks(_ locked: borrowing Locked) -> NamedThread?
  /// Called after a fork, in the child.
  func resumeChild(_ locked: borrowing Locked)
}

/// A callback that is running, as the process sees it.
protocol RunningCallback: AnyObject, Sendable {
  /// Whether the calling thread runs it.
  func isOnThisThread(_ locked: borrowing Locked) -> Bool
  /// As `ProcessMember.stopCallbacks`, for a client that was closed during the callback.
  func stop(_ locked: borrowing Locked) -> NamedThread?
}
