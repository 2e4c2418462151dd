// SPDX-License-Identifier: Apache-2.0
//
// Verifies a draft, so that it may be compiled, stored and read. If a certificate chain must be fetched first, the
// draft is kept here meanwhile.

/// A draft whose content its trust policy accepts. Only this file creates one.
package struct Verified: SignatureProof {
  package let draft: Draft
  /// Whether a signature was verified; false under a policy that requires none.
  package let isSigned: Bool
  /// The signature and the URL of its chain, for the image's metadata.
  package let signature: String
  /// The time at which the signature's chain expires, in ms since 1970; the largest integer without a signature.
  package let validUntilMs: Int64

  /// The signature, for the ledger; nil if none was verified.
  var known: KnownSignature? {
    isSigned ? KnownSignature(hash: signature.hash64(), validUntilMs: validUntilMs) : nil
  }

  fileprivate init(_ draft: Draft, signature: ContentSignature? = nil, key: SignerKey? = nil) {
    self.draft = draft
    isSigned = signature != nil
    self.signature = signature?.text ?? ""
    validUntilMs = key?.validUntilMs ?? .max
  }
}

/// A server signs with its current key and perhaps the next one; each further signature may cost a request for its
/// chain.
private let maximumSignatures = 8

/// Returns the signatures of a draft that may be tried.
private func candidates(of draft: Draft) -> ArraySlice<ContentSignature> {
  draft.signatures.filter { $0.mode == "p384ecdsa" }.prefix(maximumSignatures)
}

/// Verifies a seed without a request: if the policy requires a signature, by one whose chain is included.
func verifySeed(
  _ draft: Draft, _ dialect: any Dialect, chains: ChainCache, atMs instant: Int64
) throws(RemoraError) -> Verified {
  guard dialect.policy != .off else { return Verified(draft) }
  return try verifyByOwnChain(draft, dialect, chains: chains, atMs: instant)
}

/// Verifies packaged data without a request, by a signature whose chain is included.
///
/// - Throws: The errors of `refusal`.
package func verifyPackaged(
  _ packaged: PackagedImage, _ dialect: any Dialect, chains: ChainCache, atMs instant: Int64
) throws(RemoraError) -> Verified {
  try verifyByOwnChain(Draft(packaged: packaged), dialect, chains: chains, atMs: instant)
}

private func verifyByOwnChain(
  _ draft: Draft, _ dialect: any Dialect, chains: ChainCache, atMs instant: Int64
) throws(RemoraError) -> Verified {
  let missing = "the data has no signature of mode p384ecdsa with a certificate chain"
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

/// Returns the error for a draft without a valid signature: the error of the last signature tried, with the reasons of
/// those before it; `.signatureMissing` if there was none to try.
private func refusal(after failures: [RemoraError], missing: String) -> RemoraError {
  guard var error = failures.last else { return RemoraError(.signatureMissing, missing) }
  var earlier: [String] = []
  for message in failures.dropLast().map(\.message) where message != error.message && !earlier.contains(message) {
    earlier.append(message)
  }
  if !earlier.isEmpty {
    error.message += "; the other signatures failed too: " + earlier.joined(separator: "; ")
  }
  // A chain's server may have requested a backoff.
  error.retryAfterMs = failures.compactMap(\.retryAfterMs).max()
  return error
}

/// Tries the signatures of one draft in order until one is valid.
package struct Verification {
  package enum Verdict {
    case verified(Verified)
    case needsChain(Gather)
    case refused(RemoraError)
  }

  private let draft: Draft
  private let dialect: any Dialect
  /// The digest of the signed bytes; empty under a policy that requires no signature.
  private let digest: [UInt8]
  /// The signatures that have not failed; the first is tried next.
  private var candidates: ArraySlice<ContentSignature>
  /// The chain that was just fetched for the first candidate.
  private var fetched: [UInt8]?
  /// The errors of earlier candidates, which the final error combines.
  private var failures: [RemoraError] = []

  /// Takes a draft, and hashes the content that its server would have signed.
  package init(_ draft: Draft, _ dialect: any Dialect) throws(RemoraError) {
    self.draft = draft
    self.dialect = dialect
    digest = dialect.policy == .off ? [] : try dialect.signedDigest(of: draft)
    candidates = Remora.candidates(of: draft)
  }

  /// Continues until a signature is valid, none is left, or a chain must be fetched.
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
          // The server may have replaced a chain since it was cached.
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
    let missing =
      "the server offers no signature of mode p384ecdsa; if it does not sign its collections, turn trust off"
    return .refused(refusal(after: failures, missing: missing))
  }

  /// Receives the chain that `needsChain` requested.
  package mutating func receive(chain: [UInt8]) { fetched = chain }

  /// Skips the candidate whose chain could not be fetched.
  package mutating func giveUp(_ error: RemoraError) {
    failures.append(error)
    candidates = candidates.dropFirst()
  }
}
