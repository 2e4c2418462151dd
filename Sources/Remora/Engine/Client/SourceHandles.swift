// SPDX-License-Identifier: Apache-2.0
//
// Who has a source open, until nobody has, its client is closed, or a fork leaves it to the child.

extension Source {
  /// A handle for one opener, who may have stored what is to be announced.
  func open(bringing experiments: [ExperimentID], _ locked: borrowing Locked) -> OpenSource {
    state.with(locked) {
      $0.openness.handles += 1
      $0.data.addExperiments(ofAnotherOpening: experiments)
    }
    return OpenSource(self)
  }

  /// Releases a handle. Returns what it held, to be released after unlocking.
  func close(_ handle: OpenSource, _ locked: borrowing Locked) -> [Any] {
    let mine = state.with(locked) { state in
      let mine = state.listeners.subscriptions.filter { $0.owner == ObjectIdentifier(handle) }.map(\.subscription)
      state.listeners.subscriptions.removeAll { $0.owner == ObjectIdentifier(handle) }
      return mine
    }
    var dropped: [Any] = mine + muteCalls(of: ObjectIdentifier(handle), locked)
    for subscription in mine { dropped += client.delivery.end(subscription, locked) }
    if !runtime.isInsideCallback(locked) {
      for owner in mine.map(ObjectIdentifier.init) + [ObjectIdentifier(handle)] {
        client.delivery.waitForCallback(of: owner, locked)
      }
    }
    let isLast = state.with(locked) { state in
      state.openness.handles -= 1
      return state.openness.handles == 0 && !state.openness.isEnded
    }
    if isLast {
      client.remove(self, locked)
      dropped += end(.closed, locked)
    }
    return dropped
  }

  /// Ends all refreshes, openings and subscriptions. Returns what they held, to be released after unlocking.
  func end(_ error: RemoraError, _ locked: borrowing Locked) -> [Any] {
    let subscriptions = state.with(locked) { state in
      defer { state.listeners.subscriptions = [] }
      state.openness.isEnded = true
      return state.listeners.subscriptions.map(\.subscription)
    }
    var dropped: [Any] = subscriptions
    for subscription in subscriptions { dropped += client.delivery.end(subscription, locked) }
    return dropped + endCalls(error, locked) + client.endAttachments(of: self, error, locked)
  }

  /// Checks that the source and its client are open.
  ///
  /// - Throws: `.closed`.
  func requireOpen(_ locked: borrowing Locked) throws(RemoraError) {
    if !isOpen(locked) { throw .closed }
  }

  func isOpen(_ locked: borrowing Locked) -> Bool {
    !state.read(locked, \.openness.isEnded) && !client.state.read(locked, \.isClosed)
  }

  /// Notes whether this process looks for what this source has to tell: images that others store, and events that
  /// were kept at a fork.
  func noteAttendance(_ isAttended: Bool, patienceMs: Int64 = 0, _ locked: borrowing Locked) {
    guard !state.read(locked, \.openness.isEnded) else { return }
    if isAttended {
      if !cell.isUnreadSinceFork { cell.attend() }
    } else if usesStorage || client.delivery.hasCalls(locked) {
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
