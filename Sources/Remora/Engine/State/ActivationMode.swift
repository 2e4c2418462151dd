// SPDX-License-Identifier: Apache-2.0
//
// The activation modes. Until a fetched image becomes live it is staged: kept in memory and on disk in addition to the
// live one. The next refresh requests changes since the staged image and merges them with it.

/// The time at which a fetched image becomes live; raw values are those of the C header.
package enum ActivationMode: Int32, Sendable {
  /// At once.
  case immediate = 1
  /// When the source is opened by another client.
  case nextSetup
  /// When the host activates it.
  case manual
}
