// SPDX-License-Identifier: Apache-2.0
//
// Refreshing without being asked: looked at once a second, on the worker. The ledger decides together with the files'
// lock, so that of all processes over one directory one makes the request.

extension Source {
  /// Refreshes if the interval says so and nobody is at it.
  func refreshIfDue() {
    guard var plan = schedule, lock.withLock({ runs.isEmpty && !isEnded }) else { return }
    defer { schedule = plan }
    let now = client.options.clock.nowMs
    let random = client.options.random
    plan.noteClock(nowMs: now, random: random)
    guard plan.isDue(ledger, nowMs: now) else { return }
    noteAttemptOfOthers()
    guard plan.isDue(ledger, nowMs: now) else { return }
    let server = client.serverLedger(of: self)
    let left = server.backoffMs(nowMs: client.nowMs(notBefore: server))
    guard left == 0 else { return plan.postpone(byMs: left, nowMs: now, random: random()) }
    plan.noteAttempt(nowMs: now)
    do throws(RemoraError) {
      try lock.withLock { () throws(RemoraError) in
        try requireOpen()
        try join(Ticket(isAutomatic: true))
      }
    } catch {
      plan.postpone(byMs: plan.intervalMs / 2, nowMs: now, random: random())
      client.note(.warning, "the refresh by interval could not begin: \(error.message)")
    }
  }

  /// Ends a run that nobody but the interval asked for when another process was faster. Called with the files' lock.
  func endIfNotDue(_ run: Run) -> Bool {
    guard lock.withLock({ run.tickets.allSatisfy(\.isAutomatic) }) else { return false }
    noteAttemptOfOthers()
    guard ledger.lastAttemptMs > run.attemptBeforeMs else { return false }
    let isAlone = lock.withLock {
      // Somebody may have joined in between, and wants an answer of the server's.
      run.isAnswered = run.tickets.allSatisfy(\.isAutomatic)
      return run.isAnswered
    }
    if isAlone { end(run, RefreshResult(.unchanged)) }
    return isAlone
  }

  /// Takes over what another process noted of its last attempt.
  private func noteAttemptOfOthers() {
    guard let stored = storage?.readLedger(name), stored.epoch == ledger.epoch,
      stored.lastAttemptMs > ledger.lastAttemptMs
    else { return }
    lock.withLock {
      ledger.lastAttemptMs = stored.lastAttemptMs
      ledger.lastSuccessMs = max(ledger.lastSuccessMs, stored.lastSuccessMs)
      ledger.jitter = stored.jitter
      ledger.failures = stored.failures
    }
  }
}
