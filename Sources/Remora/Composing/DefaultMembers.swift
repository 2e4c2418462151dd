// SPDX-License-Identifier: Apache-2.0
//
// The host's default values. They have two forms: the image that is live until something was fetched, and an adjustment
// that adds default members to fetched keys. The adjustment is applied to every live snapshot and never stored, so that
// a new version of the host can change its defaults at once.

/// Compiled default values.
package struct DefaultValues: Sendable {
  /// The live image until something was fetched.
  let image: Image
  /// The adjustment that adds default members to fetched keys.
  let members: DefaultMembers
  /// The first key in the default values.
  let first: [UInt8]?

  package init(image: Image, inherited: Image, first: [UInt8]?) {
    self.image = image
    members = DefaultMembers(inherited)
    self.first = first
  }
}

/// The adjustment of default values. An object of the base receives the members that it lacks, and so do its member
/// objects. A key that the base does not have, or that was removed, receives nothing.
struct DefaultMembers: Sendable {
  let image: Image
  /// The keys that it may change, sorted by their bytes, each once.
  let keys: [[UInt8]]

  init(_ image: Image) {
    self.image = image
    let reader = image.reader(over: nil)
    keys = (0..<reader.count).compactMap { reader.entry(at: $0) }.map { Array($0.key) }
  }

  /// Adds the members that the value of a key lacks.
  func change(_ key: inout AdjustedKey) throws(RemoraError) {
    guard key.origin != nil, let entry = key.key.withBytes({ image.reader(over: nil).entry($0) }) else { return }
    defer { withExtendedLifetime(image) {} }
    try key.value.complete(from: entry.value)
  }
}
