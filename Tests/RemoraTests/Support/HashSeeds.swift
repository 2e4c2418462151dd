// SPDX-License-Identifier: Apache-2.0
//
// What writes images, for tests that do not care by which hash seed.

@testable import Remora

extension HashSeed {
  /// The seed of tests: images of the same content are equal.
  static var test: HashSeed { HashSeed(low: 0x5EED, high: 0x7E57) }
}

func writeImage(_ metadata: ImageMetadata, entries: some Collection<ImageEntry>) throws(RemoraError) -> Image {
  try writeImage(metadata, entries: entries, hashSeed: .test)
}

extension CollectionDialect {
  func compile(_ data: PackagedData) throws(RemoraError) -> PackagedImage { try compile(data, hashSeed: .test) }
}

extension BundleOptions {
  func resolved() throws(RemoraError) -> (BundleDialect, DefaultValues?) { try resolved(hashSeed: .test) }
}

extension OverrideList {
  func image(of identity: String) throws(RemoraError) -> Image { try image(of: identity, hashSeed: .test) }
}

extension Composition {
  init(_ dialect: any Dialect, nothing: Snapshot) { self.init(dialect, nothing: nothing, hashSeed: { .test }) }
}
