// SPDX-License-Identifier: Apache-2.0
//
// The properties of images that decisions depend on, without the images themselves.

/// The order in which images of a source were stored.
package struct Stamp: Comparable, Sendable {
  /// Incremented by a reset.
  package var epoch: UInt64 = 0
  /// Incremented by each new image.
  package var generation: UInt64 = 0

  package static func < (left: Stamp, right: Stamp) -> Bool {
    (left.epoch, left.generation) < (right.epoch, right.generation)
  }
}

extension SourceLedger {
  /// The stamp of the newest image that the ledger knows.
  package var stamp: Stamp { Stamp(epoch: epoch, generation: generation) }
}

/// The properties of an image that decisions depend on.
package struct ImageFacts: Equatable, Sendable {
  package let stamp: Stamp
  package let version: Int64
  /// Equal for equal content, whether the image was compiled or mapped from a file.
  package let checksum: UInt64

  package init(stamp: Stamp = Stamp(), version: Int64, checksum: UInt64) {
    self.stamp = stamp
    self.version = version
    self.checksum = checksum
  }

  package init(_ image: Image) {
    self.init(
      stamp: Stamp(epoch: image.metadata.epoch, generation: image.metadata.generation),
      version: image.metadata.version, checksum: image.checksum)
  }
}

/// An image that is about to become live or staged, with the resulting changes.
package struct ArrivingImage: Sendable {
  package var image: ImageFacts
  /// Experiments that the image has and the previous reported image does not have.
  package var experiments: [ExperimentID] = []
  /// Keys that the image removes; their overrides are removed too.
  package var removedKeys: [[UInt8]] = []

  package init(_ image: ImageFacts, experiments: [ExperimentID] = [], removedKeys: [[UInt8]] = []) {
    self.image = image
    self.experiments = experiments
    self.removedKeys = removedKeys
  }
}
