// SPDX-License-Identifier: Apache-2.0
//
// What takes part in the life of the process: its clients, and the callbacks that are running. The runtime knows them by
// these protocols alone.

/// A client, as the process sees it.
protocol ProcessMember: AnyObject, Sendable {
  /// Called once a second while there is a worker, in jobs.
  func look()

  // MARK: Inside the lock

  /// Called when the worker has started.
  ///
  /// - Throws: `.unavailable` when a thread that is needed now cannot start.
  func noteWorkerStart() throws(RemoraError)
  /// Ends everything that callers wait for, because the process exits. The result is leaked.
  func endWaits() -> [Any]
  /// Stops the thread of the callbacks, and returns it to be joined.
  func stopCallbacks() -> NamedThread?
  /// Called after a fork, in the child.
  func resumeChild()
}

/// A callback that is running, as the process sees it. All of it inside the lock.
protocol RunningCallback: AnyObject, Sendable {
  /// Whether the calling thread runs it.
  var isOnThisThread: Bool { get }
  /// As `ProcessMember.stopCallbacks`, for a client that was closed inside it.
  func stop() -> NamedThread?
}
