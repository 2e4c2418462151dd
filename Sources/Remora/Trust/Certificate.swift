// SPDX-License-Identifier: Apache-2.0
//
// One decoded X.509 certificate. Its content is not trusted by itself; `CertificateChain` verifies it.

internal import COpenSSL

/// A decoded certificate. Confined to the thread that verifies.
final class Certificate {
  /// OpenSSL's object; freed with this one.
  let pointer: OpaquePointer
  /// All bytes from which the certificate was decoded.
  let der: [UInt8]

  /// Decodes a certificate; `position` counts from 1 and identifies the certificate in the error.
  ///
  /// - Throws: `.chainMalformed` if the bytes are not exactly one certificate.
  init(der: [UInt8], position: Int) throws(RemoraError) {
    var consumed = 0
    let decoded = der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      defer { consumed = cursor.map { $0 - (bytes.baseAddress ?? $0) } ?? 0 }
      return openssl_d2i_X509(&cursor, bytes.count)
    }
    guard let decoded else {
      throw RemoraError(
        .chainMalformed,
        "certificate \(position) of the chain cannot be decoded: \(try Libcrypto.reasonOfFailure())")
    }
    pointer = decoded
    self.der = der
    guard consumed == der.count else {
      throw RemoraError(.chainMalformed, "certificate \(position) of the chain has bytes after its end")
    }
  }

  deinit { openssl_X509_free(pointer) }

  /// The common name, or the whole subject if there is none, escaped as in RFC 4514; for messages.
  var name: String { commonName(in: openssl_X509_get_subject_name(pointer)) }

  /// The common name of the issuer, or its whole name if there is none; for messages.
  var issuerName: String { commonName(in: openssl_X509_get_issuer_name(pointer)) }

  /// Whether the certificate names `other` as its issuer.
  func isIssued(by other: Certificate) -> Bool {
    openssl_X509_NAME_cmp(
      openssl_X509_get_issuer_name(pointer), openssl_X509_get_subject_name(other.pointer)) == 0
  }

  /// The validity period; nil if a date is malformed.
  var validity: Validity? {
    guard
      let from = milliseconds(of: openssl_X509_get0_notBefore(pointer)),
      let until = milliseconds(of: openssl_X509_get0_notAfter(pointer))
    else { return nil }
    return Validity(fromMs: from, untilMs: until)
  }

  /// Returns whether an extension cannot be decoded, is duplicated, or contradicts another.
  func hasInvalidExtensions() throws(RemoraError) -> Bool {
    guard has(UInt32(EXFLAG_INVALID)) else { return false }
    try Libcrypto.reasonOfFailure()
    return true
  }

  /// Whether the basic constraints contain CA:TRUE.
  var isAuthority: Bool { has(UInt32(EXFLAG_CA)) }

  /// Whether the key usage permits `bit`: the extension is absent, or contains the bit.
  func allowsKeyUsage(_ bit: Int32) -> Bool {
    openssl_X509_get_key_usage(pointer) & UInt32(bit) != 0
  }

  /// Whether the certificate has an extended key usage.
  var hasExtendedKeyUsage: Bool { has(UInt32(EXFLAG_XKUSAGE)) }

  /// Whether the extended key usage includes code signing.
  var isForCodeSigning: Bool {
    hasExtendedKeyUsage && openssl_X509_get_extended_key_usage(pointer) & UInt32(XKU_CODE_SIGN) != 0
  }

  /// Returns the DNS names among the subject alternative names, as raw bytes.
  func dnsNames() throws(RemoraError) -> [[UInt8]] {
    guard let names = openssl_X509_get_subject_alt_names(pointer) else {
      try Libcrypto.reasonOfFailure()
      return []
    }
    defer { openssl_GENERAL_NAMES_free(names) }
    return (0..<max(0, openssl_sk_GENERAL_NAME_num(names))).compactMap { index in
      guard let name = openssl_GENERAL_NAMES_dns(names, index) else { return nil }
      return [UInt8](
        UnsafeBufferPointer(start: openssl_ASN1_STRING_get0_data(name), count: Int(openssl_ASN1_STRING_length(name))))
    }
  }

  private func has(_ flag: UInt32) -> Bool { openssl_X509_get_extension_flags(pointer) & flag != 0 }

  /// Returns the most specific common name, or the whole name; truncated, because it may be hostile text.
  private func commonName(in name: OpaquePointer?) -> String {
    let text = Array(Libcrypto.text(capacity: 400) { openssl_X509_NAME_text(name, $0, Int32($1)) }.utf8)
    let part = attributes(in: text).first { $0.starts(with: "CN=".utf8) }?.dropFirst(3)
    return String(decoding: (part ?? text[...]).prefix(80), as: UTF8.self)
  }
}

/// Splits a name in the form of RFC 4514 into its attributes, at commas and pluses that are not escaped.
private func attributes(in text: [UInt8]) -> [ArraySlice<UInt8>] {
  var isEscaped = false
  return text.split { byte in
    defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
    return !isEscaped && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+"))
  }
}
