// SPDX-License-Identifier: Apache-2.0
//
// What a source's versions are, and so which of them may follow which.

/// How the versions of a source are judged.
package enum VersionRule: Sendable, Equatable {
  /// Timestamps of a server: none below what was accepted, none further ahead of the clock than so many ms (nil is any
  /// distance), and one content for each.
  case timestamps(maximumFutureMs: Int64?)
  /// Numbers that a person raises: only what is higher than the live one, and than that of the default values if they
  /// have one.
  case raised(above: Int64?)
  /// Times of fetches, for documents without a version: what has other entries than the newest one is newer.
  case fetchTimes

  /// Whether a version is below the floor. Numbers that are raised may be negative: no floor is 0.
  package func isBelow(_ version: Int64, floor: Int64) -> Bool {
    switch self {
    case .timestamps: version < floor
    case .fetchTimes: false
    case .raised: floor > 0 && version < floor
    }
  }
}
