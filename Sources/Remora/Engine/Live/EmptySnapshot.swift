// SPDX-License-Identifier: Apache-2.0
//
// The snapshot of a source that has nothing yet.

extension Snapshot {
  /// Creates a snapshot without keys, whose image belongs to no source.
  ///
  /// - Throws: `.unavailable` when memory ends.
  static func empty(hashSeed: HashSeed) throws(RemoraError) -> Snapshot {
    let metadata = ImageMetadata(identity: "", version: 0, fetchedAtMs: 0)
    return Snapshot(base: try writeImage(metadata, entries: [], hashSeed: hashSeed), origin: .none)
  }

  /// Whether it is such a snapshot.
  var isOfNoSource: Bool { base.metadata.identity.isEmpty }
}
