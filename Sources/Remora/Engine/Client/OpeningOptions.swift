// SPDX-License-Identifier: Apache-2.0
//
// What a host says of the opening of a source, whatever its kind.

/// Whether opening a source begins a refresh; raw values are those of the header.
package enum FirstFetch: Int32, Sendable {
  /// As is usual for the kind of source.
  case kindsDefault = 0
  /// Each opening begins one.
  case atOpen
  /// The first request is sent when something asks for it.
  case onRequest
}

/// How a source is opened.
package struct OpeningOptions: Sendable {
  package var firstFetch = FirstFetch.kindsDefault
  /// How often it is refreshed without a call of the host, about; nil is never.
  package var refreshIntervalMs: Int64?
  /// Whether overrides are stored, and read at the next open.
  package var persistsOverrides = false

  package init() {}
}

extension SourceOptions {
  /// Takes the options of an opening.
  ///
  /// - Parameter fetches: Whether opening a source of this kind begins a refresh unless the host says otherwise.
  mutating func take(_ opening: OpeningOptions, fetchesByDefault fetches: Bool) {
    fetchesAtOpen = opening.firstFetch == .kindsDefault ? fetches : opening.firstFetch == .atOpen
    refreshIntervalMs = opening.refreshIntervalMs
    persistsOverrides = opening.persistsOverrides
    note("refresh_interval_ms", refreshIntervalMs.map { "\($0)" })
    note("persist_overrides", persistsOverrides ? "1" : nil)
  }
}
