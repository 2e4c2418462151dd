// SPDX-License-Identifier: Apache-2.0
//
// Who has a source open, until nobody has, its client is closed, or a fork leaves it to the child.

extension Source {
  /// Counts the handle of one opener, who may have stored what is to be announced.
  func addHandle(bringing experiments: [ExperimentID], _ locked: borrowing Locked) {
    state.with(locked) {
      $0.openness.handles += 1
      $0.data.addExperiments(ofAnotherOpening: experiments)
    }
  }

  /// Ends the subscriptions and calls of a handle, and waits for its callback unless the caller is inside one. Returns
  /// what they held, to be released after unlocking.
  func endCalls(of handle: ObjectIdentifier, _ locked: borrowing Locked) -> [Any] {
    let mine = state.with(locked) { state in
      let mine = state.listeners.subscriptions.filter { $0.owner == handle }.map(\.subscription)
      state.listeners.subscriptions.removeAll { $0.owner == handle }
      return mine
    }
    var dropped: [Any] = mine + muteCalls(of: handle, locked)
    for subscription in mine { dropped += services.delivery.end(subscription, locked) }
    if !runtime.isInsideCallback(locked) {
      for owner in mine.map(ObjectIdentifier.init) + [handle] {
        services.delivery.waitForCallback(of: owner, locked)
      }
    }
    return dropped
  }

  /// Removes a handle. Returns whether it was the last one of a source that has not ended.
  func removeHandle(_ locked: borrowing Locked) -> Bool {
    state.with(locked) { state in
      state.openness.handles -= 1
      return state.openness.handles == 0 && !state.openness.isEnded
    }
  }

  /// Ends all refreshes, resets and subscriptions. Returns what they held, to be released after unlocking.
  func end(_ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    let subscriptions = state.with(locked) { state in
      defer { state.listeners.subscriptions = [] }
      state.openness.isEnded = true
      return state.listeners.subscriptions.map(\.subscription)
    }
    var dropped: [Any] = subscriptions
    for subscription in subscriptions { dropped += services.delivery.end(subscription, locked) }
    return dropped + endCalls(error, locked)
  }

  /// Checks that the source and its client are open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if !isOpen(locked) { throw .closed }
  }

  func isOpen(_ locked: borrowing Locked) -> Bool {
    !state.read(locked, \.openness.isEnded) && !services.state.read(locked, \.isClosed)
  }

  /// Notes whether this process looks for what this source has to tell: images that others store, and events that
  /// were kept at a fork.
  func noteAttendance(_ isAttended: Bool, patienceMs: Int64 = 0, _ locked: borrowing Locked) {
    guard !state.read(locked, \.openness.isEnded) else { return }
    if isAttended {
      if !cell.isUnreadSinceFork { cell.attend() }
    } else if usesStorage || services.delivery.hasCalls(locked) {
      cell.leaveUnattended(untilMonotonicMs: patienceMs)
    }
  }

  /// After a fork, in the child: refreshes stay with the parent, and so do those who looked after the source.
  func resumeChild(_ locked: borrowing Locked) {
    cell.resumeChild()
    if usesStorage { cell.leaveUnattendedByFork() } else { noteAttendance(false, locked) }
    leak(state.set(locked, \.runs, to: []))
    state.with(locked) { $0.data.resumeChild() }
    resets.resumeChild(locked)
  }
}
