// SPDX-License-Identifier: Apache-2.0
//
// When a fetched image becomes the live one. Until then it is staged: kept beside the live one, in memory and on disk,
// and what the next refresh asks and merges over.

/// When a fetched image becomes the live one; raw values are those of the header.
package enum ActivationMode: Int32, Sendable {
  /// At once.
  case immediate = 1
  /// When the source is opened by another client.
  case nextSetup
  /// When the host says so.
  case manual
}
