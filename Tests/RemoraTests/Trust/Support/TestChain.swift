// SPDX-License-Identifier: Apache-2.0
//
// A chain of the tests' own, leaf first, and how to judge it.

import COpenSSL
import Testing

@testable import Remora

/// Leaf, intermediates and root.
struct TestChain {
  /// The instant that the templates surround, in seconds since 1970.
  static let now = 1_800_000_000
  static let signer = "settings.content-signature.example"

  var certificates: [TestCertificate]

  /// Issues a chain from templates, root first as they are issued.
  init(
    root: CertificateTemplate = .root, intermediates: [CertificateTemplate] = [.intermediate],
    leaf: CertificateTemplate = .leaf
  ) throws {
    try LoadedLibcrypto.require()
    certificates = [try TestCertificate(root)]
    for template in intermediates + [leaf] {
      certificates.insert(try TestCertificate(template, issuer: certificates[0]), at: 0)
    }
  }

  /// Issues the usual chain with some of its claims changed.
  static func with(
    root changeRoot: (inout CertificateTemplate) -> Void = { _ in },
    intermediate changeIntermediate: (inout CertificateTemplate) -> Void = { _ in },
    leaf changeLeaf: (inout CertificateTemplate) -> Void = { _ in }
  ) throws -> TestChain {
    var (root, intermediate, leaf) = (
      CertificateTemplate.root, CertificateTemplate.intermediate, CertificateTemplate.leaf
    )
    changeRoot(&root)
    changeIntermediate(&intermediate)
    changeLeaf(&leaf)
    return try TestChain(root: root, intermediates: [intermediate], leaf: leaf)
  }

  var pem: String { certificates.map(\.pem).joined() }

  /// The pin of the last certificate.
  var pin: RootPin { get throws { try RootPin(ofCertificate: try unwrap("a root", certificates.last).der) } }

  /// The key that signs content.
  var leafKey: TestKey { certificates[0].key }

  /// Verifies the chain, or other text, under the chain's own pin.
  func verify(
    _ text: String? = nil, pin: RootPin? = nil, signer: String = TestChain.signer, atMs: Int64 = Int64(now) * 1000
  ) throws -> SignerKey {
    try verifyChain(pem: Array((text ?? pem).utf8), root: pin ?? self.pin, signer: signer, atMs: atMs)
  }

  /// Expects a refusal with a code and words, and nothing left in OpenSSL's queue.
  func expectRefusal(
    _ code: RemoraError.Code, saying words: String..., text: String? = nil, pin: RootPin? = nil,
    signer: String = TestChain.signer, atMs: Int64 = Int64(now) * 1000, at location: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: RemoraError.self, sourceLocation: location) {
      try verify(text, pin: pin, signer: signer, atMs: atMs)
    }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: location)
    for word in words {
      let isSaid = error?.message.contains(word) ?? false
      #expect(isSaid, "\(error?.message ?? "") says \(word)", sourceLocation: location)
    }
    #expect(ERR_peek_error() == 0, "OpenSSL's error queue is drained", sourceLocation: location)
  }
}
