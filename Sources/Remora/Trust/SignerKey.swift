// SPDX-License-Identifier: Apache-2.0
//
// A public key that may sign, with its validity period.
// Invariant: a key is on P-384, and belongs to a verified chain or to a caller who trusts it by other means.

internal import COpenSSL

/// The P-384 key of a signer. Owns OpenSSL's object.
///
/// `@unchecked Sendable`: it is constant, and OpenSSL allows simultaneous verifications with one key.
package final class SignerKey: @unchecked Sendable {
  /// OpenSSL's key; freed with this object.
  let pointer: OpaquePointer
  /// The period in which the whole chain is valid.
  private let validity: Validity
  /// The root of the chain; nil for a key without a chain.
  package let root: RootPin?

  /// The first millisecond since 1970 at which every certificate of the chain is valid.
  package var validFromMs: Int64 { validity.fromMs }

  /// The first millisecond since 1970 at which a certificate of the chain has expired.
  package var validUntilMs: Int64 { validity.untilMs }

  /// Whether every certificate of the chain is valid at an instant.
  package func isValid(atMs instant: Int64) -> Bool { validity.contains(instant) }

  /// Takes the key of a leaf whose chain was verified.
  ///
  /// - Throws: `.chainInvalid` for a key that is not on P-384.
  init(verifiedLeaf leaf: Certificate, validity: Validity, root: RootPin) throws(RemoraError) {
    guard let key = openssl_X509_get_pubkey(leaf.pointer) else {
      let reason = try Libcrypto.reasonOfFailure()
      throw RemoraError(.chainInvalid, "certificate \"\(leaf.name)\" has no usable key: \(reason)")
    }
    pointer = key
    self.validity = validity
    self.root = root
    guard try isP384(key) else {
      throw RemoraError(.chainInvalid, "certificate \"\(leaf.name)\" has a key that is not on the curve P-384")
    }
  }

  /// Creates a key that the caller trusts without a chain, from a DER SubjectPublicKeyInfo; it never expires.
  ///
  /// - Throws: `.invalidArgument` for bytes that are not such a key, or not on P-384.
  package init(trusting publicKey: [UInt8]) throws(RemoraError) {
    try Libcrypto.requireLoaded()
    let decoded = publicKey.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      return openssl_d2i_PUBKEY(&cursor, bytes.count)
    }
    guard let decoded else {
      throw .invalidArgument("the public key", "cannot be decoded: \(try Libcrypto.reasonOfFailure())")
    }
    pointer = decoded
    validity = .unlimited
    root = nil
    guard try isP384(decoded) else { throw .invalidArgument("the public key", "is not on the curve P-384") }
  }

  deinit { openssl_EVP_PKEY_free(pointer) }
}

/// Whether a key is an elliptic curve key on the named curve P-384.
private func isP384(_ key: OpaquePointer) throws(RemoraError) -> Bool {
  guard openssl_EVP_PKEY_is_a(key, "EC") == 1 else { return false }
  var length = 0
  let curve = Libcrypto.text(capacity: 32) { _ = openssl_EVP_PKEY_get_group_name(key, $0, $1, &length) }
  if curve.isEmpty { try Libcrypto.reasonOfFailure() }
  return curve == "secp384r1"
}
