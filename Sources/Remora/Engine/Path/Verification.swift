// SPDX-License-Identifier: Apache-2.0
//
// The step from a draft to something that may be compiled, stored and read. It may need a chain that is not there
// yet; the draft waits here meanwhile.

/// A draft whose content its trust policy accepts. Only this file makes one.
package struct Verified: SignatureProof {
  package let draft: Draft
  /// Whether a signature was verified; false under a policy that asks for none.
  package let isSigned: Bool
  /// The signature and where its chain was, for the image's metadata.
  package let signature: String
  /// When the chain of the signature expires, in ms since 1970; without one never.
  package let validUntilMs: Int64

  fileprivate init(_ draft: Draft, signature: ContentSignature? = nil, key: SignerKey? = nil) {
    self.draft = draft
    isSigned = signature != nil
    self.signature = signature.map { "\($0.mode) \($0.signature) \($0.x5u)" } ?? ""
    validUntilMs = key?.validUntilMs ?? .max
  }
}

/// A server signs with its current key and perhaps the next one; each more may cost a request for its chain.
private let maximumSignatures = 8

/// The signatures of a draft that may be tried.
private func candidates(of draft: Draft) -> ArraySlice<ContentSignature> {
  draft.signatures.filter { $0.mode == "p384ecdsa" }.prefix(maximumSignatures)
}

/// Verifies what is to be a seed, without a request: by a signature and the chain that came with it, where the policy
/// demands one.
func verifySeed(
  _ draft: Draft, _ dialect: any Dialect, chains: ChainCache, atMs instant: Int64
) throws(RemoraError) -> Verified {
  guard dialect.policy != .off else { return Verified(draft) }
  return try verifyByOwnChain(draft, dialect, chains: chains, atMs: instant)
}

/// Verifies packaged data by a signature and the chain that came with it, without a request.
///
/// - Throws: As `refusal`.
package func verifyPackaged(
  _ packaged: PackagedImage, _ dialect: any Dialect, chains: ChainCache, atMs instant: Int64
) throws(RemoraError) -> Verified {
  try verifyByOwnChain(Draft(packaged: packaged), dialect, chains: chains, atMs: instant)
}

private func verifyByOwnChain(
  _ draft: Draft, _ dialect: any Dialect, chains: ChainCache, atMs instant: Int64
) throws(RemoraError) -> Verified {
  let missing = "there is no signature of mode p384ecdsa with its chain"
  guard case .required(let root, let signer) = dialect.policy else { throw RemoraError(.signatureMissing, missing) }
  var failures: [RemoraError] = []
  let digest = try dialect.signedDigest(of: draft)
  for candidate in candidates(of: draft) {
    do throws(RemoraError) {
      let key = try chains.signerKey(pem: candidate.chain, fromURL: nil, root: root, signer: signer, atMs: instant)
      try verifySignature(candidate.signature, digest: digest, key: key)
      return Verified(draft, signature: candidate, key: key)
    } catch {
      failures.append(error)
    }
  }
  throw refusal(after: failures, missing: missing)
}

/// The error of a draft that no signature holds for: that of the last one tried, with the reasons of those before it;
/// `.signatureMissing` when there was none to try.
private func refusal(after failures: [RemoraError], missing: String) -> RemoraError {
  guard var error = failures.last else { return RemoraError(.signatureMissing, missing) }
  var earlier: [String] = []
  for message in failures.dropLast().map(\.message) where message != error.message && !earlier.contains(message) {
    earlier.append(message)
  }
  if !earlier.isEmpty {
    error.message += "; the signatures before this one failed too: " + earlier.joined(separator: "; ")
  }
  // A chain's server may have asked for a pause.
  error.retryAfterMs = failures.compactMap(\.retryAfterMs).max()
  return error
}

/// The signatures of one draft, tried in order until one holds.
package struct Verification {
  /// What there is to do next.
  package enum Verdict {
    case verified(Verified)
    case needsChain(Gather)
    case refused(RemoraError)
  }

  private let draft: Draft
  private let dialect: any Dialect
  /// The digest of the signed bytes; empty under a policy that asks for no signature.
  private let digest: [UInt8]
  /// Signatures not yet given up.
  private var candidates: ArraySlice<ContentSignature>
  /// The chain that was just fetched for the first candidate.
  private var fetched: [UInt8]?
  /// Why the earlier candidates were given up.
  private var failures: [RemoraError] = []

  /// Takes a draft; hashes what its server would have signed.
  package init(_ draft: Draft, _ dialect: any Dialect) throws(RemoraError) {
    self.draft = draft
    self.dialect = dialect
    digest = dialect.policy == .off ? [] : try dialect.signedDigest(of: draft)
    candidates = Remora.candidates(of: draft)
  }

  /// Goes on until a signature holds, none is left, or a chain has to be fetched.
  package mutating func proceed(chains: ChainCache, atMs instant: Int64) -> Verdict {
    guard case .required(let root, let signer) = dialect.policy else { return .verified(Verified(draft)) }
    while let candidate = candidates.first {
      do throws(RemoraError) {
        let gather = try dialect.chain(of: candidate)
        let url = gather.urlText
        guard let pem = fetched ?? chains.pem(fromURL: url, atMs: instant) else { return .needsChain(gather) }
        let isFresh = fetched != nil
        fetched = nil
        do throws(RemoraError) {
          let key = try chains.signerKey(pem: pem, fromURL: url, root: root, signer: signer, atMs: instant)
          try verifySignature(candidate.signature, digest: digest, key: key)
          return .verified(Verified(draft, signature: candidate, key: key))
        } catch {
          // A chain from the cache may have been replaced on the server since.
          guard isFresh else {
            chains.forget(url: url)
            return .needsChain(gather)
          }
          throw error
        }
      } catch {
        giveUp(error)
      }
    }
    return .refused(refusal(after: failures, missing: "the server offers no signature of mode p384ecdsa"))
  }

  /// Whether the draft was merged from a diff.
  package var isMerged: Bool { draft.isMerged }

  /// Takes the chain that `needsChain` asked for.
  package mutating func receive(chain: [UInt8]) { fetched = chain }

  /// Gives up the candidate whose chain could not be fetched.
  package mutating func giveUp(_ error: RemoraError) {
    failures.append(error)
    candidates = candidates.dropFirst()
  }
}
