// SPDX-License-Identifier: Apache-2.0
//
// The objects that fork and exit affect: clients, and running callbacks. The runtime knows them only by these
// protocols.

/// A client, as the runtime sees it.
protocol ProcessMember: AnyObject, Sendable {
  /// Called once a second while the worker runs.
  func everySecond(_ right: borrowing Exclusive)
  /// Called when the worker has started.
  func noteWorkerStart(_ locked: borrowing Locked)
  /// Ends all waits of callers because the process exits. The result is leaked.
  func endWaits(_ locked: borrowing Locked) -> [Any]
  /// Stops the thread of the callbacks, and returns it to be joined.
  func stopCallbacks(_ locked: borrowing Locked) -> NamedThread?
  /// Called after a fork, in the child.
  func resumeChild(_ locked: borrowing Locked)
}

/// A running callback, as the runtime sees it.
protocol RunningCallback: AnyObject, Sendable {
  /// Whether the calling thread runs it.
  func isOnThisThread(_ locked: borrowing Locked) -> Bool
  /// Stops the callback thread of a client that was closed during the callback, and returns it to be joined.
  func stop(_ locked: borrowing Locked) -> NamedThread?
}
