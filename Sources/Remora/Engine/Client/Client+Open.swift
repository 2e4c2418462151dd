// SPDX-License-Identifier: Apache-2.0
//
// Opens each kind of source: converts its options to a dialect and to the options of every source.

extension Client {
  /// Opens a collection.
  ///
  /// - Throws: `.invalidArgument` naming the option; for packaged data also `.storage`, `.parse`, `.format`, or
  ///   `.tooLarge`.
  package func openCollection(
    _ collection: CollectionOptions, first: FirstSubscriber? = nil
  ) throws(RemoraError) -> OpenSource {
    let dialect = try collection.dialect(server: options.server, bucket: options.bucket)
    var source = SourceOptions()
    source.packaged = try collection.packaged.map { data throws(RemoraError) in
      try PackagedCompilation(dialect, services).image(of: data)
    }
    source.packagedAttachments = collection.packagedAttachments
    source.activation = collection.activation
    source.note(collection)
    source.take(collection.opening, fetchesByDefault: false)
    return try open(dialect, source, first: first)
  }

  /// Opens a bundle.
  ///
  /// - Throws: The errors of `BundleOptions.resolved`; `.closed`.
  package func openBundle(
    _ bundle: BundleOptions, first: FirstSubscriber? = nil
  ) throws(RemoraError) -> OpenSource {
    let (dialect, defaults) = try bundle.resolved(hashSeed: services.hashSeed)
    var source = SourceOptions()
    source.defaults = defaults
    source.note("default_bundle", bundle.defaultBundle?.withBytes { "\($0.count) \(checksum64($0))" })
    source.note("default_version", bundle.defaultVersion.map { "\($0)" })
    source.take(bundle.opening, fetchesByDefault: dialect.serverIdentity != nil)
    return try open(dialect, source, first: first)
  }

  /// Opens settings.
  ///
  /// - Throws: The errors of `SettingsOptions.dialect` and `PackagedDialect.compile`; `.closed`.
  package func openSettings(
    _ settings: SettingsOptions, first: FirstSubscriber? = nil
  ) throws(RemoraError) -> OpenSource {
    let dialect = try settings.dialect()
    var source = SourceOptions()
    source.packaged = try settings.packaged.map { data throws(RemoraError) in
      try PackagedCompilation(dialect, services, isMemoryOnly: settings.isMemoryOnly).image(of: data)
    }
    source.lifetime = settings.lifetime
    source.refreshesAtExpiry = settings.tag != nil && settings.lifetime != .none
    source.isMemoryOnly = settings.isMemoryOnly
    source.activation = settings.activation ?? (settings.tag == nil ? .nextSetup : .immediate)
    source.note("tag_item", settings.tag == nil && settings.tagItem != "tag" ? settings.tagItem : nil)
    source.note("activation", settings.activation.map { "\($0)" })
    source.note("memory_only", settings.isMemoryOnly ? "1" : nil)
    source.note(settings.packaged)
    source.take(settings.opening, fetchesByDefault: true)
    source.note("ttl_ms", settings.lifetime == .said ? nil : "\(settings.lifetime)")
    return try open(dialect, source, first: first)
  }
}
