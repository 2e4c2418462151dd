// SPDX-License-Identifier: Apache-2.0
//
// Verifies ECDSA signatures on P-384 with SHA-384, in the format of Content-Signature. A signature must not serve as an
// identity: if (r, s) is valid, (r, n - s) is valid too.

internal import COpenSSL

/// Verifies a signature of a digest.
///
/// - Parameters:
///   - text: The 96 bytes r and s in base64url; padding is optional.
///   - digest: SHA-384 of the signed content; see `MessageDigest.ofSignedContent`.
///   - key: The signer's key; the caller has checked `isValid(atMs:)`.
/// - Throws: `.signatureMalformed` for text that is not 96 bytes in base64url; `.signatureMismatch` if the key did not
///   sign this digest; `.internal` for a digest that is not 48 bytes.
package func verifySignature(_ text: String, digest: [UInt8], key: SignerKey) throws(RemoraError) {
  guard let raw = Base64.url.decode(text.utf8) else {
    throw RemoraError(.signatureMalformed, "the signature is not base64url")
  }
  guard raw.count == 96 else {
    throw RemoraError(.signatureMalformed, "the signature has \(raw.count) bytes instead of 96")
  }
  guard digest.count == 48 else {
    throw .bug("the SHA-384 digest of the signed content has \(digest.count) bytes instead of 48")
  }
  let signature = try ECDSASignature(r: raw[..<48], s: raw[48...])
  let verification = try SignatureCheck(key: key)
  guard try verification.accepts(signature.der(), digest: digest) else {
    throw RemoraError(.signatureMismatch, "the signature does not match the content")
  }
}

/// Owns OpenSSL's representation of a signature.
private final class ECDSASignature {
  /// OpenSSL's object; freed with this one.
  private let pointer: OpaquePointer

  /// Creates a signature from both numbers as big-endian bytes.
  init(r: ArraySlice<UInt8>, s: ArraySlice<UInt8>) throws(RemoraError) {
    guard let pointer = openssl_ECDSA_SIG_new() else { throw failed("create a signature") }
    self.pointer = pointer
    let numbers = [r, s].map { openssl_BN_bin2bn(Array($0), Int32($0.count)) }
    guard openssl_ECDSA_SIG_set0(pointer, numbers[0], numbers[1]) == 1 else {
      for number in numbers { openssl_BN_free(number) }
      throw failed("set the numbers of a signature")
    }
  }

  deinit { openssl_ECDSA_SIG_free(pointer) }

  /// Returns the DER form for verification.
  func der() throws(RemoraError) -> [UInt8] {
    let size = Int(openssl_i2d_ECDSA_SIG(pointer, nil))
    guard size > 0 else { throw failed("encode a signature") }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var cursor = buffer.baseAddress
      count = max(0, Int(openssl_i2d_ECDSA_SIG(pointer, &cursor)))
    }
  }
}

/// Owns OpenSSL's context of one verification.
private final class SignatureCheck {
  /// OpenSSL's object; freed with this one.
  private let context: OpaquePointer

  /// Prepares a verification of SHA-384 digests.
  init(key: SignerKey) throws(RemoraError) {
    guard let context = openssl_EVP_PKEY_CTX_new(key.pointer) else { throw failed("create a context") }
    self.context = context
    guard
      openssl_EVP_PKEY_verify_init(context) == 1,
      openssl_EVP_PKEY_CTX_set_signature_md(context, openssl_EVP_sha384()) == 1
    else { throw failed("prepare the verification") }
  }

  deinit { openssl_EVP_PKEY_CTX_free(context) }

  /// Whether the key signed the digest. Numbers out of range count as an invalid signature.
  func accepts(_ der: [UInt8], digest: [UInt8]) throws(RemoraError) -> Bool {
    let isAccepted = openssl_EVP_PKEY_verify(context, der, der.count, digest, digest.count) == 1
    if !isAccepted { try Libcrypto.reasonOfFailure() }
    return isAccepted
  }
}

private func failed(_ action: String) -> RemoraError {
  RemoraError(
    .unavailable, "a signature cannot be verified, because OpenSSL cannot \(action): \(Libcrypto.drainErrors())")
}
