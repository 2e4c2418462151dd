// SPDX-License-Identifier: Apache-2.0
//
// The snapshot of a source that has nothing yet.

extension Snapshot {
  /// Creates a snapshot without keys, whose image belongs to no source.
  static func empty(hashSeed: HashSeed) -> Snapshot {
    let metadata = ImageMetadata(identity: "", version: 0, fetchedAtMs: 0)
    do throws(RemoraError) {
      return Snapshot(base: try writeImage(metadata, entries: [], hashSeed: hashSeed), origin: .none)
    } catch {
      preconditionFailure("an empty image cannot be written: \(error.message)")
    }
  }

  /// Whether it is such a snapshot.
  var isOfNoSource: Bool { base.metadata.identity.isEmpty }
}
