// SPDX-License-Identifier: Apache-2.0
//
// The options of a collection, completed with the defaults of the client and of the presets.

package struct CollectionOptions: Sendable {
  package var collection = ""
  /// The name of a preset, or a URL; nil means the client's server.
  package var server: String?
  /// The bucket; nil means the client's bucket.
  package var bucket: String?
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
  package var packaged: PackagedData?
  /// The folder of packaged attachments, each named by the id of its record.
  package var packagedAttachments: String?
  package var opening = OpeningOptions()
  package var activation = ActivationMode.immediate

  package init() {}
}

extension CollectionOptions {
  /// Sets `requiresSignature` from a trust mode of the C header.
  ///
  /// - Throws: `.invalidArgument`.
  package mutating func setTrust(option number: Int32) throws(RemoraError) {
    switch number {
    case 0: requiresSignature = true
    case 1: requiresSignature = false
    default: throw .invalidArgument("trust", "is \(number), which is not a trust mode")
    }
  }

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
    case .bytes(let given): note("packaged_data", given.withBytes(described))
    case .borrowed(let given): note("packaged_data", described(given.bytes))
    case nil: break
    }
  }

  private func described(_ bytes: UnsafeRawBufferPointer) -> String { "\(bytes.count) \(checksum64(bytes))" }
}
