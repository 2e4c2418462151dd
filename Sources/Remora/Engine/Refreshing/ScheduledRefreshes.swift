// SPDX-License-Identifier: Apache-2.0
//
// Starts automatic refreshes. The engine thread checks the schedules once a second. The ledger and the files' lock
// together ensure that only one of the processes that share a directory sends the request.

final class ScheduledRefreshes: SourcePart, Sendable {
  let core: SourceCore
  private let refreshes: Refreshes
  private let schedules: Confined<[RefreshSchedule]>

  init(_ refreshes: Refreshes) {
    core = refreshes.core
    self.refreshes = refreshes
    let options = core.services.options
    schedules = Confined(
      core.options.paces.map { RefreshSchedule($0, nowMs: options.clock.nowMs, random: options.random()) })
  }

  /// Starts a refresh if a schedule is due and no refresh is in progress.
  func refreshIfDue(_ exclusive: Exclusive) {
    let paces = schedules[exclusive].map(\.pace)
    guard !paces.isEmpty else { return }
    let (isIdle, isHeard) = lock.withLock { locked in
      let isHeard = !core.subscribers.isEmpty(locked)
      let isIdle = refreshes.runs.isEmpty(locked) && !core.state[locked].isEnded
      return (isIdle, isHeard && !core.state[locked].data.isMuted)
    }
    guard isIdle else { return }
    for (index, pace) in paces.enumerated() {
      // Expired data is refreshed only if subscribers receive the update.
      if case .expiry = pace, !isHeard { continue }
      // The refresh of the first schedule that is due serves all schedules.
      if refreshIfDue(by: index, exclusive) { return }
    }
  }

  /// Starts a refresh if one schedule is due. Returns whether a refresh was started.
  private func refreshIfDue(by index: Int, _ exclusive: Exclusive) -> Bool {
    // A child cannot refresh, and must not delay the refreshes of its parent.
    guard services.hostTransport?.isOfParent != true else { return false }
    var plan = schedules[exclusive][index]
    defer { schedules[exclusive][index] = plan }
    let now = services.options.clock.nowMs
    // The time at which any process fetched the newest data; 0 if that data is packaged, or there is none.
    let fetchedAtMs = newest(exclusive)?.metadata.fetchedAtMs ?? 0
    let random = services.options.random
    plan.noteClock(nowMs: now, random: random)
    guard plan.isDue(ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    refreshes.adoption.noteAttemptOfOthers(exclusive)
    guard plan.isDue(ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    let left = core.server.backoff.leftMs(nowMs: now)
    guard left == 0 else {
      // The host may replace refused credentials at any time, which ends the pause.
      let isRefusal = services.sharedServerLedger(core.serverName).backoff.leftMs(nowMs: now) == 0
      if isRefusal { plan.hold(nowMs: now) } else { plan.postpone(byMs: left, nowMs: now, random: random()) }
      return false
    }
    plan.noteAttempt(nowMs: now)
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        let waiter = RefreshWaiter(.background, withoutRequest: RefreshResult(.unchanged))
        try refreshes.joinOrBegin(waiter, RefreshManner(), locked)
      }
      return true
    } catch {
      plan.postpone(nowMs: now, random: random())
      note(.warning, "the scheduled refresh could not begin: \(error.message)")
      return false
    }
  }
}
