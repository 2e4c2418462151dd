// SPDX-License-Identifier: Apache-2.0
//
// The options of a collection, completed with the defaults of the client and of the presets.

/// The options of a collection.
package struct CollectionOptions: Sendable {
  package var collection = ""
  /// The name of a preset, or a URL; nil means the client's server.
  package var server: String?
  /// The bucket; nil means the client's bucket.
  package var bucket: String?
  /// Whether signatures are required.
  package var requiresSignature = true
  /// The root pin in hexadecimal digits; nil means the preset's pin.
  package var rootSHA256: String?
  /// The root pins from before a rotation.
  package var previousRoots: [String] = []
  /// The name of the signer; nil means the default for the bucket.
  package var signer: String?
  package var trustedHosts: [String] = []
  /// The limit for timestamps in the future; nil means no limit.
  package var maximumFutureMs: Int64? = CollectionDialect.defaultFutureMs
  /// The packaged data.
  package var packaged: PackagedData?
  /// The folder of packaged attachments, each named by the id of its record.
  package var packagedAttachments: String?
  package var opening = OpeningOptions()
  /// When fetched data becomes live.
  package var activation = ActivationMode.immediate

  package init() {}
}

/// The packaged data of a host.
package enum PackagedData: Sendable {
  case file(String)
  case bytes([UInt8])

  /// The maximum size, which is that of a response body.
  package static let maximumBytes = TransportOptions.largestBodyBytes

  /// Reads the bytes; `name` identifies them in messages.
  ///
  /// - Throws: `.storage`, `.tooLarge`.
  func read() throws(RemoraError) -> ([UInt8], name: String) {
    switch self {
    case .bytes(let given): (given, "packaged_data")
    case .file(let path): (try readFile(path, limit: Self.maximumBytes), path)
    }
  }
}

extension CollectionOptions {
  /// Returns the rules of the collection, with these defaults.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  package func dialect(
    server defaultServer: String, bucket defaultBucket: String
  ) throws(RemoraError) -> CollectionDialect {
    let server = try CollectionServer(server ?? defaultServer)
    let bucket = bucket ?? defaultBucket
    var policy = TrustPolicy.off
    let pin = try rootSHA256.map { hex throws(RemoraError) in try RootPin(hex: hex) }
    let previousRoots = try checkedPreviousRoots()
    if requiresSignature {
      let preset: RootPin = server.isProduction ? .production : .nonProduction
      policy = .required(root: pin ?? preset, signer: signer ?? TrustPolicy.defaultSigner(bucket: bucket))
    }
    return try CollectionDialect(
      server: server, bucket: bucket, collection: collection, policy: policy, previousRoots: previousRoots,
      trustedHosts: trustedHosts, maximumFutureMs: maximumFutureMs)
  }

  /// The maximum number of earlier root pins. Each pin costs a disk access at every opening before the first fetch; a
  /// host that rotates its root keeps one or two.
  private static let mostPreviousRoots = 8

  /// Parses the earlier root pins.
  ///
  /// - Throws: `.invalidArgument` naming the option.
  private func checkedPreviousRoots() throws(RemoraError) -> [RootPin] {
    guard previousRoots.count <= Self.mostPreviousRoots else {
      throw .invalidArgument(
        "previous_roots", "has \(previousRoots.count) entries; at most \(Self.mostPreviousRoots) are allowed")
    }
    var pins: [RootPin] = []
    for hex in previousRoots { pins.append(try RootPin(hex: hex, as: "previous_roots")) }
    return pins
  }
}

extension SourceOptions {
  /// Records the options that are not part of the collection's identity.
  mutating func note(_ collection: CollectionOptions) {
    note("trusted_hosts", collection.trustedHosts.isEmpty ? nil : collection.trustedHosts.joined(separator: "\n"))
    note(collection.packaged)
    if collection.maximumFutureMs != CollectionDialect.defaultFutureMs {
      note("max_future_ms", "\(collection.maximumFutureMs ?? -1)")
    }
    note("previous_roots", collection.previousRoots.isEmpty ? nil : collection.previousRoots.joined(separator: "\n"))
    note("packaged_attachments", packagedAttachments)
    note("activation", activation == .immediate ? nil : "\(activation)")
  }

  /// Records packaged data: the path of a file, or the length and checksum of bytes.
  mutating func note(_ packaged: PackagedData?) {
    switch packaged {
    case .file(let path): note("packaged_file", path)
    case .bytes(let bytes): note("packaged_data", bytes.withBytes { "\($0.count) \(checksum64($0))" })
    case nil: break
    }
  }
}

extension CollectionDialect {
  /// Compiles packaged data without verifying it, because the host is trusted. Its signatures are kept for a later
  /// verification, unless the policy requires none.
  package func compile(_ data: PackagedData, hashSeed: HashSeed) throws(RemoraError) -> PackagedImage {
    let (bytes, name) = try data.read()
    return try compile(bytes, named: name, hashSeed: hashSeed)
  }

  /// Compiles packaged data in memory without verifying it; `source` is its name in messages.
  ///
  /// - Parameter isOfAny: Whether the metadata may name another collection.
  package func compile(
    _ bytes: [UInt8], named source: String, hashSeed: HashSeed, isOfAny: Bool = false
  ) throws(RemoraError) -> PackagedImage {
    guard bytes.count <= PackagedData.maximumBytes else {
      throw RemoraError(.tooLarge, "\(source) has more than \(PackagedData.maximumBytes) bytes")
    }
    let document = try bytes.withBytes { bytes throws(RemoraError) in
      try decodePackaged(bytes, named: source, of: isOfAny ? nil : name)
    }
    let metadata = ImageMetadata(
      identity: identity, version: document.version, fetchedAtMs: 0,
      mayHaveFilters: document.hasFilters)
    // The document owns the memory of the entries.
    defer { withExtendedLifetime(document) {} }
    let entries = Draft(full: document).entries.lazy.map(ImageEntry.own)
    return PackagedImage(
      image: try writeImage(metadata, entries: entries, hashSeed: hashSeed),
      signatures: policy == .off ? [] : document.signatures)
  }
}
