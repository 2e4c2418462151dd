// SPDX-License-Identifier: Apache-2.0
//
// The one path: gather, decode, merge, verify, freshness, compile. One value per refresh: each answer advances
// it to the next request or to its end. Storing and publishing what it compiled is the run's part.

/// The path of one refresh.
///
/// `@unchecked Sendable`: it moves between threads as a whole, and what its draft points to is constant and its own.
package struct RefreshPath: @unchecked Sendable {
  /// What an answer leads to.
  package enum Step: Sendable {
    /// Another request: a redirect, a chain, or everything after a diff that was refused.
    case gather(Gather)
    /// The server has what is live.
    case unchanged
    /// The server offered something older.
    case notNewer
    /// A new image, to be stored and published.
    case compiled(AcceptedImage)
  }

  private let dialect: any Dialect
  /// The body of the last answer to the first request, over the same base, that was empty of changes. The same again
  /// need not be decoded. Empty if there is none, or it was large.
  package private(set) var confirmation: [UInt8]
  /// The version that somebody announced, or 0.
  private let expected: Int64
  /// The image that a diff is merged with, and that content is compared to.
  private let base: Image?
  private let limits: VersionLimits
  /// Epoch and generation that a new image is written with.
  private let epoch: UInt64
  private let generation: UInt64
  private let hashSeed: HashSeed
  /// The request that is under way.
  private var asked: Gather
  private var isFirst = true
  /// The draft, from its merge to its end.
  private var verification: Verification?
  /// Whether a diff over the base was refused.
  private var isBaseDoubted = false
  /// What was ignored in the document that is being looked at.
  private var ignored: [String] = []
  /// What the host is to know of a document that came to its end.
  package private(set) var warnings: [String] = []

  /// Begins with the dialect's first request since the base.
  package init(
    _ dialect: any Dialect, first: Gather, confirmation: [UInt8] = [], expected: Int64 = 0, base: Image?,
    limits: VersionLimits, epoch: UInt64, generation: UInt64, hashSeed: HashSeed
  ) {
    self.dialect = dialect
    self.confirmation = confirmation
    self.expected = expected
    self.base = base
    self.limits = limits
    self.epoch = epoch
    self.generation = generation
    self.hashSeed = hashSeed
    asked = first
  }

  /// The request that is under way.
  package var request: Gather { asked }

  /// Whether an image is the one that answers are merged with and compared to, and whether what a ledger knows of comes
  /// before a new image.
  package func isBased(on image: Image?, _ ledger: SourceLedger) -> Bool {
    base?.checksum == image?.checksum && epoch == ledger.epoch && generation > ledger.generation
  }

  /// Takes the answer to the request under way.
  ///
  /// - Throws: why the refresh failed or the answer was refused, with the answer's status; nothing was stored or
  ///   published.
  package mutating func advance(
    _ answer: Result<HTTPResponse, RemoraError>, chains: ChainCache, nowMs: Int64
  ) throws(RemoraError) -> Step {
    do throws(RemoraError) {
      return try take(answer, chains: chains, nowMs: nowMs)
    } catch {
      throw error.answered(by: answer)
    }
  }

  private mutating func take(
    _ answer: Result<HTTPResponse, RemoraError>, chains: ChainCache, nowMs: Int64
  ) throws(RemoraError) -> Step {
    if case .document = asked.purpose {
      let response = try answer.get()
      if let elsewhere = try asked.redirect(by: response, dialect) { return gather(elsewhere) }
      if response.status == 304 || isRepeated(response), isBaseAccepted { return .unchanged }
      try asked.requireOK(response, "the server")
      let document = try asked.decode(response, dialect)
      ignored = document.warnings
      if isKnown(document) {
        if isFirst, response.status == 200, response.body.count <= 16 << 10 { confirmation = response.body }
        return .unchanged
      }
      do throws(RemoraError) {
        verification = try Verification(merge(document), dialect)
      } catch {
        // A damaged base has lost what was signed: everything is fetched once.
        guard error.code == .corrupt, asked.isDiff else { throw error }
        return gather(try fullSet())
      }
    } else {
      if let elsewhere = try receiveChain(answer) { return gather(elsewhere) }
    }
    return try verify(chains: chains, nowMs: nowMs)
  }

  /// Verifies the draft, and compiles what holds and is newer.
  private mutating func verify(chains: ChainCache, nowMs: Int64) throws(RemoraError) -> Step {
    switch verification?.proceed(chains: chains, atMs: nowMs) {
    case .needsChain(let chain)?: return gather(chain)
    case .refused(let error)?:
      // A refused diff may be the base's fault: everything is fetched once. A refused full answer is the end; and so is a
      // chain's server that asks for a pause, as everything would need that chain too.
      guard verification?.isMerged == true, error.retryAfterMs == nil else { throw error }
      return gather(try fullSet())
    case .verified(let verified)?:
      switch try limits.judge(verified, live: base, nowMs: nowMs) {
      case .older: return .notNewer
      case .notRaised:
        let version = verified.draft.version
        warnings = ["the server offers other content under version \(version), which was not raised: it is not used"]
        return .notNewer
      case .unchanged where base?.isAccepted(by: dialect) == true: return .unchanged
      case .unchanged(let content), .newer(let content):
        warnings = ignored
        return .compiled(
          try AcceptedImage(
            compiling: content, of: dialect, epoch: epoch, generation: generation, hashSeed: hashSeed))
      }
    case nil: throw RemoraError(.internal, "a chain came without a draft")
    }
  }

  private mutating func gather(_ next: Gather) -> Step {
    (asked, isFirst) = (next, false)
    return .gather(next)
  }

  /// Whether an answer is, byte for byte, the earlier one that was empty of changes.
  private func isRepeated(_ response: HTTPResponse) -> Bool {
    isFirst && response.status == 200 && !confirmation.isEmpty && response.body == confirmation
  }

  /// An answer that came without the `_since` that was asked for is everything, and never merged as a diff.
  private func merge(_ document: Document) -> Draft {
    guard let base, asked.isDiff else { return Draft(full: document) }
    return Draft(merging: document, onto: base)
  }

  /// Whether an empty diff says that nothing moved.
  private func isKnown(_ document: Document) -> Bool {
    guard asked.isDiff, document.entries.isEmpty, document.removed.isEmpty else { return false }
    return document.version == base?.metadata.version && isBaseAccepted
  }

  /// Whether the base was accepted when it came, and no diff over it was refused since: the server may then confirm it
  /// without showing it again.
  private var isBaseAccepted: Bool {
    !isBaseDoubted && base?.isAccepted(by: dialect) == true
  }

  /// The request for everything, after a diff that came to nothing.
  private mutating func fullSet() throws(RemoraError) -> Gather {
    verification = nil
    isBaseDoubted = true
    return try dialect.request(since: nil, expected: expected)
  }

  /// Hands the chain to the draft that waits for it; a failure gives up the signature that needed it.
  private mutating func receiveChain(_ answer: Result<HTTPResponse, RemoraError>) throws(RemoraError) -> Gather? {
    do throws(RemoraError) {
      let response = try answer.get()
      if let elsewhere = try asked.redirect(by: response, dialect) { return elsewhere }
      try asked.requireOK(response, "the certificate chain's server")
      verification?.receive(chain: response.body)
    } catch {
      verification?.giveUp(error)
    }
    return nil
  }
}
