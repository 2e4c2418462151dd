// SPDX-License-Identifier: Apache-2.0
//
// The live and the staged snapshot of a source, and their layers.

/// The snapshots of a source, and the layers from which they are composed.
struct SourceSnapshots {
  /// The live snapshot.
  var live: Snapshot
  /// The snapshot that is not activated yet.
  var staged: Snapshot?
  /// The layers above every base.
  var layers: Layers

  /// The newest data; nil if there is none.
  var newest: Image? { staged?.base ?? (live.origin == .none ? nil : live.base) }
}
