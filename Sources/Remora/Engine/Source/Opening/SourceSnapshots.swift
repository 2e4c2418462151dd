// SPDX-License-Identifier: Apache-2.0
//
// The snapshots of a source: what is live, what is staged, and the layers over both.

/// The snapshots of a source, and what they are composed with.
struct SourceSnapshots {
  /// What readers see.
  var live: Snapshot
  /// What waits for its activation.
  var staged: Snapshot?
  /// What lies over every base.
  var layers: Layers

  /// The newest data; nil while there is none.
  var newest: Image? { staged?.base ?? (live.origin == .none ? nil : live.base) }
}
