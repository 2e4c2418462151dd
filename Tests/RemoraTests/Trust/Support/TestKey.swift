// SPDX-License-Identifier: Apache-2.0
//
// Key pairs and signatures of the tests' own, made with OpenSSL directly.

import COpenSSL

@testable import Remora

/// A step of the test support that OpenSSL refused.
struct TestSupportFailure: Error {
  /// The step.
  let step: String
}

/// Loads libcrypto once for all suites, which run in parallel, under the lock that the engine loads it under.
enum LoadedLibcrypto {
  private static let result = Result { try Runtime.shared.lock.withLock { try Runtime.shared.loadLibraries($0) } }

  static func require() throws { try result.get() }
}

/// A key pair.
final class TestKey {
  /// The kinds that the tests need: one that may sign content, and those that may not.
  enum Kind { case p384, p256, rsa }

  let pointer: OpaquePointer

  init(_ kind: Kind = .p384) throws {
    let context = try unwrap("a key context", EVP_PKEY_CTX_new_from_name(nil, kind == .rsa ? "RSA" : "EC", nil))
    defer { EVP_PKEY_CTX_free(context) }
    try check("keygen", EVP_PKEY_keygen_init(context))
    if kind != .rsa { try check("group", EVP_PKEY_CTX_set_group_name(context, kind == .p384 ? "P-384" : "P-256")) }
    var key: OpaquePointer?
    try check("generate", EVP_PKEY_generate(context, &key))
    pointer = try unwrap("a key", key)
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The public half, as DER SubjectPublicKeyInfo.
  func publicKey() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(i2d_PUBKEY(pointer, nil)))
    bytes.withUnsafeMutableBufferPointer {
      var cursor = $0.baseAddress
      _ = i2d_PUBKEY(pointer, &cursor)
    }
    return bytes
  }

  /// Signs a SHA-384 digest: r and s, 48 bytes each.
  func sign(_ digest: [UInt8]) throws -> [UInt8] {
    let context = try unwrap("a context", EVP_PKEY_CTX_new(pointer, nil))
    defer { EVP_PKEY_CTX_free(context) }
    try check("sign init", EVP_PKEY_sign_init(context))
    try check("digest", EVP_PKEY_CTX_set_signature_md(context, EVP_sha384()))
    var der = [UInt8](repeating: 0, count: 256)
    var length = der.count
    try check("sign", EVP_PKEY_sign(context, &der, &length, digest, digest.count))
    let signature = try der.withUnsafeBufferPointer {
      var cursor = $0.baseAddress
      return try unwrap("a signature", d2i_ECDSA_SIG(nil, &cursor, length))
    }
    defer { ECDSA_SIG_free(signature) }
    return padded(ECDSA_SIG_get0_r(signature)) + padded(ECDSA_SIG_get0_s(signature))
  }

  /// Signs content as a server does; base64url.
  func signature(of content: String) throws -> String {
    base64URL(try sign(try signedDigest(content)))
  }
}

/// The digest of a text with the prefix of the protocol.
func signedDigest(_ content: String) throws -> [UInt8] {
  var digest = try MessageDigest.ofSignedContent()
  digest.update(Array(content.utf8))
  return digest.finish()
}

/// The other signature that verifies: n - s in place of s.
func malleated(_ signature: [UInt8]) throws -> [UInt8] {
  let group = try unwrap("P-384", EC_GROUP_new_by_curve_name(NID_secp384r1))
  defer { EC_GROUP_free(group) }
  let s = try unwrap("s", BN_bin2bn(Array(signature[48...]), 48, nil))
  defer { BN_free(s) }
  try check("n - s", BN_sub(s, EC_GROUP_get0_order(group), s))
  return signature[..<48] + padded(s)
}

/// Base64 with the alphabet of URLs; 96 bytes need no padding.
func base64URL(_ bytes: [UInt8]) -> String {
  String(base64(bytes).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
}

/// Base64 with padding.
func base64(_ bytes: [UInt8]) -> String {
  var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
  let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
  return String(decoding: text.prefix(Int(count)), as: UTF8.self)
}

/// Stops when OpenSSL did not answer with success.
func check(_ step: String, _ result: Int32) throws {
  guard result > 0 else { throw TestSupportFailure(step: step) }
}

/// Stops when OpenSSL gave nothing.
func unwrap<Value>(_ step: String, _ value: Value?) throws -> Value {
  guard let value else { throw TestSupportFailure(step: step) }
  return value
}

private func padded(_ number: OpaquePointer?) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: 48)
  BN_bn2binpad(number, &bytes, 48)
  return bytes
}
