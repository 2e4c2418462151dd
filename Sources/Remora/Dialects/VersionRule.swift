// SPDX-License-Identifier: Apache-2.0
//
// The meaning of a source's versions, and which of them may replace which.

/// The rule by which the versions of a source are compared.
package enum VersionRule: Sendable, Equatable {
  /// Server timestamps: not below the last accepted one, not further ahead of the clock than so many milliseconds (nil
  /// means no limit), and with one content each.
  case timestamps(maximumFutureMs: Int64?)
  /// Manually incremented numbers: only a number above the live version is accepted, and above the version of the
  /// default values if they have one.
  case raised(above: Int64?)
  /// Times of fetches, for documents without a version: a document whose entries differ from the newest one is newer.
  case fetchTimes

  /// Whether a version is below the floor. Incremented numbers may be negative, so a floor of 0 means no floor.
  package func isBelow(_ version: Int64, floor: Int64) -> Bool {
    switch self {
    case .timestamps: version < floor
    case .fetchTimes: false
    case .raised: floor > 0 && version < floor
    }
  }
}
