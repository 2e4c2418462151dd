// SPDX-License-Identifier: Apache-2.0
//
// Whether genuine content is also in place: not older than what was accepted before, not from the future, and not
// another content under a version that is known.

/// What genuine content is, beside what is there.
package enum Freshness {
  case newer, unchanged, older
}

/// What a refresh knows of the versions accepted before.
package struct FreshnessLimits: Sendable {
  /// The highest version accepted since the last reset.
  package var floor: Int64
  /// How far ahead of the clock a version may be; nil is any distance.
  package var maximumFutureMs: Int64?

  package init(floor: Int64, maximumFutureMs: Int64?) {
    self.floor = floor
    self.maximumFutureMs = maximumFutureMs
  }

  /// Judges content.
  ///
  /// Packaged data is on the host's word: it neither raises the floor nor stands against signed content.
  ///
  /// - Throws: `.future`, `.equivocation`.
  package func judge(
    _ verified: borrowing Verified, live: Image?, nowMs: Int64
  ) throws(RemoraError) -> Freshness {
    let version = verified.draft.version
    if let maximumFutureMs, version > nowMs.addingClamped(maximumFutureMs) {
      throw RemoraError(
        .future, "the timestamp \(version) is more than \(maximumFutureMs) ms ahead of the clock (\(nowMs))")
    }
    if version < floor { return .older }
    guard let live, !live.metadata.isPackaged, live.metadata.version == version else { return .newer }
    guard verified.draft.hasSameEntries(as: live) else {
      throw RemoraError(.equivocation, "the server answers other content under the known timestamp \(version)")
    }
    return .unchanged
  }
}
