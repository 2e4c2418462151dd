// SPDX-License-Identifier: Apache-2.0
//
// Refreshing without being asked: looked at once a second, on the worker. The ledger decides together with the files'
// lock, so that of all processes over one directory one makes the request.

extension Source {
  /// Refreshes if a schedule says so and nobody is at it.
  func refreshIfDue(_ right: borrowing Exclusive) {
    let paces = desk.read(right, \.schedules).map(\.pace)
    guard !paces.isEmpty else { return }
    let (isIdle, isHeard) = lock.withLock { locked in
      let isHeard = hasSubscribers(locked)
      return state.with(locked) { ($0.runs.isEmpty && !$0.openness.isEnded, isHeard && !$0.data.isSilenced) }
    }
    guard isIdle else { return }
    for (index, pace) in paces.enumerated() {
      // What has expired is for those who are told what comes.
      if case .expiry = pace, !isHeard { continue }
      // The first that is due does the work of all.
      if refreshIfDue(by: index, right) { return }
    }
  }

  /// Returns whether a refresh begins.
  private func refreshIfDue(by index: Int, _ right: borrowing Exclusive) -> Bool {
    var plan = desk.read(right, \.schedules)[index]
    defer { desk.with(right) { $0.schedules[index] = plan } }
    let now = services.options.clock.nowMs
    // When what is here was fetched, by whomever; 0 when it was packaged, or nothing is here.
    let fetchedAtMs = newest(right)?.metadata.fetchedAtMs ?? 0
    let random = services.options.random
    plan.noteClock(nowMs: now, random: random)
    guard plan.isDue(known.ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    noteAttemptOfOthers(right)
    guard plan.isDue(known.ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    let server = self.server
    let left = server.backoffMs(nowMs: services.nowMs(notBefore: server))
    guard left == 0 else {
      plan.postpone(byMs: left, nowMs: now, random: random())
      return false
    }
    plan.noteAttempt(nowMs: now)
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        try join(RefreshWaiter(.unattended, withoutRequest: RefreshResult(.unchanged)), locked)
      }
      return true
    } catch {
      plan.postpone(nowMs: now, random: random())
      note(.warning, "the scheduled refresh could not begin: \(error.message)")
      return false
    }
  }

  /// Ends a run that nobody but a schedule asked for when another process was faster. Called with the files' lock.
  func endIfNotDue(_ run: Run, _ right: borrowing Exclusive) -> Bool {
    guard lock.withLock({ run.waiters.acceptNoRequest($0) }) else { return false }
    noteAttemptOfOthers(right)
    guard known.ledger.lastAttemptMs > run.attemptBeforeMs else { return false }
    let isAlone = lock.withLock { locked in
      // Another caller may have joined in between, who wants the server's answer.
      let isAlone = run.waiters.acceptNoRequest(locked)
      run.state.set(locked, \.isAnswered, to: isAlone)
      return isAlone
    }
    if isAlone { end(run, RefreshResult(.unchanged), right) }
    return isAlone
  }

  /// Takes over what another process noted of its last attempt.
  private func noteAttemptOfOthers(_ right: borrowing Exclusive) {
    if let seen = storage?.readLedger(name) { handle(.sawAttempt(seen), right) }
  }
}
