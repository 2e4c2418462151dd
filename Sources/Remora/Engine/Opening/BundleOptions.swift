// SPDX-License-Identifier: Apache-2.0
//
// The options of a bundle, and its default bundle, which is checked and compiled. The checks are strict, because the
// author of a default bundle is the host's developer, who can fix a mistake.

package struct BundleOptions: Sendable {
  /// The URL; nil for a bundle that is never fetched.
  package var url: String?
  /// Distinguishes bundles with the same URL.
  package var name = ""
  package var method = HTTPMethod.get
  /// The required beginning of `$schema` after its scheme, up to and including the model.
  package var acceptedSchema = BundleSchema.snowplow
  /// The JSON of the default bundle, or only the array of its elements.
  package var defaultBundle: [UInt8]?
  /// The version of the default bundle; nil means the version in its JSON, or lower than any version if the JSON
  /// has no version.
  package var defaultVersion: Int64?
  /// Only `.immediate` is supported, which is also the default.
  package var activation: ActivationMode?
  package var opening = OpeningOptions()

  package init() {}
}

extension BundleOptions {
  /// Returns the rules of the bundle, and its compiled default values.
  ///
  /// - Throws: `.invalidArgument` naming the option; `.parse`, `.format` or `.tooLarge` naming the default bundle.
  package func resolved(
    hashSeed: @autoclosure () -> HashSeed
  ) throws(RemoraError) -> (BundleDialect, DefaultValues?) {
    guard activation ?? .immediate == .immediate else {
      throw .invalidArgument("activation", "must be immediate for a bundle")
    }
    let schema = try BundleSchema(acceptedSchema)
    let document = try url.map { text throws(RemoraError) in try DocumentURL(text, method: method, as: "url") }
    if document == nil {
      guard opening.refreshIntervalMs == nil else {
        throw .invalidArgument(
          "refresh_interval_ms", "must not be set for a bundle without a URL, because a refresh needs one")
      }
      guard opening.firstFetch != .atOpen else {
        throw .invalidArgument(
          "first_fetch", "asks for a request at the opening, but the bundle has no URL")
      }
    }
    if let defaultVersion, defaultVersion < 1 {
      throw .invalidArgument("default_version", "is \(defaultVersion), but must be 1 or higher")
    }
    guard let defaultBundle else {
      guard defaultVersion == nil else {
        throw .invalidArgument("default_version", "must not be set without a default bundle")
      }
      return (BundleDialect(document, name: name, schema: schema, defaultVersion: nil), nil)
    }
    return try defaultBundle.withBytes { bytes throws(RemoraError) in
      try withDefaults(
        BundleContent(ofDefault: bytes, schema, named: Self.defaultOption), document, schema, hashSeed())
    }
  }

  /// Returns the rules of a bundle with a default bundle, and its compiled values.
  private func withDefaults(
    _ content: consuming BundleContent, _ document: DocumentURL?, _ schema: BundleSchema, _ hashSeed: HashSeed
  ) throws(RemoraError) -> (BundleDialect, DefaultValues?) {
    if let problem = content.elements.warnings.all.first {
      throw .format(Self.defaultOption, "must be valid without warnings: \(problem.place) \(problem.problem)")
    }
    if let said = content.version, let defaultVersion, said != defaultVersion {
      throw .invalidArgument("default_version", "is \(defaultVersion), but the default bundle has version \(said)")
    }
    let version = defaultVersion ?? content.version
    let dialect = BundleDialect(document, name: name, schema: schema, defaultVersion: version)
    return (dialect, try Self.compile(content, version ?? 0, dialect.identity, hashSeed))
  }

  private static var defaultOption: String { "default_bundle" }

  /// Compiles two images of the default values: one of the active elements, which can be live, and one of all elements,
  /// from which fetched elements inherit members.
  private static func compile(
    _ content: consuming BundleContent, _ version: Int64, _ identity: String, _ hashSeed: HashSeed
  ) throws(RemoraError) -> DefaultValues {
    let (active, first) = (content.elements.active, content.elements.first)
    let document = try content.document(version: version)
    let metadata = ImageMetadata(
      identity: identity, version: version, fetchedAtMs: 0, mayHaveFilters: false)
    let all = try writeImage(metadata, entries: document.entries.map(ImageEntry.own), hashSeed: hashSeed)
    let live = document.entries.filter { active.contains(Array($0.key)) }
    let image = try writeImage(metadata, entries: live.map(ImageEntry.own), hashSeed: hashSeed)
    return withExtendedLifetime(document) { DefaultValues(image: image, inherited: all, first: first) }
  }
}
