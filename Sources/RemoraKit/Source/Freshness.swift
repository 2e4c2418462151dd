// SPDX-License-Identifier: Apache-2.0

internal import Remora

/// Whether the last successful refresh is recent enough; see `Client.Configuration.maximumStale`.
public enum Freshness: String, CaseIterable, Sendable {
  /// `maximumStale` is not set, or the source is a bundle without a URL.
  case none
  /// No refresh has succeeded.
  case never
  /// The last successful refresh of any process is at most `maximumStale` ago.
  case fresh
  /// The last successful refresh is more than `maximumStale` ago, or more than a minute in the future.
  case stale

  init(_ freshness: Remora.Freshness) {
    switch freshness {
    case .none: self = .none
    case .never: self = .never
    case .fresh: self = .fresh
    case .stale: self = .stale
    }
  }
}
