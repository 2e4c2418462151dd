// SPDX-License-Identifier: Apache-2.0
//
// The source for which a host requests or saves a seed, and the rules about which sources have one.

package struct SeedSource: Sendable {
  package let dialect: any Dialect
  /// Whether an installer may request the seed itself. The seed of a collection contains a certificate chain too.
  let hasRequest: Bool

  /// Returns the one source that a host has set, with the client's defaults for a collection.
  ///
  /// - Throws: `.invalidArgument` unless exactly one source is set, and can have a seed; the errors of its options.
  package init(
    settings: SettingsOptions?, bundle: BundleOptions?, collection: CollectionOptions?, of client: ClientOptions
  ) throws(RemoraError) {
    switch (settings, bundle, collection) {
    case (let settings?, nil, nil): dialect = try settings.seedDialect()
    case (nil, let bundle?, nil): dialect = try bundle.seedDialect()
    case (nil, nil, let collection?): dialect = try collection.dialect(server: client.server, bucket: client.bucket)
    default:
      let given = [settings != nil, bundle != nil, collection != nil].filter { $0 }.count
      throw .invalidArgument("options", "must describe exactly one source, but describes \(given)")
    }
    hasRequest = collection == nil
  }
}

extension SettingsOptions {
  /// Returns the rules for a seed of these settings.
  ///
  /// - Throws: The errors of `dialect`; `.invalidArgument` for settings that are never stored.
  fileprivate func seedDialect() throws(RemoraError) -> SettingsDialect {
    guard !isMemoryOnly else {
      throw .invalidArgument("memory_only", "must be off for a seed, because a seed is stored")
    }
    return try dialect()
  }
}

extension BundleOptions {
  /// Returns the rules for a seed of this bundle.
  ///
  /// - Throws: The errors of `resolved`; `.invalidArgument` for a bundle that is never fetched.
  fileprivate func seedDialect() throws(RemoraError) -> BundleDialect {
    let dialect = try resolved(hashSeed: Runtime.shared.hashSeed).0
    guard dialect.serverIdentity != nil else {
      throw .invalidArgument("url", "is required for a seed")
    }
    return dialect
  }
}
