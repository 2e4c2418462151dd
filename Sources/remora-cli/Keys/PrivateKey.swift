// SPDX-License-Identifier: Apache-2.0
//
// A private key, which signs digests and issues certificates. Its bytes are only written to files of mode 0600.

internal import CSigning
internal import Remora

/// A private key on P-384.
final class PrivateKey {
  /// Owned; freed with this object.
  private let pointer: OpaquePointer

  /// Creates a key.
  init() throws(RemoraError) {
    try loadSigning()
    guard let pointer = remora_signing_key_new() else { throw failed("create a key") }
    self.pointer = pointer
  }

  /// Reads the key in a PEM file.
  ///
  /// - Throws: `.storage`; `.chainMalformed` for a file without a usable key.
  init(file path: String) throws(RemoraError) {
    try loadSigning()
    let pem = try readFile(path, limit: maximumKeyFile)
    guard let pointer = remora_signing_key_read(pem, Int32(clamping: pem.count)) else {
      throw RemoraError(.chainMalformed, "\(path) has no unencrypted private key on the curve P-384")
    }
    self.pointer = pointer
  }

  deinit { remora_signing_key_free(pointer) }

  /// Returns the PEM text of the key.
  func pem() throws(RemoraError) -> [UInt8] {
    try text("write a key") { remora_signing_key_write(pointer, $0, $1) }
  }

  /// Signs a SHA-384 digest. Returns r and s in base64url, as Content-Signature has them.
  func sign(_ digest: [UInt8]) throws(RemoraError) -> String {
    guard digest.count == 48 else { throw .bug("a digest of \(digest.count) bytes cannot be signed") }
    var signature = [UInt8](repeating: 0, count: 96)
    guard remora_signing_key_sign(pointer, digest, &signature) == 1 else { throw failed("sign") }
    return base64URL(signature)
  }

  /// The content of a certificate.
  struct Content {
    let commonName: String
    /// The DNS name of a signer; nil for an authority.
    var dnsName: String?
    /// The number of authorities that may follow below an authority.
    var pathLength: Int32 = 0
    let validity: Range<Int64>
  }

  /// Issues a certificate for a key. Returns its PEM text.
  ///
  /// - Parameters:
  ///   - subject: The key that is certified.
  ///   - issuer: PEM text that begins with the certificate of this key; nil if the certificate signs itself.
  func issue(_ content: Content, for subject: PrivateKey, by issuer: [UInt8]?) throws(RemoraError) -> [UInt8] {
    try text("issue a certificate") { buffer, size in
      content.commonName.withCString { commonName in
        (content.dnsName ?? "").withCString { dnsName in
          var plan = remora_certificate(
            common_name: commonName, dns_name: content.dnsName == nil ? nil : dnsName,
            path_length: content.pathLength, from: content.validity.lowerBound / 1000,
            until: content.validity.upperBound / 1000)
          return remora_issue(
            &plan, subject.pointer, issuer, Int32(clamping: issuer?.count ?? 0), pointer, buffer, size)
        }
      }
    }
  }
}

/// The maximum size of a file with keys and certificates, in bytes.
let maximumKeyFile = 65_536

/// What a certificate states. Nothing of it is verified.
struct CertificateFacts {
  let der: [UInt8]
  let name: String
  /// The first DNS name; empty without one.
  let dnsName: String
  let fromMs: Int64
  let untilMs: Int64

  /// Reads the first certificate in a PEM text.
  ///
  /// - Throws: `.chainMalformed`.
  init(pem: [UInt8]) throws(RemoraError) {
    try loadSigning()
    var facts = remora_certificate_facts()
    var der = [UInt8](repeating: 0, count: maximumKeyFile)
    let count = remora_read_certificate(pem, Int32(clamping: pem.count), &facts, &der, Int32(clamping: der.count))
    guard count > 0 else {
      throw RemoraError(.chainMalformed, "a certificate cannot be decoded: \(String(cString: remora_signing_reason()))")
    }
    self.der = Array(der.prefix(Int(count)))
    name = withUnsafeBytes(of: facts.common_name) { printable(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)) }
    dnsName = withUnsafeBytes(of: facts.dns_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    (fromMs, untilMs) = (facts.from &* 1000, facts.until &* 1000)
  }
}

/// Loads the functions that sign.
private func loadSigning() throws(RemoraError) {
  try Libcrypto.load()
  if let missing = remora_signing_load() {
    throw RemoraError(.unavailable, "libcrypto cannot sign: \(String(cString: missing)) is missing")
  }
}

/// Returns the text that a function writes into a buffer.
private func text(
  _ action: String, _ write: (UnsafeMutablePointer<UInt8>, Int32) -> Int32
) throws(RemoraError) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 8192)
  let size = Int32(clamping: buffer.count)
  let count = buffer.withUnsafeMutableBufferPointer { bytes in bytes.baseAddress.map { write($0, size) } ?? 0 }
  guard count > 0 else { throw failed(action) }
  return Array(buffer.prefix(Int(count)))
}

private func failed(_ action: String) -> RemoraError {
  RemoraError(.unavailable, "OpenSSL cannot \(action): \(String(cString: remora_signing_reason()))")
}

/// Encodes bytes whose number is a multiple of three.
private func base64URL(_ bytes: [UInt8]) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var text: [UInt8] = []
  var bits: UInt32 = 0
  for (index, byte) in bytes.enumerated() {
    bits = bits << 8 | UInt32(byte)
    guard index % 3 == 2 else { continue }
    for shift in [18, 12, 6, 0] as [UInt32] { text.append(digits[Int(bits >> shift & 63)]) }
    bits = 0
  }
  return String(decoding: text, as: UTF8.self)
}
