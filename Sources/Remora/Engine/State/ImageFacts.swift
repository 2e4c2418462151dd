// SPDX-License-Identifier: Apache-2.0
//
// What decisions need to know of images: facts, not the images themselves.

/// The order in which images of a source were stored.
package struct Stamp: Comparable, Sendable {
  /// Raised by a reset.
  package var epoch: UInt64 = 0
  /// Raised by each new image.
  package var generation: UInt64 = 0

  package static func < (left: Stamp, right: Stamp) -> Bool {
    (left.epoch, left.generation) < (right.epoch, right.generation)
  }
}

extension SourceLedger {
  /// The stamp of the newest image that the ledger knows of.
  package var stamp: Stamp { Stamp(epoch: epoch, generation: generation) }
}

/// An image, as decisions see it.
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

/// An image that is about to become live or staged, with what that changes.
package struct ArrivingImage: Sendable {
  package var image: ImageFacts
  /// Experiments that it has and the announced image before it had not.
  package var experiments: [ExperimentID] = []
  /// Keys that it removes; their overrides end.
  package var removedKeys: [[UInt8]] = []

  package init(_ image: ImageFacts, experiments: [ExperimentID] = [], removedKeys: [[UInt8]] = []) {
    self.image = image
    self.experiments = experiments
    self.removedKeys = removedKeys
  }
}
