// SPDX-License-Identifier: Apache-2.0
//
// Refreshing without being asked: looked at once a second, on the worker. The ledger decides together with the files'
// lock, so that of all processes over one directory one makes the request.

/// The refreshes of a source that no caller asks for.
final class ScheduledRefreshes: SourcePart, Sendable {
  let core: SourceCore
  private let refreshes: Refreshes
  /// When the source is refreshed.
  private let schedules: Confined<[RefreshSchedule]>

  init(_ refreshes: Refreshes) {
    core = refreshes.core
    self.refreshes = refreshes
    let options = core.services.options
    schedules = Confined(
      core.options.paces.map { RefreshSchedule($0, nowMs: options.clock.nowMs, random: options.random()) })
  }

  /// Refreshes if a schedule says so and nobody is at it.
  func refreshIfDue(_ right: borrowing Exclusive) {
    let paces = schedules.with(right) { $0.map(\.pace) }
    guard !paces.isEmpty else { return }
    let (isIdle, isHeard) = lock.withLock { locked in
      let isHeard = !core.subscribers.isEmpty(locked)
      let isIdle = core.runs.read(locked, \.isEmpty) && !core.state.read(locked, \.isEnded)
      return (isIdle, isHeard && !core.state.read(locked, \.data.isSilenced))
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
    var plan = schedules.read(right, \.self)[index]
    defer { schedules.with(right) { $0[index] = plan } }
    let now = services.options.clock.nowMs
    // When what is here was fetched, by whomever; 0 when it was packaged, or nothing is here.
    let fetchedAtMs = newest(right)?.metadata.fetchedAtMs ?? 0
    let random = services.options.random
    plan.noteClock(nowMs: now, random: random)
    guard plan.isDue(ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    refreshes.adoption.noteAttemptOfOthers(right)
    guard plan.isDue(ledger, fetchedAtMs: fetchedAtMs, nowMs: now) else { return false }
    let server = core.server
    let left = server.backoffMs(nowMs: services.nowMs(notBefore: server))
    guard left == 0 else {
      plan.postpone(byMs: left, nowMs: now, random: random())
      return false
    }
    plan.noteAttempt(nowMs: now)
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in
        try requireOpen(locked)
        let waiter = RefreshWaiter(.unattended, withoutRequest: RefreshResult(.unchanged))
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
