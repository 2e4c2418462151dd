// SPDX-License-Identifier: Apache-2.0
//
// Whether genuine content is also in place: not older than what was accepted before, not from the future, and not
// another content under a version that is known. What exactly that means is the dialect's version rule.

/// What genuine content is, beside what is there.
package enum Freshness {
  case newer, unchanged, older
  /// Another content under the version that is live, where versions are numbers that somebody forgets to raise.
  case notRaised
}

/// What a refresh knows of the versions accepted before.
package struct FreshnessLimits: Sendable {
  /// The highest version accepted since the last reset.
  package var floor: Int64
  /// What versions are.
  package var rule: VersionRule

  package init(floor: Int64, rule: VersionRule) {
    self.floor = floor
    self.rule = rule
  }

  /// Judges content.
  ///
  /// - Throws: `.future`, `.equivocation`.
  package func judge(
    _ verified: borrowing Verified, live: Image?, nowMs: Int64
  ) throws(RemoraError) -> Freshness {
    try judge(verified.draft, live: live, nowMs: nowMs)
  }

  /// Judges a seed, which was verified when it was saved. Here times of fetches count as well: a seed may be older than
  /// what is there.
  func judge(seed: Image, newest: Image?, nowMs: Int64) throws(RemoraError) -> Freshness {
    if let newest, seed.metadata.version <= newest.metadata.version { return .older }
    return try judge(Draft(of: seed), live: newest, nowMs: nowMs)
  }

  private func judge(_ draft: Draft, live: Image?, nowMs: Int64) throws(RemoraError) -> Freshness {
    switch rule {
    case .timestamps(let maximumFutureMs):
      try judge(draft, live: live, nowMs: nowMs, maximumFutureMs: maximumFutureMs)
    case .raised(let start): judge(draft, live: live, above: start)
    case .fetchTimes: isFetched(live, with: draft) ? .unchanged : .newer
    }
  }

  /// The version that newer content is stored under: what it claims, or the time of its fetch, which a clock that was
  /// turned back does not lower.
  package func version(of draft: Draft, live: Image?, nowMs: Int64) -> Int64 {
    switch rule {
    case .timestamps, .raised: draft.version
    case .fetchTimes: max(nowMs, max(floor, live?.metadata.version ?? 0).addingClamped(1))
    }
  }

  /// Whether the newest image was fetched, not packaged, and has these entries.
  private func isFetched(_ live: Image?, with draft: Draft) -> Bool {
    guard let live, !live.metadata.isPackaged else { return false }
    return draft.hasSameEntries(as: live)
  }

  /// Packaged data that is on the host's word neither raises the floor nor stands against signed content.
  private func judge(
    _ draft: Draft, live: Image?, nowMs: Int64, maximumFutureMs: Int64?
  ) throws(RemoraError) -> Freshness {
    let version = draft.version
    if let maximumFutureMs, version > nowMs.addingClamped(maximumFutureMs) {
      throw RemoraError(
        .future, "the timestamp \(version) is more than \(maximumFutureMs) ms ahead of the clock (\(nowMs))")
    }
    if version < floor { return .older }
    guard let live, !live.metadata.isOnHostsWord, live.metadata.version == version else { return .newer }
    guard draft.hasSameEntries(as: live) else {
      throw RemoraError(.equivocation, "the server answers other content under the known timestamp \(version)")
    }
    return .unchanged
  }

  /// Only what is higher than both the live version and that of the default values.
  private func judge(_ draft: Draft, live: Image?, above start: Int64?) -> Freshness {
    let version = draft.version
    let fetched = live.flatMap { $0.metadata.isPackaged ? nil : $0.metadata.version }
    if let live, version == fetched ?? start {
      guard draft.hasSameEntries(as: live) else { return .notRaised }
      return fetched == nil ? .older : .unchanged
    }
    if rule.isBelow(version, floor: floor) { return .older }
    let known = [fetched, start].compactMap(\.self).max()
    guard let known, version <= known else { return .newer }
    return .older
  }
}
