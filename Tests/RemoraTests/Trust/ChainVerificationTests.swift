// SPDX-License-Identifier: Apache-2.0
//
// The fates of a certificate chain: structure of the path, root, usages and keys.

import COpenSSL
import Testing

@testable import Remora

@Suite("Verification of certificate chains")
struct ChainVerificationTests {
  init() throws { try LoadedLibcrypto.require() }

  @Test("verifying a chain of leaf, intermediate and root certificate returns the signer's key")
  func valid() throws {
    let chain = try TestChain()
    let key = try chain.verify()
    #expect(try key.root == chain.pin)
    try verifySignature(try chain.leafKey.signature(of: "{}"), digest: try signedDigest("{}"), key: key)
    #expect(ERR_peek_error() == 0)
  }

  @Test("chains of two to five certificates are accepted", arguments: 0...3)
  func lengths(intermediates: Int) throws {
    let templates = (0..<intermediates).map { number in
      var template = CertificateTemplate.intermediate
      template.commonName = "intermediate \(number)"
      return template
    }
    _ = try TestChain(intermediates: templates).verify()
  }

  @Test("a chain of six certificates is refused")
  func tooLong() throws {
    let chain = try TestChain(intermediates: Array(repeating: .intermediate, count: 4))
    try chain.expectRefusal(.chainMalformed, saying: "more than 5")
  }

  @Test("a single leaf certificate is refused, even if it is self-signed and pinned")
  func leafAlone() throws {
    var chain = try TestChain(root: .leaf)
    chain.certificates.removeFirst(2)
    try chain.expectRefusal(.chainInvalid, saying: "root certificate is missing")
  }

  @Test("a chain to another root than the pinned one is refused, and the error names both fingerprints and the option")
  func wrongRoot() throws {
    let chain = try TestChain()
    try chain.expectRefusal(
      .rootMismatch, saying: "\(chain.pin)", "\(RootPin.production)", "root_sha256", pin: .production)
  }

  @Test("a root certificate with the name of the right root but another key is refused")
  func impostorRoot() throws {
    var chain = try TestChain()
    chain.certificates[2] = try TestCertificate(.root)
    try chain.expectRefusal(.chainInvalid, saying: "test intermediate", "signature failure")
  }

  @Test("the error about a missing intermediate certificate names the certificate and its missing issuer")
  func missingIntermediate() throws {
    var chain = try TestChain()
    chain.certificates.remove(at: 1)
    try chain.expectRefusal(.chainInvalid, saying: TestChain.signer, "issued by \"test intermediate\"", "\"test root\"")
  }

  @Test("the error about a missing root certificate names that certificate")
  func missingRoot() throws {
    var chain = try TestChain()
    let pin = try chain.pin
    chain.certificates.removeLast()
    try chain.expectRefusal(.chainInvalid, saying: "not a root", "\"test root\" is missing", pin: pin)
  }

  @Test("a certificate chain in reverse order is refused")
  func reversed() throws {
    var chain = try TestChain()
    let pin = try chain.pin
    chain.certificates.reverse()
    try chain.expectRefusal(.chainInvalid, saying: "\"test root\"", "followed by \"test intermediate\"", pin: pin)
  }

  @Test("two intermediate certificates in the wrong order are refused")
  func swappedIntermediates() throws {
    var other = CertificateTemplate.intermediate
    other.commonName = "second intermediate"
    var chain = try TestChain(intermediates: [.intermediate, other])
    chain.certificates.swapAt(1, 2)
    try chain.expectRefusal(.chainInvalid, saying: "second intermediate", "followed by \"test intermediate\"")
  }

  @Test("a chain with a certificate that is not needed is refused")
  func superfluous() throws {
    var chain = try TestChain()
    var template = CertificateTemplate.root
    template.until += 1
    let twin = try TestCertificate(template)
    chain.certificates.insert(twin, at: 2)
    try chain.expectRefusal(.chainInvalid)
  }

  @Test(
    "a leaf certificate without the extended key usage codeSigning is refused",
    arguments: [nil, "serverAuth", "anyExtendedKeyUsage"])
  func withoutCodeSigning(usage: String?) throws {
    let chain = try TestChain.with(leaf: { $0.extendedKeyUsage = usage })
    try chain.expectRefusal(.chainInvalid, saying: TestChain.signer, "not for code signing")
  }

  @Test("an intermediate whose extended key usage excludes codeSigning is refused")
  func intermediateUsage() throws {
    let limited = try TestChain.with(intermediate: { $0.extendedKeyUsage = "serverAuth" })
    try limited.expectRefusal(.chainInvalid, saying: "test intermediate", "code signing")
    _ = try TestChain.with(intermediate: { $0.extendedKeyUsage = nil }).verify()
  }

