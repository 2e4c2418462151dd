// SPDX-License-Identifier: Apache-2.0
//
// The options of an opening that all kinds of sources share.

/// Whether opening a source starts a refresh; the raw values are those of the C header.
package enum FirstFetch: Int32, Sendable {
  /// The default of the kind of source; at the opening if the source has an interval.
  case kindsDefault = 0
  /// Each opening starts a refresh.
  case atOpen
  /// Opening starts no refresh; a later call or schedule sends the first request.
  case onRequest

  /// Creates the choice from a number of the C header.
  ///
  /// - Throws: `.invalidArgument`.
  package init(option number: Int32) throws(RemoraError) {
    try self.init(number, of: "first_fetch", "a known choice")
  }
}

package struct OpeningOptions: Sendable {
  package var firstFetch = FirstFetch.kindsDefault
  /// The approximate interval of automatic refreshes; nil means none.
  package var refreshIntervalMs: Int64?
  /// Whether overrides are stored, and read at the next opening.
  package var persistsOverrides = false
  /// What fetched data must have to be accepted.
  package var shape = DocumentShape()

  package init() {}

  /// Sets the interval of automatic refreshes; nil means none.
  package mutating func setRefreshInterval(ms interval: Int64?) throws(RemoraError) {
    if let interval, interval < RefreshSchedule.shortestMs {
      throw .invalidArgument(
        "refresh_interval_ms", "is \(interval) ms, but must be at least \(RefreshSchedule.shortestMs) ms")
    }
    refreshIntervalMs = interval
  }
}

extension SourceOptions {
  /// Copies the options of an opening, and records those that the host set.
  ///
  /// - Parameter fetches: Whether opening a source of this kind starts a refresh by default.
  mutating func take(_ opening: OpeningOptions, fetchesByDefault fetches: Bool) {
    fetchesAtOpen =
      opening.firstFetch == .kindsDefault ? fetches || opening.refreshIntervalMs != nil : opening.firstFetch == .atOpen
    refreshIntervalMs = opening.refreshIntervalMs
    persistsOverrides = opening.persistsOverrides
    note("refresh_interval_ms", refreshIntervalMs.map { "\($0)" })
    note("persist_overrides", persistsOverrides ? "1" : nil)
    shape = opening.shape
    note("min_keys", shape.leastKeys.map { "\($0)" })
    note("min_keys_percent", shape.leastPercent.map { "\($0)" })
    note("schema", shape.schema.map { hexText(sha256($0.text)) })
    note("required_keys", shape.requiredKeys.isEmpty ? nil : "\(shape.requiredKeys)")
  }
}
