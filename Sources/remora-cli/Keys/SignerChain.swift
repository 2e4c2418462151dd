// SPDX-License-Identifier: Apache-2.0
//
// The certificate chain in a file, read without being trusted.

internal import Remora

/// The end of a certificate's validity.
struct CertificateEnd {
  /// A certificate's place in its chain, on which it depends how it is replaced.
  enum Certificate { case signer, intermediate, root }

  /// The common name.
  let name: String
  let untilMs: Int64
  let certificate: Certificate
}

extension CertificateEnd.Certificate {
  /// The certificate at an index of a chain, leaf first.
  fileprivate init(at index: Int, of count: Int) {
    self = index == 0 ? .signer : index == count - 1 ? .root : .intermediate
  }

  private static var rootAdvice: String {
    "the root certificate cannot be renewed: create new keys, and ship their pin in programs"
      + " (docs/trust.md#when-a-root-is-replaced)"
  }

  /// The advice to somebody who has the keys.
  var advice: String {
    switch self {
    case .signer: "remora keys renew replaces it"
    case .intermediate: "remora keys renew --root replaces it"
    case .root: Self.rootAdvice
    }
  }

  /// The advice to somebody who sees a published chain.
  var servedAdvice: String { self == .root ? Self.rootAdvice : "renew the keys, and publish again" }
}

/// A certificate chain, leaf first.
struct SignerChain {
  /// The PEM text of each certificate, leaf first.
  let certificates: [[UInt8]]
  /// The ends of the certificates, leaf first.
  let ends: [CertificateEnd]
  /// The first of them in time.
  let firstEnd: CertificateEnd
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
      let ends = chain.enumerated().map { index, facts in
        CertificateEnd(name: facts.name, untilMs: facts.untilMs, certificate: .init(at: index, of: chain.count))
      }
      guard let leaf = chain.first, let last = chain.last, let first = ends.min(by: { $0.untilMs < $1.untilMs }) else {
        throw RemoraError(.chainMalformed, "the file has no certificate")
      }
      guard !leaf.dnsName.isEmpty else {
        throw RemoraError(.certificateSubject, "the signer's certificate has no DNS name")
      }
      certificates = texts
      signer = leaf.dnsName
      root = try RootPin(ofCertificate: last.der)
      (self.ends, firstEnd) = (ends, first)
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
