// SPDX-License-Identifier: Apache-2.0
//
// The certificate chain in a file, read without being trusted.

internal import Remora

/// A certificate chain, leaf first.
struct SignerChain {
  /// The PEM text of each certificate, leaf first.
  let certificates: [[UInt8]]
  let chain: CertificateChain
  /// The DNS name of the leaf.
  let signer: String
  let root: RootPin

  /// Reads the chain in a file, which may contain a key too.
  ///
  /// - Throws: `.storage`, and the errors of the other `init`.
  init(file path: String) throws(RemoraError) { try self.init(try readFile(path, limit: maximumKeyFile), path) }

  /// Reads the chain in a text.
  ///
  /// - Throws: `.chainMalformed`, `.chainInvalid`; `.certificateSubject` without a DNS name.
  init(_ pem: [UInt8], _ name: String) throws(RemoraError) {
    try Libcrypto.load()
    do throws(RemoraError) {
      chain = try CertificateChain(pem: pem)
      root = try RootPin(ofCertificate: chain.root.der)
      guard let name = try chain.leaf.dnsNames().first, let text = String(validating: name, as: UTF8.self) else {
        throw RemoraError(.certificateSubject, "the signer's certificate has no DNS name")
      }
      signer = text
    } catch {
      throw error.prefixed(by: "\(name): ")
    }
    certificates = certificateTexts(in: pem)
  }

  /// The text that clients fetch.
  var pem: [UInt8] { certificates.flatMap { $0 } }

  /// The validity of the leaf in whole days, without the day before it was issued.
  var days: Int64 {
    guard let validity = chain.leaf.validity else { return 0 }
    return max(1, (validity.untilMs - validity.fromMs) / dayMs - 1)
  }

  /// The first instant at which all certificates are valid.
  var validFromMs: Int64 { chain.certificates.compactMap { $0.validity?.fromMs }.max() ?? 0 }
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
