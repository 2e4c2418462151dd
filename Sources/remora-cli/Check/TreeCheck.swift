// SPDX-License-Identifier: Apache-2.0
//
// Checks a published tree with the code with which clients verify it, and for what clients would not notice.

internal import Remora

/// A check of all documents of a tree, and its results.
struct TreeCheck {
  private let tree: any TreeReader
  private let root: RootPin
  /// The expected signer; nil means the one that clients expect for each bucket.
  private let signer: String?
  private let schemas: GivenSchemas
  private let nowMs: Int64
  private let chains = ChainCache()
  private(set) var findings = Findings()
  private(set) var places = StatedPlaces()
  private(set) var collectionCount = 0
  private(set) var recordCount = 0
  /// The attachments that were found with their content.
  private(set) var attachments: Set<String> = []
  /// The time at which the first chain expires.
  private(set) var signedUntilMs = Int64.max
  /// The certificate that expires first.
  private(set) var firstEnd: CertificateEnd?

  init(_ tree: any TreeReader, root: RootPin, signer: String?, _ schemas: GivenSchemas, nowMs: Int64) {
    (self.tree, self.root, self.signer, self.schemas, self.nowMs) = (tree, root, signer, schemas, nowMs)
  }

  /// Performs all checks; each problem becomes a finding.
  mutating func run() {
    check("index.json") { check throws(RemoraError) in check.places.base = try check.checkedBase() }
    var versions: [String: Int64] = [:]
    check("monitor") { check throws(RemoraError) in versions = try check.listedVersions() }
    var names = Set(versions.keys)
    check("buckets") { check throws(RemoraError) in names.formUnion(try check.tree.collections().map { "\($0)" }) }
    for name in names.sorted() {
      check(name) { check throws(RemoraError) in
        try check.checkCollection(collectionName(name), listed: versions[name])
      }
    }
  }

  mutating func warn(_ text: String) { findings.warn(text) }

  /// Compares the places that the tree states with the server that was checked.
  mutating func comparePlaces(with server: CollectionServer) throws(RemoraError) {
    try places.compare(with: server, &findings)
  }

  /// Performs a part of the check, whose error is one finding.
  private mutating func check(_ place: String, _ part: (inout TreeCheck) throws(RemoraError) -> Void) {
    do throws(RemoraError) {
      try part(&self)
    } catch {
      findings.add(error, at: place)
    }
  }

  /// Returns the base URL of the server that the root document states.
  private func checkedBase() throws(RemoraError) -> String {
    guard let base = try tree.attachmentBase() else {
      throw .format(tree.name(of: "index.json"), "does not state where attachments are")
    }
    let url = try ParsedURL(base, as: "base_url")
    guard url.scheme == .https || url.isPlainLoopback else { throw .format("base_url", "is not https") }
    let suffix = "/\(TreePath.attachments)/"
    guard base.hasSuffix(suffix) else { throw .format("base_url", "does not end with \(suffix)") }
    return String(base.dropLast(suffix.count))
  }

  private mutating func listedVersions() throws(RemoraError) -> [String: Int64] {
    guard let bytes = try tree.read(TreePath.monitor, limit: TransportOptions().maxBodyBytes) else {
      throw .format(tree.name(of: TreePath.monitor), "does not exist, so clients notice no change in a sync")
    }
    let entries = try tree.entries(in: bytes)
    if let problem = entries.problem { findings.add(problem, at: "monitor") }
    return entries.versions
  }

  private mutating func checkCollection(_ name: CollectionName, listed: Int64?) throws(RemoraError) {
    collectionCount += 1
    let path = TreePath.changeset(name)
    guard let bytes = try tree.read(path, limit: TransportOptions().maxBodyBytes) else {
      throw .format(tree.name(of: path), "does not exist")
    }
    let content = try ChangesetRecords(bytes, named: tree.name(of: path))
    let timestamp = content.timestamp ?? 0
    recordCount += content.records.count
    let verified = try verify(bytes, name)
    try VersionLimits(floor: 0, rule: .timestamps(maximumFutureMs: CollectionDialect.defaultFutureMs))
      .requireNotFuture(verified, nowMs: nowMs)
    signedUntilMs = min(signedUntilMs, verified.validUntilMs)
    try requireWritten(bytes, content, verified, name)
    try requireListed(timestamp, listed)
    for (record, lastModified) in content.records where lastModified > timestamp {
      warn("\(name): record \(record.id) has a last_modified after the timestamp of the collection")
    }
    try checkSchemas(name, content.records.map(\.0))
    for (record, _) in content.records {
      guard let sha256 = record.attachment?.sha256, !attachments.contains(sha256) else { continue }
      check("\(name)") { check throws(RemoraError) in try check.checkAttachment(sha256, of: record) }
    }
  }

