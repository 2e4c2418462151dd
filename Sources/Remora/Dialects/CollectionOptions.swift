// SPDX-License-Identifier: Apache-2.0
//
// What a host says of a collection, completed with the client's and the presets' defaults.

/// The options of a collection.
package struct CollectionOptions: Sendable {
  package var collection = ""
  /// A preset's name or a URL; nil is the client's.
  package var server: String?
  /// nil is the client's.
  package var bucket: String?
  /// Whether signatures are demanded.
  package var requiresSignature = true
  /// The pin in hexadecimal digits; nil is the preset's.
  package var rootSHA256: String?
  /// The signer's name; nil is what the bucket asks for.
  package var signer: String?
  package var trustedHosts: [String] = []
  /// nil is any distance.
  package var maximumFutureMs: Int64? = CollectionDialect.defaultFutureMs
  /// Start values.
  package var packaged: PackagedData?
  /// How often it is refreshed without being asked, about; nil is never.
  package var refreshIntervalMs: Int64?

  package init() {}
}

/// Start values that a host brings.
package enum PackagedData: Sendable {
  case file(String)
  case bytes([UInt8])
}

extension Client {
  /// Opens a collection.
  ///
  /// - Throws: `.invalidArgument` naming the option; for packaged data also `.storage`, `.parse`, `.format`, or
  ///   `.tooLarge`.
  package func openCollection(
    _ collection: CollectionOptions, subscriber: EventSink? = nil
  ) throws(RemoraError) -> OpenSource {
    let server = try CollectionServer(collection.server ?? options.server)
    let bucket = collection.bucket ?? options.bucket
    var policy = TrustPolicy.off
    let pin = try collection.rootSHA256.map(RootPin.init(hex:))
    if collection.requiresSignature {
      let preset: RootPin = server.isProduction ? .production : .nonProduction
      policy = .required(
        root: pin ?? preset,
        signer: collection.signer ?? TrustPolicy.defaultSigner(bucket: bucket))
    }
    let dialect = try CollectionDialect(
      server: server, bucket: bucket, collection: collection.collection, policy: policy,
      trustedHosts: collection.trustedHosts, maximumFutureMs: collection.maximumFutureMs)
    let packaged = try collection.packaged.map { data throws(RemoraError) in try dialect.compile(data) }
    return try open(
      dialect, packaged: packaged, refreshIntervalMs: collection.refreshIntervalMs, subscriber: subscriber)
  }
}

extension CollectionDialect {
  /// Packaged data may be as large as the largest body.
  private static let maximumPackagedBytes = 256 << 20

  /// Compiles packaged data, on the host's word: nothing of it is verified here.
  package func compile(_ data: PackagedData) throws(RemoraError) -> Image {
    let bytes: [UInt8]
    let name: String
    switch data {
    case .bytes(let given): (bytes, name) = (given, "packaged_data")
    case .file(let path): (bytes, name) = (try readFile(path, limit: Self.maximumPackagedBytes), path)
    }
    guard bytes.count <= Self.maximumPackagedBytes else {
      throw RemoraError(.tooLarge, "\(name) has more than \(Self.maximumPackagedBytes) bytes")
    }
    let document = try bytes.withBytes { bytes throws(RemoraError) in
      try decodeCollection(bytes, .packaged, named: name)
    }
    guard document.removed.isEmpty else { throw .format(name, "has deleted records") }
    let metadata = ImageMetadata(
      identity: identity, version: document.version, fetchedAtMs: 0, isVerified: false,
      mayHaveFilters: document.hasFilters)
    return try writeImage(metadata, entries: Draft(full: document).entries.lazy.map(ImageEntry.own))
  }
}