  @Test("a certificate with a repeated extension is refused")
  func doubledExtension() throws {
    let leaf = try TestChain.with(leaf: { $0.hasDoubledUsage = true })
    try leaf.expectRefusal(.chainInvalid, saying: TestChain.signer, "invalid extensions")
    let intermediate = try TestChain.with(intermediate: {
      $0.extendedKeyUsage = "serverAuth"
      $0.hasDoubledUsage = true
    })
    try intermediate.expectRefusal(.chainInvalid, saying: "test intermediate", "invalid extensions")
  }

  @Test("a leaf certificate whose key usage excludes signatures is refused")
  func leafKeyUsage() throws {
    let chain = try TestChain.with(leaf: { $0.keyUsage = "keyAgreement" })
    try chain.expectRefusal(.chainInvalid, saying: "not for signatures")
  }

  @Test("a leaf certificate that is a certificate authority is refused")
  func leafAuthority() throws {
    let chain = try TestChain.with(leaf: { $0.constraints = "CA:TRUE" })
    try chain.expectRefusal(.chainInvalid, saying: "is a CA certificate")
  }

  @Test("an issuer certificate without the basic constraint CA:TRUE is refused", arguments: [nil, "CA:FALSE"])
  func issuerWithoutAuthority(constraints: String?) throws {
    let chain = try TestChain.with(intermediate: { $0.constraints = constraints })
    try chain.expectRefusal(.chainInvalid, saying: "test intermediate", "is not a CA certificate")
  }

  @Test("an issuer whose key usage does not include signing certificates is refused")
  func issuerKeyUsage() throws {
    let chain = try TestChain.with(intermediate: { $0.keyUsage = "digitalSignature" })
    try chain.expectRefusal(.chainInvalid, saying: "test intermediate", "may not sign certificates")
  }

  @Test("a chain with more intermediates than a path length constraint allows is refused")
  func pathLength() throws {
    var root = CertificateTemplate.root
    root.constraints = "critical,CA:TRUE,pathlen:0"
    try TestChain(root: root).expectRefusal(.chainInvalid, saying: "path length")
  }

  @Test("a leaf certificate outside its issuer's name constraints is refused")
  func nameConstraints() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = "DNS:settings.elsewhere.example" })
    try chain.expectRefusal(.chainInvalid, saying: "permitted subtree", signer: "settings.elsewhere.example")
  }

  @Test("a leaf is refused if only one of its names is outside its issuer's name constraints")
  func oneNameOutside() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = "DNS:\(TestChain.signer),DNS:elsewhere.example" })
    try chain.expectRefusal(.chainInvalid, saying: "permitted subtree")
  }

  @Test("a leaf certificate that its issuer's name constraints exclude is refused")
  func excludedName() throws {
    let chain = try TestChain.with(intermediate: { $0.nameConstraints = "excluded;DNS:\(TestChain.signer)" })
    try chain.expectRefusal(.chainInvalid, saying: "excluded subtree")
  }

  @Test("a leaf certificate whose key is not on the curve P-384 is refused", arguments: [TestKey.Kind.rsa, .p256])
  func otherKeys(kind: TestKey.Kind) throws {
    let chain = try TestChain.with(leaf: { $0.keyKind = kind })
    try chain.expectRefusal(.chainInvalid, saying: TestChain.signer, "P-384")
  }

  @Test("a root or intermediate certificate with an RSA key may issue a P-384 leaf certificate")
  func rsaIssuers() throws {
    _ = try TestChain.with(root: { $0.keyKind = .rsa }, intermediate: { $0.keyKind = .rsa }).verify()
  }

  @Test("a certificate that is signed with SHA-1 is refused")
  func weakDigest() throws {
    let chain = try TestChain.with(leaf: { $0.isWeaklySigned = true })
    try chain.expectRefusal(.chainInvalid, saying: TestChain.signer)
  }

  @Test("a leaf certificate with a flipped bit in any byte is refused")
  func bitFlips() throws {
    let chain = try TestChain()
    let rest = chain.certificates.dropFirst().map(\.pem).joined()
    let pin = try chain.pin
    let der = chain.certificates[0].der
    for index in der.indices {
      var flipped = der
      flipped[index] ^= 1 << (index % 8)
      #expect(throws: RemoraError.self, "byte \(index)") { try chain.verify(pemBlock(flipped) + rest, pin: pin) }
    }
  }
}
