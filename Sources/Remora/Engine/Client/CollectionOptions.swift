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
  /// Pins of the time before a rotation.
  package var previousRoots: [String] = []
  /// The signer's name; nil is what the bucket asks for.
  package var signer: String?
  package var trustedHosts: [String] = []
  /// nil is any distance.
  package var maximumFutureMs: Int64? = CollectionDialect.defaultFutureMs
  /// Start values.
  package var packaged: PackagedData?
  /// A folder of attachments, each named by the id of its record.
  package var packagedAttachments: String?
  package var opening = OpeningOptions()
  /// When what is fetched becomes live.
  package var activation = ActivationMode.immediate

  package init() {}
}

/// Start values that a host brings.
package enum PackagedData: Sendable {
  case file(String)
  case bytes([UInt8])

  /// They may be as large as the largest body.
  package static let maximumBytes = TransportOptions.largestBodyBytes

  /// The bytes, with their name for sentences.
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
  /// The rules of the collection, with these defaults.
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

  /// Each costs a look at the disk at every open before the first fetch; a host that rotates keeps one or two.
  private static let mostPreviousRoots = 8

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
  /// Notes those that are no part of the collection's identity.
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

  /// Notes start values: the path of a file, or the checksum of bytes.
  mutating func note(_ packaged: PackagedData?) {
    switch packaged {
    case .file(let path): note("packaged_file", path)
    case .bytes(let bytes): note("packaged_data", bytes.withBytes { "\($0.count) \(checksum64($0))" })
    case nil: break
    }
  }
}

extension CollectionDialect {
  /// Compiles packaged data, on the host's word: nothing of it is verified here. Its signatures are kept for later,
  /// unless the policy asks for none.
  package func compile(_ data: PackagedData, hashSeed: HashSeed) throws(RemoraError) -> PackagedImage {
    let (bytes, name) = try data.read()
    return try compile(bytes, named: name, hashSeed: hashSeed)
  }

  /// The same for bytes, with their name for sentences.
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
    // It owns the memory of the entries.
    defer { withExtendedLifetime(document) {} }
    let entries = Draft(full: document).entries.lazy.map(ImageEntry.own)
    return PackagedImage(
      image: try writeImage(metadata, entries: entries, hashSeed: hashSeed),
      signatures: policy == .off ? [] : document.signatures)
  }
}
