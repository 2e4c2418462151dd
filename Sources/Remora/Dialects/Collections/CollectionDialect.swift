// SPDX-License-Identifier: Apache-2.0
//
// Collections: signed records from a Remote Settings server, over both of its protocols.

package final class CollectionDialect: Dialect {
  package let policy: TrustPolicy
  package let versions: VersionRule
  package let hiding = HidingRule.filter(collectionFilterMember)
  package let updates = UpdateRule.replaceAll
  package let openingEvent = OpeningEvent.always
  package let experiments: ExperimentRules? = nil
  private let server: CollectionServer
  let name: CollectionName
  private let hosts: TrustedHosts
  private let previousRoots: [RootPin]
  package let identity: String
  package let serverIdentity: String?

  /// - Throws: `.invalidArgument` naming the option.
  package init(
    server: CollectionServer, bucket: String, collection: String, policy: TrustPolicy,
    previousRoots: [RootPin] = [], trustedHosts: [String] = [],
    maximumFutureMs: Int64? = CollectionDialect.defaultFutureMs
  ) throws(RemoraError) {
    try Self.requireName(bucket, "bucket")
    try Self.requireName(collection, "name")
    self.server = server
    name = CollectionName(bucket: bucket, collection: collection)
    self.policy = policy
    versions = .timestamps(maximumFutureMs: maximumFutureMs)
    self.previousRoots = previousRoots
    hosts = try TrustedHosts(server: server.base, trustedHosts: trustedHosts)
    serverIdentity = Self.identity(of: server)
    identity = Self.identity(server, bucket, collection, policy)
  }

  /// The default limit for timestamps in the future: one day, which allows for a wrong clock.
  package static let defaultFutureMs = dayMs

  /// The same collection under earlier root pins; empty if nothing is verified.
  package var earlierIdentities: [String] {
    guard case .required(let root, let signer) = policy else { return [] }
    return previousRoots.filter { $0 != root }.map {
      Self.identity(server, name.bucket, name.collection, .required(root: $0, signer: signer))
    }
  }

  /// Returns the text that identifies this server; its format must never change.
  private static func identity(of server: CollectionServer) -> String { "server \(server.base)" }

  /// Returns the text that identifies this collection's data; its format must never change.
  private static func identity(
    _ server: CollectionServer, _ bucket: String, _ collection: String, _ policy: TrustPolicy
  ) -> String {
    var text = ""
    // The memory is reserved first: the first reallocation or release of a long string makes the runtime look up a type
    // by its name.
    text.reserveCapacity(512)
    text += "kind collection\n"
    text += identity(of: server)
    text += "\nbucket "
    text += bucket
    text += "\ncollection "
    text += collection
    text += "\ntrust "
    policy.write(to: &text)
    return text
  }

  package var label: SourceLabel {
    SourceLabel(kind: .collection, server: server.base.description, name: name.description)
  }

  package var attachments: AttachmentRules? { AttachmentRules(server: server.base) }
  package var acceptsExpectedVersion: Bool { true }

  package func request(since base: Image?, expected: Int64) throws(RemoraError) -> Gather {
    let since = base?.metadata.version
    let url = try server.changeset(
      bucket: name.bucket, collection: name.collection, since: since, expected: expected)
    return Gather(.document(since: since), at: url)
  }

  package func monitor(expected: Int64) throws(RemoraError) -> Monitor? {
    let (bucket, collection) = ("monitor", "changes")
    let url = try server.changeset(bucket: bucket, collection: collection, since: nil, expected: expected)
    return Monitor(
      gather: Gather(.document(since: nil), at: url), key: name.description,
      label: SourceLabel(
        kind: .collection, server: server.base.description, name: "\(bucket)/\(collection)"))
  }

  package func decodeMonitor(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> MonitorList {
    try decodeMonitorChanges(bytes)
  }

  /// Follows at most five redirects, within the origin. A URL without `_since` returns a full changeset, even if a diff
  /// was requested.
  package func redirect(_ location: String, of gather: Gather) throws(RemoraError) -> Gather {
    guard gather.redirects < 5 else { throw RemoraError(.redirect, "\(server.base) redirects more than 5 times") }
    let target: ParsedURL
    do throws(RemoraError) {
      target = try gather.url.resolving(location)
    } catch {
      throw RemoraError(.redirect, "\(gather.url.originText) redirects to an invalid URL: \(error.message)")
    }
    guard target.hasSameOrigin(as: gather.url) else {
      throw RemoraError(
        .redirect,
        "\(gather.url.originText) redirects to \(target.originText); only the same origin is allowed")
    }
    let isSince = target.query?.split(separator: "&").contains { $0.hasPrefix("_since=") } ?? false
    var purpose = gather.purpose
    if !isSince, gather.isDiff { purpose = .document(since: nil) }
    return Gather(purpose, at: target, isOwnOrigin: gather.isOwnOrigin, redirects: gather.redirects + 1)
  }

  package func chain(of signature: ContentSignature) throws(RemoraError) -> Gather {
    let url: ParsedURL
    do throws(RemoraError) {
      url = try ParsedURL(signature.x5u, as: "the certificate chain's URL (x5u)")
    } catch {
      throw RemoraError(.chainLocation, error.message)
    }
    try hosts.requireChain(at: url)
    return Gather(.chain, at: url, isOwnOrigin: url.hasSameOrigin(as: server.base))
  }

  package func decoder() -> any DocumentDecoder {
    collectionDecoder(.changeset, named: "the server's response", of: name)
  }

  /// Decodes packaged data in the format of the tool's dump. A server's response cannot be used, because it has no
  /// chain.
  package func decodeSeed(_ bytes: UnsafeRawBufferPointer, named source: String) throws(RemoraError) -> Document {
    try decodePackaged(bytes, named: source, of: name)
  }

  /// Decodes packaged data of the collection `wanted`, or of any collection if it is nil.
  func decodePackaged(
    _ bytes: UnsafeRawBufferPointer, named source: String, of wanted: CollectionName?
  ) throws(RemoraError) -> Document {
    let document = try decodeCollection(bytes, .packaged, named: source, of: wanted)
    guard document.removed.isEmpty else { throw .format(source, "must not list deleted records") }
    return document
  }

  package func seedRequest(telling items: [(name: String, value: String)]) throws(RemoraError) -> Gather {
    try request(since: nil, expected: 0)
  }

  /// Hashes the signature's prefix and the canonical JSON of the records sorted by id, with the timestamp as a string.
  package func signedDigest(of draft: Draft) throws(RemoraError) -> [UInt8] {
    var digest = try MessageDigest.ofSignedContent()
    digest.update(Array("{\"data\":[".utf8))
    let comma = [UInt8(ascii: ",")]
    var text = ByteBuffer()
    for (index, record) in draft.entries.enumerated() {
      if index > 0 { digest.update(comma) }
      guard let stored = record.storedText else {
        throw RemoraError(.corrupt, "a record in the stored file has no JSON text")
      }
      text.removeAll()
      try text.append(stored: stored)
      digest.update(text.bytes)
    }
    digest.update(Array("],\"last_modified\":\"\(draft.version)\"}".utf8))
    return digest.finish()
  }
}

extension CollectionDialect {
  /// Checks the name of a bucket or collection, which becomes part of URLs: 1 to 128 letters, digits, `_` and `-`.
  package static func requireName(_ name: String, _ option: String) throws(RemoraError) {
    let isAllowed = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
    guard isAllowed, (1...128).contains(name.utf8.count), name.utf8.first != 0x2D else {
      throw .invalidArgument(option, "must be 1 to 128 characters of A-Z, a-z, 0-9, _ and -, and must not begin with -")
    }
  }
}
