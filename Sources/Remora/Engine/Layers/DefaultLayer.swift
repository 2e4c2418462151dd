// SPDX-License-Identifier: Apache-2.0
//
// Default values that a host brings. Two things are made of them: the image that is live while nothing was fetched, and
// the layer by which keys that were fetched inherit what they lack. The layer is laid over whatever is live and never
// stored, so that new defaults of a new version of the host hold at once.

/// Compiled default values.
package struct DefaultValues: Sendable {
  /// What is live while nothing was fetched.
  let image: Image
  /// What fetched keys inherit.
  let layer: DefaultLayer
  /// The key that comes first in them.
  let first: [UInt8]?

  package init(image: Image, inherited: Image, first: [UInt8]?) {
    self.image = image
    layer = DefaultLayer(inherited)
    self.first = first
  }
}

/// The layer of default values: an object of the base gets the members that it lacks, and its objects theirs. A key that
/// the base has not, or has removed, inherits nothing.
struct DefaultLayer: Layer {
  private let image: Image
  let keys: [[UInt8]]

  init(_ image: Image) {
    self.image = image
    let reader = image.reader(over: nil)
    keys = (0..<reader.count).compactMap { reader.entry(at: $0) }.map { Array($0.key) }
  }

  func change(_ key: inout LayeredKey) throws(RemoraError) {
    guard key.origin != nil, let entry = key.key.withBytes({ image.reader(over: nil).entry($0) }) else { return }
    defer { withExtendedLifetime(image) {} }
    try key.value.complete(from: entry.value)
  }
}
