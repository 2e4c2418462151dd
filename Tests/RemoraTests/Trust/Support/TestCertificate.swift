// SPDX-License-Identifier: Apache-2.0
//
// Certificates of the tests' own: a template says what a certificate shall claim, true or not.

import COpenSSL

@testable import Remora

/// What a certificate claims. Extension values are in the notation of openssl.cnf; nil leaves the extension out.
struct CertificateTemplate {
  var commonName: String
  var keyKind = TestKey.Kind.p384
  var constraints: String?
  var keyUsage: String?
  var extendedKeyUsage: String? = "codeSigning"
  var alternativeNames: String?
  var nameConstraints: String?
  /// Seconds since 1970.
  var from = TestChain.now - 1000
  /// Seconds since 1970.
  var until = TestChain.now + 1000
  /// Repeats the extended key usage when true, which no certificate may.
  var hasDoubledUsage = false
  /// Signs with SHA-1 when true.
  var isWeaklySigned = false

  static let root = CertificateTemplate(
    commonName: "test root", constraints: "critical,CA:TRUE", keyUsage: "critical,keyCertSign,cRLSign")
  static let intermediate = CertificateTemplate(
    commonName: "test intermediate", constraints: "CA:TRUE", keyUsage: "critical,keyCertSign,cRLSign",
    nameConstraints: "permitted;DNS:.content-signature.example,permitted;DNS:content-signature.example")
  static let leaf = CertificateTemplate(
    commonName: TestChain.signer, keyUsage: "critical,digitalSignature", alternativeNames: "DNS:\(TestChain.signer)")

  /// The extensions in the order of a usual certificate.
  fileprivate var extensions: [(Int32, String)] {
    [
      (NID_basic_constraints, constraints), (NID_key_usage, keyUsage), (NID_ext_key_usage, extendedKeyUsage),
      (NID_subject_alt_name, alternativeNames), (NID_name_constraints, nameConstraints),
      (NID_ext_key_usage, hasDoubledUsage ? extendedKeyUsage : nil),
    ].compactMap { nid, value in value.map { (nid, $0) } }
  }
}

/// A certificate and its key.
final class TestCertificate {
  let pointer: OpaquePointer
  let key: TestKey

  /// Issues a certificate; without an issuer it signs itself.
  init(_ template: CertificateTemplate, issuer: TestCertificate? = nil) throws {
    key = try TestKey(template.keyKind)
    pointer = try unwrap("a certificate", X509_new())
    X509_set_version(pointer, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(pointer), Int.random(in: 1...1_000_000_000))
    let name = X509_get_subject_name(pointer)
    try check("name", X509_NAME_add_entry_by_txt(name, "O", 0x1000, "Remora tests", -1, -1, 0))
    try check("name", X509_NAME_add_entry_by_txt(name, "CN", 0x1000, template.commonName, -1, -1, 0))
    try check("issuer", X509_set_issuer_name(pointer, X509_get_subject_name((issuer ?? self).pointer)))
    ASN1_TIME_set(X509_getm_notBefore(pointer), template.from)
    ASN1_TIME_set(X509_getm_notAfter(pointer), template.until)
    try check("key", X509_set_pubkey(pointer, key.pointer))
    for (nid, value) in template.extensions { try add(nid, value) }
    let digest = template.isWeaklySigned ? EVP_sha1() : EVP_sha384()
    try check("signature", X509_sign(pointer, (issuer ?? self).key.pointer, digest))
  }

  deinit { X509_free(pointer) }

  var der: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(i2d_X509(pointer, nil)))
    bytes.withUnsafeMutableBufferPointer {
      var cursor = $0.baseAddress
      _ = i2d_X509(pointer, &cursor)
    }
    return bytes
  }

  var pem: String { pemBlock(der) }

  private func add(_ nid: Int32, _ value: String) throws {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, nil, pointer, nil, nil, 0)
    let ext = try unwrap("extension \(value)", X509V3_EXT_nconf_nid(nil, &context, nid, value))
    defer { X509_EXTENSION_free(ext) }
    try check("extension \(value)", X509_add_ext(pointer, ext, -1))
  }
}

/// One PEM block, 64 columns wide.
func pemBlock(_ der: [UInt8]) -> String {
  let text = Array(base64(der).utf8)
  let lines = stride(from: 0, to: text.count, by: 64).map {
    String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
  }
  return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
}