  /// The number of violations of a collection that become findings of their own.
  private static let mostViolations = 20

  private mutating func checkSchemas(_ name: CollectionName, _ records: [Record]) throws(RemoraError) {
    let problems = try schemas.problems(name, records)
    for problem in problems.prefix(Self.mostViolations) { findings.add(RemoraError(.schema, problem), at: "\(name)") }
    let others = problems.count - Self.mostViolations
    if others > 0 { findings.add(RemoraError(.schema, "\(counted(others, "other record")) too"), at: "\(name)") }
  }

  /// Verifies a changeset as a client does.
  private mutating func verify(_ bytes: [UInt8], _ name: CollectionName) throws(RemoraError) -> Verified {
    guard let base = places.base else {
      throw .format("index.json", "states no base URL, so the signature cannot be checked")
    }
    let policy = TrustPolicy.required(root: root, signer: signer ?? TrustPolicy.defaultSigner(bucket: name.bucket))
    let dialect = try CollectionDialect(
      server: try CollectionServer(base), bucket: name.bucket, collection: name.collection, policy: policy)
    let document = try bytes.withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }
    for signature in document.signatures { places.chains.insert(signature.x5u) }
    var verification = try Verification(Draft(full: document), dialect)
    while true {
      switch verification.proceed(chains: chains, atMs: nowMs) {
      case .verified(let verified): return verified
      case .refused(let error): throw error
      case .needsChain(let gather):
        let path = "\(TreePath.authorities)/\(splitPath(gather.urlText).name)"
        guard gather.urlText == "\(base)/\(path)" else {
          throw RemoraError(
            .chainLocation, "the certificate chain \(gather.urlText) is not below the URL in index.json: \(base)")
        }
        guard let pem = try tree.read(path, limit: maximumKeyFile) else {
          throw RemoraError(.chainLocation, "the certificate chain \(gather.urlText) is not in the tree")
        }
        if let end = try? SignerChain(pem, path).firstEnd, end.untilMs < firstEnd?.untilMs ?? .max { firstEnd = end }
        verification.receive(chain: pem)
      }
    }
  }

  /// Checks the parts of a changeset that are not signed.
  private mutating func requireWritten(
    _ bytes: [UInt8], _ content: ChangesetRecords, _ verified: Verified, _ name: CollectionName
  ) throws(RemoraError) {
    let place = tree.name(of: TreePath.changeset(name))
    guard content.belongs(to: name) else {
      throw .format(
        place, "lacks metadata.bucket or metadata.id, without which clients accept it for any collection; publish again"
      )
    }
    let signature = verified.draft.signatures.first
    guard Changeset(name, content)?.isPublished(as: bytes, with: signature) != true else { return }
    warn("\(place): a part that is not signed was edited, or was not written by remora publish; publish again")
  }

  /// Checks the timestamp in the monitor.
  private func requireListed(_ timestamp: Int64, _ listed: Int64?) throws(RemoraError) {
    guard let listed else {
      throw RemoraError(.format, "the monitor does not list it, so clients notice no change in a sync")
    }
    guard listed == timestamp else {
      let reason =
        listed > timestamp ? "a cache or an incomplete copy holds it back" : "syncs do not notice its changes"
      throw RemoraError(.format, "its timestamp is \(timestamp), but the monitor lists \(listed): \(reason)")
    }
  }

  private mutating func checkAttachment(_ sha256: String, of record: Record) throws(RemoraError) {
    let path = TreePath.attachment(sha256)
    guard let bytes = try tree.read(path, limit: PackagedData.maximumBytes) else {
      throw .format("the attachment of record \(record.id)", "does not exist: \(tree.name(of: path))")
    }
    guard hexText(try MessageDigest.sha256(bytes)) == sha256, Int64(bytes.count) == record.attachment?.size else {
      throw RemoraError(
        .attachmentMismatch, "the attachment of record \(record.id) has other content than the record states")
    }
    attachments.insert(sha256)
  }
}
