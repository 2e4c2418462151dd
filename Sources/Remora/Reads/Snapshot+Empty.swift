// SPDX-License-Identifier: Apache-2.0
//
// The snapshot of a source without any data.

extension Snapshot {
  /// Creates a snapshot without keys, whose image belongs to no source.
  ///
  /// - Throws: `.unavailable` if memory is exhausted.
  package static func empty(hashSeed: HashSeed) throws(RemoraError) -> Snapshot {
    let metadata = ImageMetadata(identity: "", version: 0, fetchedAtMs: 0)
    return Snapshot(base: try writeImage(metadata, entries: [], hashSeed: hashSeed), origin: .none)
  }

  /// Whether the snapshot was created by `empty`.
  var isOfNoSource: Bool { base.metadata.identity.isEmpty }
}
