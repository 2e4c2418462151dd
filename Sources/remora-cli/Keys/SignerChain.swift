// SPDX-License-Identifier: Apache-2.0
//
// The certificate chain in a file, read without being trusted.

internal import Remora

/// A certificate chain, leaf first.
struct SignerChain {
  /// The PEM text of each certificate, leaf first.
  let certificates: [[UInt8]]
  /// The common names and the ends of the validity of the certificates, leaf first.
  let ends: [(name: String, untilMs: Int64)]
  /// The first instant at which all certificates are valid.
  let validFromMs: Int64
  /// The validity of the leaf in whole days, without the day before it was issued.
  let days: Int64
  /// The DNS name of the leaf.
  let signer: String
  let root: RootPin

  /// Reads the chain in a file, which may contain a key too.
  ///
  /// - Throws: `.storage`, and the errors of the other `init`.
  init(file path: String) throws(RemoraError) { try self.init(try readFile(path, limit: maximumKeyFile), path) }

  /// Reads the chain in a text.
  ///
  /// - Throws: `.chainMalformed`; `.certificateSubject` without a DNS name.
  init(_ pem: [UInt8], _ name: String) throws(RemoraError) {
    try Libcrypto.load()
    do throws(RemoraError) {
      let texts = certificateTexts(in: pem)
      var chain: [CertificateFacts] = []
      for text in texts { chain.append(try CertificateFacts(pem: text)) }
      guard let leaf = chain.first, let last = chain.last else {
        throw RemoraError(.chainMalformed, "the file has no certificate")
      }
      guard !leaf.dnsName.isEmpty else {
        throw RemoraError(.certificateSubject, "the signer's certificate has no DNS name")
      }
      certificates = texts
      signer = leaf.dnsName
      root = try RootPin(ofCertificate: last.der)
      ends = chain.map { ($0.name, $0.untilMs) }
      validFromMs = chain.map(\.fromMs).max() ?? 0
      days = max(1, (leaf.untilMs - leaf.fromMs) / dayMs - 1)
    } catch {
      throw error.prefixed(by: "\(name): ")
    }
  }

  /// The text that clients fetch.
  var pem: [UInt8] { certificates.flatMap { $0 } }
}

/// Returns the lines of each certificate in a text.
private func certificateTexts(in pem: [UInt8]) -> [[UInt8]] {
  var texts: [[UInt8]] = []
  var isInside = false
  for line in pem.split(separator: UInt8(ascii: "\n")) {
    if line.starts(with: "-----BEGIN CERTIFICATE-----".utf8) {
      isInside = true
      texts.append([])
    }
    if isInside { texts[texts.count - 1] += line + [UInt8(ascii: "\n")] }
    if line.starts(with: "-----END CERTIFICATE-----".utf8) { isInside = false }
  }
  return texts
}
