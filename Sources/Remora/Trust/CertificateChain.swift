// SPDX-License-Identifier: Apache-2.0
//
// The checks of a certificate chain, one function per check. `verifyChain` calls them in order.
// Invariant: leaf first, root last; certificates are never reordered, added or skipped to make a chain valid.

internal import COpenSSL

/// A decoded chain of two to five certificates.
struct CertificateChain {
  /// Leaf first, root last.
  let certificates: [Certificate]
  let leaf: Certificate
  /// The last certificate, which must be the pinned one.
  let root: Certificate

  /// Parses PEM text.
  ///
  /// - Throws: `.chainMalformed`; `.chainInvalid` for a single certificate.
  init(pem: [UInt8]) throws(RemoraError) {
    var certificates: [Certificate] = []
    for der in try PEM.certificates(in: pem) {
      certificates.append(try Certificate(der: der, position: certificates.count + 1))
    }
    guard let leaf = certificates.first, let root = certificates.last, leaf !== root else {
      throw RemoraError(
        .chainInvalid, "the certificate chain contains only the leaf certificate; the root certificate is missing")
    }
    self.certificates = certificates
    self.leaf = leaf
    self.root = root
  }

  /// Checks that the last certificate is the pinned one.
  ///
  /// - Throws: `.rootMismatch`; `.chainInvalid` if the last certificate is not a root.
  func requireRoot(_ pin: RootPin) throws(RemoraError) {
    let found = try RootPin(ofCertificate: root.der)
    guard found != pin else { return }
    guard root.isIssued(by: root) else {
      throw RemoraError(
        .chainInvalid,
        "the certificate chain ends with \"\(root.name)\", which is not a root certificate:"
          + " its issuer \"\(root.issuerName)\" is missing")
    }
    throw RemoraError(
      .rootMismatch,
      "the root certificate of the chain has SHA-256 \(found), but \(pin) is expected;"
        + " set root_sha256 to expect another root certificate")
  }

  /// Checks that every certificate is valid at `instant`, and returns the period in which all are.
  ///
  /// - Throws: `.certificateExpired` naming the first certificate that is not valid; `.chainMalformed` for malformed
  ///   dates.
  func requireValidity(atMs instant: Int64) throws(RemoraError) -> Validity {
    var common = Validity.unlimited
    for certificate in certificates {
      guard let validity = certificate.validity else {
        throw RemoraError(.chainMalformed, "certificate \"\(certificate.name)\" has a malformed date")
      }
      if instant < validity.fromMs {
        throw RemoraError(
          .certificateExpired,
          "certificate \"\(certificate.name)\" is not yet valid: it becomes valid at \(utcText(validity.fromMs)),"
            + " and the clock says \(utcText(instant))")
      }
      if instant >= validity.untilMs {
        throw RemoraError(
          .certificateExpired,
          "certificate \"\(certificate.name)\" is expired: it was valid until \(utcText(validity.untilMs)),"
            + " and the clock says \(utcText(instant))")
      }
      common = common.intersection(validity)
    }
    return common
  }

  /// Checks that each certificate names the next one as its issuer.
  ///
  /// - Throws: `.chainInvalid` naming both.
  func requireOrder() throws(RemoraError) {
    for (certificate, issuer) in zip(certificates, certificates.dropFirst())
    where !certificate.isIssued(by: issuer) {
      throw RemoraError(
        .chainInvalid,
        "certificate \"\(certificate.name)\" is issued by \"\(certificate.issuerName)\","
          + " but in the chain it is followed by \"\(issuer.name)\"")
    }
  }

  /// Checks that each certificate is permitted for its use: the leaf to sign content, the others to issue certificates.
  ///
  /// - Throws: `.chainInvalid` naming the certificate.
  func requireUsages() throws(RemoraError) {
    for certificate in certificates where try certificate.hasInvalidExtensions() {
      throw refused(certificate, "has invalid extensions")
    }
    guard leaf.isForCodeSigning else { throw refused(leaf, "is not for code signing") }
    guard leaf.allowsKeyUsage(KU_DIGITAL_SIGNATURE) else { throw refused(leaf, "is not for signatures") }
    guard !leaf.isAuthority else { throw refused(leaf, "is a CA certificate, not a signer's certificate") }
    for issuer in certificates.dropFirst() {
      guard issuer.isAuthority else { throw refused(issuer, "is not a CA certificate") }
      guard issuer.allowsKeyUsage(KU_KEY_CERT_SIGN) else { throw refused(issuer, "may not sign certificates") }
      guard !issuer.hasExtendedKeyUsage || issuer.isForCodeSigning else {
        throw refused(issuer, "may not issue code signing certificates")
      }
    }
  }

  /// Checks that OpenSSL accepts exactly this path from leaf to root: signatures, path lengths, name constraints,
  /// critical extensions, strength of keys and digests.
  ///
  /// - Throws: `.chainInvalid` with OpenSSL's reason and the certificate.
  func requirePath(atMs instant: Int64) throws(RemoraError) {
    let path = try PathValidation(leaf: leaf, intermediates: certificates.dropFirst().dropLast(), root: root)
    if let problem = try path.problem(atMs: instant) {
      let certificate = certificates.indices.contains(problem.depth) ? certificates[problem.depth] : leaf
      throw refused(certificate, "is not valid: \(problem.reason)")
    }
    guard path.isExactly(certificates) else {
      throw RemoraError(.chainInvalid, "the certificate chain has certificates that the path to the root does not need")
    }
  }

  /// Checks that the leaf has the signer's DNS name among its subject alternative names, without wildcards. The common
  /// name is not considered.
  ///
  /// - Throws: `.certificateSubject` with the expected and the found names.
  func requireSigner(_ signer: String) throws(RemoraError) {
    let names = try leaf.dnsNames()
    guard !signer.isEmpty, names.contains(where: { equalsIgnoringCase($0, Array(signer.utf8)) }) else {
      let found = names.prefix(4).map { "\"\(printable($0))\"" }.joined(separator: ", ")
      throw RemoraError(
        .certificateSubject,
        "the signer's certificate is for \(found.isEmpty ? "no DNS name" : found), but \"\(signer)\" is expected")
    }
  }

  private func refused(_ certificate: Certificate, _ problem: String) -> RemoraError {
    RemoraError(.chainInvalid, "certificate \"\(certificate.name)\" \(problem)")
  }
}

/// Whether two DNS names are equal; ASCII letters are compared without case, all other bytes exactly.
private func equalsIgnoringCase(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && zip(one, other).allSatisfy { lowercased($0) == lowercased($1) }
}

/// Prepares a certificate's name for a message: truncates it, and replaces bytes that are not printable ASCII by `?`.
private func printable(_ name: [UInt8]) -> String {
  String(decoding: name.prefix(64).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
}
