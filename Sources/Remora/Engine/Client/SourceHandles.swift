// SPDX-License-Identifier: Apache-2.0
//
// Who has a source open, until nobody has, its client is closed, or a fork leaves it to the child. All of it inside the
// lock.

extension Source {
  /// A handle for one opener, who may have stored what is to be announced.
  func open(bringing experiments: [ExperimentID]) -> OpenSource {
    handles += 1
    untoldExperiments = experiments.adding(untoldExperiments)
    return OpenSource(self)
  }

  /// Gives up a handle. What it held is in the result, to be let go outside of the lock.
  func close(_ handle: OpenSource) -> [Any] {
    let mine = subscriptions.filter { $0.owner == ObjectIdentifier(handle) }.map(\.subscription)
    subscriptions.removeAll { $0.owner == ObjectIdentifier(handle) }
    var dropped: [Any] = mine + withdraw(allOf: ObjectIdentifier(handle))
    for subscription in mine { dropped += client.delivery.end(subscription) }
    if !runtime.isInsideCallback {
      for owner in mine.map(ObjectIdentifier.init) + [ObjectIdentifier(handle)] {
        client.delivery.waitForCallback(of: owner)
      }
    }
    handles -= 1
    if handles == 0, !isEnded {
      client.remove(self)
      dropped += end(.closed)
    }
    return dropped
  }

  /// Ends all refreshes, openings and subscriptions. What they held is in the result, to be let go outside of the lock.
  func end(_ error: RemoraError) -> [Any] {
    isEnded = true
    var dropped: [Any] = subscriptions.map(\.subscription)
    for (_, subscription) in subscriptions { dropped += client.delivery.end(subscription) }
    subscriptions = []
    return dropped + endRuns(error) + client.endAttachments(of: self, error)
  }

  func requireOpen() throws(RemoraError) {
    if isEnded || client.isClosed { throw .closed }
  }

  /// Notes whether this process looks for what this source has to tell: images that others store, and events that
  /// were kept at a fork.
  func noteAttendance(_ isAttended: Bool, patienceMs: Int64 = 0) {
    guard !isEnded else { return }
    if isAttended {
      if !cell.isUnreadSinceFork { cell.attend() }
    } else if usesStorage || client.delivery.hasCalls {
      cell.leaveUnattended(untilMonotonicMs: patienceMs)
    }
  }

  /// After a fork, in the child: refreshes stay with the parent, and so do those who looked after the source.
  func resumeChild() {
    cell.resumeChild()
    if usesStorage { cell.leaveUnattendedByFork() } else { noteAttendance(false) }
    leak(runs)
    runs = []
    untoldExperiments = []
  }
}
