// SPDX-License-Identifier: Apache-2.0
//
// The freshness check of verified content: not older than what was accepted before, not from the future, and not
// different content under a known version. The dialect's version rule has the details.

/// Verified content that passed the freshness check. Only this file creates one.
package struct FreshContent {
  package let verified: Verified
  /// The version under which it is stored.
  package let version: Int64
  /// The time of the fetch, in ms since 1970.
  package let fetchedAtMs: Int64

  fileprivate init(_ verified: Verified, version: Int64, fetchedAtMs: Int64) {
    self.verified = verified
    self.version = version
    self.fetchedAtMs = fetchedAtMs
  }
}

/// The result of comparing verified content with the known content.
package enum VersionVerdict {
  case newer(FreshContent)
  /// The same content: stored again only if it is now verified under another root.
  case unchanged(FreshContent)
  case older
  /// Different content under the live version, where versions are incremented by hand.
  case notRaised
}

/// The limits for new versions, from those accepted before.
package struct VersionLimits: Sendable {
  /// The result of comparing content with the known content, before it is known to be verified.
  private enum Order {
    case newer, unchanged, older, notRaised
  }

  /// The highest version accepted since the last reset.
  package var floor: Int64
  package var rule: VersionRule
  /// Whether a document without a version may remove all keys, because the host forced the refresh.
  package var mayRemoveAll: Bool
  /// The images that a host has rejected.
  package var rejected: [Image]
  /// Whether the known content of a timestamp may be wrong, so that different content replaces it.
  var mayCorrect = false

  package init(floor: Int64, rule: VersionRule, mayRemoveAll: Bool = false, rejected: [Image] = []) {
    self.rejected = rejected
    self.floor = floor
    self.rule = rule
    self.mayRemoveAll = mayRemoveAll
  }

  /// Checks content that was just fetched.
  ///
  /// - Throws: `.future`, `.equivocation`, `.format` if it would remove all keys, `.rejected`.
  package func judge(_ verified: Verified, live: Image?, nowMs: Int64) throws(RemoraError) -> VersionVerdict {
    let version = version(of: verified.draft, live: live, nowMs: nowMs)
    let content = FreshContent(verified, version: version, fetchedAtMs: nowMs)
    let order = try order(verified.draft, live: live, nowMs: nowMs)
    if order == .newer { try requireNotRejected(verified.draft) }
    return switch order {
    case .newer: .newer(content)
    case .unchanged: .unchanged(content)
    case .older: .older
    case .notRaised: .notRaised
    }
  }

  /// Checks content that an installer fetched earlier. The opening that finds the seed compares it with the stored
  /// data.
  ///
  /// - Throws: `.future`.
  package func judgeSeed(
    _ verified: Verified, fetchedAtMs: Int64, nowMs: Int64
  ) throws(RemoraError) -> FreshContent {
    try requireNotFuture(verified, nowMs: nowMs)
    let fetchedAtMs = knownFetchTime(fetchedAtMs, nowMs: nowMs)
    let version = version(of: verified.draft, live: nil, nowMs: fetchedAtMs)
    return FreshContent(verified, version: version, fetchedAtMs: fetchedAtMs)
  }

  /// Whether a seed may replace the newest image. Versions that are times of fetches are compared too, because a seed
  /// may be older than the stored data.
  ///
  /// - Throws: The errors of `judge`.
  func isNewer(_ seed: AcceptedImage, than newest: Image?, nowMs: Int64) throws(RemoraError) -> Bool {
    let seed = seed.image
    var version = seed.metadata.version
    if rule == .fetchTimes { version = knownFetchTime(version, nowMs: nowMs) }
    if let newest, version <= newest.metadata.version { return false }
    let draft = Draft(of: seed)
    guard try order(draft, live: newest, nowMs: nowMs) == .newer else { return false }
    try requireNotRejected(draft)
    return true
  }

  /// Checks that content was not rejected. A timestamp has one content; under the other versions, another content
  /// may be published, and the same content is bad under each of them.
  ///
  /// - Throws: `.rejected`.
  private func requireNotRejected(_ draft: Draft) throws(RemoraError) {
    let match = rejected.first { rejected in
      if case .timestamps = rule { return draft.version == rejected.metadata.version }
      return draft.hasSameEntries(as: rejected)
    }
    if let match { throw .rejected(version: match.metadata.version) }
  }

  /// Returns the time of a fetch; 1, which is before any other fetch, if the time is unknown. A time in the future was
  /// recorded with a wrong clock. One of at most a minute may result from another machine's clock, and means now.
  private func knownFetchTime(_ fetchedAtMs: Int64, nowMs: Int64) -> Int64 {
    fetchedAtMs > nowMs.addingClamped(60_000) ? 1 : max(1, min(fetchedAtMs, nowMs))
  }

  /// - Throws: `.future` for a timestamp that is too far ahead of the clock.
  package func requireNotFuture(_ verified: Verified, nowMs: Int64) throws(RemoraError) {
    if case .timestamps(let maximumFutureMs) = rule {
      try requireNotFuture(verified.draft.version, nowMs: nowMs, maximumFutureMs)
    }
  }

  private func requireNotFuture(
    _ version: Int64, nowMs: Int64, _ maximumFutureMs: Int64?
  ) throws(RemoraError) {
    guard let maximumFutureMs, version > nowMs.addingClamped(maximumFutureMs) else { return }
    throw RemoraError(
      .future, "the timestamp \(version) is more than \(maximumFutureMs) ms ahead of the clock (\(nowMs))")
  }

  private func order(_ draft: Draft, live: Image?, nowMs: Int64) throws(RemoraError) -> Order {
    switch rule {
    case .timestamps(let maximumFutureMs):
      try orderTimestamps(draft, live: live, nowMs: nowMs, maximumFutureMs: maximumFutureMs)
    case .raised(let start): orderRaised(draft, live: live, above: start)
    case .fetchTimes: try orderFetchTimes(draft, live: live)
    }
  }

  /// Compares documents without a version. Every JSON server can send `{}` by mistake, so it does not replace keys.
  private func orderFetchTimes(_ draft: Draft, live: Image?) throws(RemoraError) -> Order {
    if isFetched(live, with: draft) { return .unchanged }
    if draft.entries.isEmpty, let live, live.reader(over: nil).count > 0, !mayRemoveAll {
      throw .format(
        "the dictionary", "is empty, and does not replace settings with keys; a refresh with the option force uses it")
    }
    return .newer
  }

  /// Returns the version under which newer content is stored: the version that it states, or the time of its fetch,
  /// which never decreases, even if the clock is set back.
  private func version(of draft: Draft, live: Image?, nowMs: Int64) -> Int64 {
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

  /// Compares timestamps. Packaged data that only the host vouches for neither raises the floor nor outranks signed
  /// content.
  private func orderTimestamps(
    _ draft: Draft, live: Image?, nowMs: Int64, maximumFutureMs: Int64?
  ) throws(RemoraError) -> Order {
    let version = draft.version
    try requireNotFuture(version, nowMs: nowMs, maximumFutureMs)
    if version < floor { return .older }
    guard let live, !live.metadata.isOnHostsWord, live.metadata.version == version else { return .newer }
    guard draft.hasSameEntries(as: live) else {
      if mayCorrect { return .newer }
      throw RemoraError(
        .equivocation,
        "for the timestamp \(version), the server's content differs from the content accepted earlier")
    }
    return .unchanged
  }

  /// Compares incremented numbers: only a number above both the live version and that of the default values is newer.
  private func orderRaised(_ draft: Draft, live: Image?, above start: Int64?) -> Order {
    let version = draft.version
    let fetched = live.flatMap { $0.metadata.isPackaged ? nil : $0.metadata.version }
    if let live, version == fetched ?? start { return draft.hasSameEntries(as: live) ? .unchanged : .notRaised }
    if rule.isBelow(version, floor: floor) { return .older }
    let known = [fetched, start].compactMap(\.self).max()
    guard let known, version <= known else { return .newer }
    return .older
  }
}
