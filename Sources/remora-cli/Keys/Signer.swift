// SPDX-License-Identifier: Apache-2.0
//
// The signer of a publication: its key and its chain, checked as a client checks them.

internal import Glibc
internal import Remora

/// A key whose chain clients accept at present.
struct Signer {
  let chain: SignerChain
  let validUntilMs: Int64
  /// The SHA-256 of the chain's text, in hexadecimal digits.
  let chainName: String
  private let key: PrivateKey

  /// A publication needs this much validity: caches may keep its signatures as long.
  private static let leastValidityMs = dayMs

  /// Reads the publisher's keys.
  ///
  /// - Throws: `.invalidArgument` for a folder with the root's key; `.storage`; the errors of a client that does not
  ///   accept the chain; `.certificateExpired` also if the chain expires within a day.
  init(folder path: String, nowMs: Int64) throws(RemoraError) {
    for root in ["\(path)/root.key", "\(path)/root/root.key"] where access(root, F_OK) == 0 {
      throw .usage(
        "--keys \(path) contains the root's key, which must not be used to publish; use the folder publisher"
          + " of remora keys init")
    }
    let file = KeyFolder(path).signerFile
    key = try PrivateKey(file: file)
    chain = try SignerChain(file: file)
    let verified: SignerKey
    do throws(RemoraError) {
      verified = try verifyChain(pem: chain.pem, root: chain.root, signer: chain.signer, atMs: nowMs)
      try Self.require(key, fits: verified)
    } catch {
      throw error.prefixed(by: "\(file): ")
    }
    validUntilMs = verified.validUntilMs
    chainName = hexText(try MessageDigest.sha256(chain.pem))
    guard validUntilMs.addingClamped(-nowMs) >= Self.leastValidityMs else {
      throw RemoraError(
        .certificateExpired,
        "\(file) is valid until \(utcText(validUntilMs)) only, which is within a day;"
          + " \(chain.firstEnd.certificate.advice)")
    }
  }

  func sign(_ digest: [UInt8]) throws(RemoraError) -> String { try key.sign(digest) }

  private static func require(_ key: PrivateKey, fits verified: SignerKey) throws(RemoraError) {
    let digest = [UInt8](repeating: 0, count: 48)
    do throws(RemoraError) {
      try verifySignature(try key.sign(digest), digest: digest, key: verified)
    } catch {
      guard error.code == .signatureMismatch else { throw error }
      throw RemoraError(.chainInvalid, "the key is not that of the signer's certificate")
    }
  }
}
