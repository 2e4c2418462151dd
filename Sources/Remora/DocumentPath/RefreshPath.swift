// SPDX-License-Identifier: Apache-2.0
//
// The first half of a refresh: gather, decode, merge, verify, freshness, compile. One value per refresh; each response
// advances it to the next request or to its end. In the second half, SourceState decides, SourcePublisher stores and
// publishes, and SourceComposer composes.

/// The path of one refresh.
///
/// Types enforce the order of its steps from merge to compile, and of the store after them: each step takes what only
/// the step before creates (`Draft`, `Verified`, `FreshContent`, `AcceptedImage`). The order of gather and decode
/// before merge is that of the code below. The order of the second half, such as store before publish, is the order of
/// the work that `SourceState.handle` returns; ARCHITECTURE.md has its table.
///
/// `@unchecked Sendable`: the path moves between threads as a whole, and the memory of its draft is constant and not
/// shared.
package struct RefreshPath: @unchecked Sendable {
  package enum Step: Sendable {
    /// Another request is needed: a redirect, a certificate chain, or the full set after a refused diff.
    case gather(Gather)
    /// The server has nothing newer than the base.
    case unchanged
    /// The server offered a version that is not newer.
    case notNewer
    /// A new image, to be stored and published.
    case compiled(AcceptedImage)
  }

  private let dialect: any Dialect
  /// The body of the last response to the first request, for the same base, if it contained no changes. An identical
  /// body need not be decoded. Empty if there is none, or it was large.
  package private(set) var confirmation: [UInt8]
  /// The expected version, or 0.
  private let expected: Int64
  /// The image with which a diff is merged and content is compared.
  private let base: Image?
  /// The signature that was verified last for the base, in an earlier refresh; nil if it is unknown.
  private let knownSignature: KnownSignature?
  private var limits: VersionLimits
  private let shape: DocumentShape
  /// Epoch and generation of a new image.
  private let epoch: UInt64
  private let generation: UInt64
  private let hashSeed: HashSeed
  private var asked: Gather
  private var isFirst = true
  private var verification: Verification?
  /// Whether the current document answers a request for changes, so that the full set may pass where it fails.
  private var isForDiff = false
  /// Whether a response showed that the server ignores `_since`.
  package private(set) var ignoresSince = false
  /// Whether a diff over the base was refused.
  private var isBaseDoubted = false
  /// The body of the response, if it may become the `confirmation`.
  private var candidate: [UInt8] = []
  /// The signature that was verified in this refresh; nil if none was.
  package private(set) var signature: KnownSignature?
  /// The warnings of the current document, which become `warnings` if it is compiled.
  private var ignored: [String] = []
  /// The warnings to log for the document that was used, or for the version that was not.
  package private(set) var warnings: [String] = []

  /// Creates a path that begins with `first`, a request for changes since the base.
  package init(
    _ dialect: any Dialect, first: Gather, confirmation: [UInt8] = [], expected: Int64 = 0, base: Image?,
    signature: KnownSignature? = nil, limits: VersionLimits, shape: DocumentShape = DocumentShape(), epoch: UInt64,
    generation: UInt64, hashSeed: HashSeed
  ) {
    self.dialect = dialect
    self.confirmation = confirmation
    self.expected = expected
    self.base = base
    knownSignature = signature
    self.limits = limits
    self.shape = shape
    self.epoch = epoch
    self.generation = generation
    self.hashSeed = hashSeed
    asked = first
  }

  package var request: Gather { asked }

  /// Whether `image` is the base of this path, the path refuses the rejected images, and a new image would be newer
  /// than everything that `ledger` knows.
  package func isBased(on image: Image?, without rejected: [Image], _ ledger: SourceLedger) -> Bool {
    base?.checksum == image?.checksum && limits.rejected.map(\.checksum) == rejected.map(\.checksum)
      && epoch == ledger.epoch && generation > ledger.generation
  }

  /// Processes the response to the current request.
  ///
  /// - Parameter arriving: The document of the response; nil if no part of its body was decoded yet.
  /// - Throws: The reason the refresh failed or the response was refused, with the response's status; nothing was
  ///   stored or published.
  package mutating func advance(
    _ answer: Result<HTTPResponse, RemoraError>, _ arriving: ArrivingDocument? = nil, chains: ChainCache, nowMs: Int64
  ) throws(RemoraError) -> Step {
    do throws(RemoraError) {
      return try take(answer, arriving, chains: chains, nowMs: nowMs)
    } catch {
      throw error.answered(by: answer)
    }
  }

  private mutating func take(
    _ answer: Result<HTTPResponse, RemoraError>, _ arriving: ArrivingDocument?, chains: ChainCache, nowMs: Int64
  ) throws(RemoraError) -> Step {
    if case .document = asked.purpose {
      let response = try answer.get()
      if let elsewhere = try asked.redirect(by: response, dialect) { return gather(elsewhere) }
      if response.status == 304 || isRepeated(response), mayBeConfirmed(atMs: nowMs) { return .unchanged }
      try asked.requireOK(response, "the server")
      let document = try asked.finish(arriving ?? ArrivingDocument(dialect), by: response)
      ignored = document.warnings
      isForDiff = asked.isDiff
      // Only a small response is kept for the next refresh. A diff without changes is small: it has only metadata and
      // signatures (decision 35).
      let isShort = isFirst && asked.isDiff && response.status == 200 && response.content.count <= 16 << 10
      candidate = isShort ? Array(response.content.bytes) : []
      if confirmsBase(document, atMs: nowMs) { return confirmed() }
      if isBehindBase(document) || mayBeFull(document) { return gather(try fullSet()) }
      do throws(RemoraError) {
        verification = try Verification(merge(document), dialect)
      } catch {
        // A damaged base has lost signed content: the full set is fetched once.
        guard error.code == .corrupt, asked.isDiff else { throw error }
        return gather(try fullSet())
      }
    } else {
      if let elsewhere = try receiveChain(answer) { return gather(elsewhere) }
    }
    return try verify(chains: chains, nowMs: nowMs)
  }

  /// Verifies the draft, checks its freshness and its shape, and compiles it.
  private mutating func verify(chains: ChainCache, nowMs: Int64) throws(RemoraError) -> Step {
    switch verification?.proceed(chains: chains, atMs: nowMs) {
    case .needsChain(let chain)?: return gather(chain)
    case .refused(let error)?:
      // A refused diff may be caused by a damaged base, so the full set is fetched once. A refused response to the
      // request for that is final. So is a backoff requested by the chain's server, because the full set would need
      // that chain too.
      guard isForDiff, error.retryAfterMs == nil else { throw error }
      return gather(try fullSet())
    case .verified(let verified)?:
      signature = verified.known
      switch try limits.judge(verified, live: base, nowMs: nowMs) {
      case .older:
        let version = verified.draft.version
        if limits.rule.isBelow(version, floor: limits.floor) {
          warnings = [
            "the server's data is not used, because its version \(version) is below the accepted version "
              + "\(limits.floor); if the server was restored to this version on purpose, reset the source"
          ]
        }
        return .notNewer
      case .notRaised:
        let version = verified.draft.version
        warnings = ["the server's new content is not used, because its version is still \(version)"]
        return .notNewer
      case .unchanged where isBaseConfirmed: return confirmed()
      case .unchanged(let content), .newer(let content):
        try shape.check(verified.draft, after: base, of: dialect)
        warnings = ignored
        verification = nil
        return .compiled(
          try AcceptedImage(
            compiling: content, of: dialect, epoch: epoch, generation: generation, hashSeed: hashSeed))
      }
    case nil: throw .bug("a certificate chain was received without being needed")
    }
  }

  /// Whether the server's confirmation of the base is enough. Packaged data is stored like fetched data, which it then
  /// is; but the default bundle stays with the host, which may change it.
  private var isBaseConfirmed: Bool {
    if case .raised = limits.rule { return true }
    return base?.isAccepted(by: dialect) == true
  }

  private mutating func gather(_ next: Gather) -> Step {
    (asked, isFirst) = (next, false)
    return .gather(next)
  }

  /// Whether a response is identical to the earlier one without changes.
  private func isRepeated(_ response: HTTPResponse) -> Bool {
    isFirst && response.status == 200 && !confirmation.isEmpty && response.content.bytes.elementsEqual(confirmation)
  }

  /// Merges a document with the base. A response without the requested `_since` is a full set, and is never merged as a
  /// diff. So is the response of a server that ignores `_since`, such as a server of static files: a record that did
  /// not change since then shows that.
  private mutating func merge(_ document: Document) -> Draft {
    guard let base, case .document(let since?) = asked.purpose else { return Draft(full: document) }
    if let oldest = document.oldestChange, oldest <= since {
      ignoresSince = true
      // Without a signature, an earlier full set of only changed records was merged as a diff.
      limits.mayCorrect = dialect.policy == .off
      return Draft(full: document)
    }
    return Draft(merging: document, onto: base)
  }

  /// Whether the server is behind a base that it never had, such as packaged data with a later timestamp. The list of
  /// changes since then is empty, whatever its data is. A version below the accepted one is not used in any case.
  private func isBehindBase(_ document: Document) -> Bool {
    guard let base, asked.isDiff, document.oldestChange == nil else { return false }
    return document.version < base.metadata.version
      && !limits.rule.isBelow(document.version, floor: limits.floor)
  }

  /// Whether a diff without changes may be the whole collection, which is empty now. Signatures show it; without them,
  /// only a server that ignores `_since` sends a new version without changes.
  private func mayBeFull(_ document: Document) -> Bool {
    guard let base, asked.isDiff, dialect.policy == .off else { return false }
    return document.entries.isEmpty && document.removed.isEmpty && document.version > base.metadata.version
  }

  /// Whether a document is an empty diff that certainly confirms the base: if signatures are verified, it must contain
  /// the one that was verified for the base before. Any other signature of an empty diff is verified over the base.
  private func confirmsBase(_ document: Document, atMs instant: Int64) -> Bool {
    guard asked.isDiff, document.entries.isEmpty, document.removed.isEmpty,
      document.version == base?.metadata.version, mayBeConfirmed(atMs: instant)
    else { return false }
    return dialect.policy == .off || document.signatures.contains { $0.text.hash64() == knownSignature?.hash }
  }

  /// Whether a response without a signature, such as status 304, may confirm the base. Such a response proves no more
  /// than a repetition of the last signed one, so the certificate chain of that one must still be valid.
  package func mayBeConfirmed(atMs instant: Int64) -> Bool {
    guard !isBaseDoubted, base?.isAccepted(by: dialect) == true else { return false }
    return dialect.policy == .off || instant < knownSignature?.validUntilMs ?? 0
  }

  /// Ends the path: the server has nothing newer than the base.
  private mutating func confirmed() -> Step {
    if !candidate.isEmpty { confirmation = candidate }
    return .unchanged
  }

  /// Returns the request for the full set, after a refused diff.
  private mutating func fullSet() throws(RemoraError) -> Gather {
    verification = nil
    isBaseDoubted = true
    // What a refused response showed about the server may be forged.
    ignoresSince = false
    limits.mayCorrect = false
    return try dialect.request(since: nil, expected: expected)
  }

  /// Passes the chain to the waiting draft; on failure, skips the signature that needed the chain.
  private mutating func receiveChain(_ answer: Result<HTTPResponse, RemoraError>) throws(RemoraError) -> Gather? {
    do throws(RemoraError) {
      let response = try answer.get()
      if let elsewhere = try asked.redirect(by: response, dialect) { return elsewhere }
      try asked.requireOK(response, "the certificate chain's server")
      verification?.receive(chain: Array(response.content.bytes))
    } catch {
      verification?.giveUp(error)
    }
    return nil
  }
}
