// SPDX-License-Identifier: Apache-2.0
//
// Refreshing without being asked: looked at once a second, on the worker. The ledger decides together with the files'
// lock, so that of all processes over one directory one makes the request.

extension Source {
  /// Refreshes if a schedule says so and nobody is at it.
  func refreshIfDue(_ right: borrowing Exclusive) {
    guard !schedules.isEmpty else { return }
    let (isIdle, isHeard) = lock.withLock { (runs.isEmpty && !isEnded, hasSubscribers($0) && !isMuted) }
    guard isIdle else { return }
    for index in schedules.indices {
      // What has expired is for those who are told what comes.
      if case .expiry = schedules[index].pace, !isHeard { continue }
      // The first that is due does the work of all.
      if refreshIfDue(by: &schedules[index], right) { return }
    }
  }

  /// Returns whether a refresh begins.
  private func refreshIfDue(by plan: inout RefreshSchedule, _ right: borrowing Exclusive) -> Bool {
    let now = client.options.clock.nowMs
    let random = client.options.random
    plan.noteClock(nowMs: now, random: random)
    guard plan.isDue(ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    noteAttemptOfOthers(right)
    guard plan.isDue(ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    let server = client.serverLedger(of: self)
    let left = server.backoffMs(nowMs: client.nowMs(notBefore: server))
    guard left == 0 else {
      plan.postpone(byMs: left, nowMs: now, random: random())
      return false
    }
    plan.noteAttempt(nowMs: now)
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        try join(Ticket(isAutomatic: true), locked)
      }
      return true
    } catch {
      plan.postpone(nowMs: now, random: random())
      note(.warning, "the scheduled refresh could not begin: \(error.message)")
      return false
    }
  }

  /// When what is here was fetched, by whomever; 0 when it was packaged, or nothing is here.
  private var fetchedAtMs: Int64 { newest?.metadata.fetchedAtMs ?? 0 }

  /// Ends a run that nobody but a schedule asked for when another process was faster. Called with the files' lock.
  func endIfNotDue(_ run: Run, _ right: borrowing Exclusive) -> Bool {
    guard lock.withLock({ run.state.read($0, \.tickets).allSatisfy(\.isAutomatic) }) else { return false }
    noteAttemptOfOthers(right)
    guard ledger.lastAttemptMs > run.attemptBeforeMs else { return false }
    let isAlone = lock.withLock { locked in
      run.state.with(locked) { state in
        // Somebody may have joined in between, and wants an answer of the server's.
        state.isAnswered = state.tickets.allSatisfy(\.isAutomatic)
        return state.isAnswered
      }
    }
    if isAlone { end(run, RefreshResult(.unchanged), right) }
    return isAlone
  }

  /// Takes over what another process noted of its last attempt.
  private func noteAttemptOfOthers(_ right: borrowing Exclusive) {
    guard let stored = storage?.readLedger(name), stored.epoch == ledger.epoch,
      stored.lastAttemptMs > ledger.lastAttemptMs
    else { return }
    lock.withLock { _ in
      ledger.lastAttemptMs = stored.lastAttemptMs
      if stored.lastSuccessMs >= ledger.lastSuccessMs {
        (ledger.lastSuccessMs, ledger.freshUntilMs) = (stored.lastSuccessMs, stored.freshUntilMs)
      }
      ledger.jitter = stored.jitter
      ledger.failures = stored.failures
    }
  }
}
