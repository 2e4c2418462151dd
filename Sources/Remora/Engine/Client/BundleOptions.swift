// SPDX-License-Identifier: Apache-2.0
//
// What a host says of a bundle, and its default bundle, which is checked without leniency: who wrote it is here to hear
// of a mistake.

/// The options of a bundle.
package struct BundleOptions: Sendable {
  /// Where it is; nil keeps it local.
  package var url: String?
  /// Tells bundles of the same place apart.
  package var name = ""
  package var method = HTTPMethod.get
  /// What `$schema` must begin with behind its scheme, up to and with the model.
  package var acceptedSchema = BundleSchema.snowplow
  /// The JSON of the default bundle, or of its elements alone.
  package var defaultBundle: [UInt8]?
  /// Its version; nil is what it says itself, or lower than any.
  package var defaultVersion: Int64?
  package var opening = OpeningOptions()

  package init() {}
}

extension BundleOptions {
  /// The rules of the bundle, and its compiled defaults.
  ///
  /// - Throws: `.invalidArgument` naming the option; `.parse`, `.format` or `.tooLarge` naming the default bundle.
  package func resolved(
    hashSeed: @autoclosure () -> HashSeed
  ) throws(RemoraError) -> (BundleDialect, DefaultValues?) {
    let schema = try BundleSchema(acceptedSchema)
    let document = try url.map { text throws(RemoraError) in try DocumentURL(text, method: method, as: "url") }
    if document == nil {
      guard opening.refreshIntervalMs == nil else { throw .invalidArgument("refresh_interval_ms", "needs a url") }
      guard opening.firstFetch != .atOpen else { throw .invalidArgument("first_fetch", "needs a url") }
    }
    if let defaultVersion, defaultVersion < 1 {
      throw .invalidArgument("default_version", "is \(defaultVersion), but must be 1 or higher")
    }
    guard let defaultBundle else {
      guard defaultVersion == nil else { throw .invalidArgument("default_version", "needs a default_bundle") }
      return (BundleDialect(document, name: name, schema: schema, defaultVersion: nil), nil)
    }
    return try defaultBundle.withBytes { bytes throws(RemoraError) in
      try resolved(
        document, schema, BundleContent(bytes, schema, named: Self.defaultName, keepsRemoved: true), hashSeed())
    }
  }

  private func resolved(
    _ document: DocumentURL?, _ schema: BundleSchema, _ content: consuming BundleContent, _ hashSeed: HashSeed
  ) throws(RemoraError) -> (BundleDialect, DefaultValues?) {
    if let problem = content.elements.remarks.all.first {
      throw .format("\(Self.defaultName) at \(problem.place)", problem.problem)
    }
    if let said = content.version, let defaultVersion, said != defaultVersion {
      throw .invalidArgument("default_version", "is \(defaultVersion), but default_bundle says \(said)")
    }
    let version = defaultVersion ?? content.version
    let dialect = BundleDialect(document, name: name, schema: schema, defaultVersion: version)
    return (dialect, try Self.compile(content, version ?? 0, dialect.identity, hashSeed))
  }

  private static var defaultName: String { "default_bundle" }

  /// Two images of the same elements: those that can be live, and all, for what others inherit.
  private static func compile(
    _ content: consuming BundleContent, _ version: Int64, _ identity: String, _ hashSeed: HashSeed
  ) throws(RemoraError) -> DefaultValues {
    let (active, first) = (content.elements.active, content.elements.first)
    let document = try content.intoDocument(version: version)
    let metadata = ImageMetadata(
      identity: identity, version: version, fetchedAtMs: 0, mayHaveFilters: false)
    let all = try writeImage(metadata, entries: document.entries.map(ImageEntry.own), hashSeed: hashSeed)
    let live = document.entries.filter { active.contains(Array($0.key)) }
    let image = try writeImage(metadata, entries: live.map(ImageEntry.own), hashSeed: hashSeed)
    return withExtendedLifetime(document) { DefaultValues(image: image, inherited: all, first: first) }
  }
}
