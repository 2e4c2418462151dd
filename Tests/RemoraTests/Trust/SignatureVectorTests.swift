// SPDX-License-Identifier: Apache-2.0
//
// Other projects' chains and signatures, real ones among them, meet the fate that those projects expect.

import Testing

@testable import Remora

@Suite("Test vectors for content signatures", .vectors)
struct SignatureVectorTests {
  init() throws { try LoadedLibcrypto.require() }

  @Test("the vector files have at least 22 content signatures")
  func complete() {
    #expect(SignatureVector.all.count >= 22)
  }

  @Test("each signature test vector has the expected result", arguments: SignatureVector.all)
  func fate(vector: SignatureVector) throws {
    let codes = try #require(vector.expectedCodes, "an unknown class: \(vector.expected)")
    guard !codes.isEmpty else {
      return try verifySignature(vector.signature, digest: vector.digest(), key: vector.key())
    }
    let error = #expect(throws: RemoraError.self) {
      try verifySignature(vector.signature, digest: vector.digest(), key: vector.key())
    }
    #expect(codes.contains(try #require(error).code), "\(error?.message ?? "")")
  }

  @Test("a real signature with any flipped bit is refused, and so is a message with any changed byte")
  func flips() throws {
    let vector = try #require(SignatureVector.all.first { $0.name == "firefox-test-two-4000" })
    let key = try vector.key()
    let raw = try #require(Base64.url.decode(vector.signature.utf8))
    let digest = try vector.digest()
    for bit in 0..<raw.count * 8 {
      var flipped = raw
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: RemoraError.self, "bit \(bit)") {
        try verifySignature(base64URL(flipped), digest: digest, key: key)
      }
    }
    for index in vector.message.indices {
      var message = vector.message
      message[index] ^= 1 << (index % 8)
      var digest = try MessageDigest()
      digest.update(message)
      let answer = digest.finish()
      #expect(throws: RemoraError.self, "byte \(index)") {
        try verifySignature(vector.signature, digest: answer, key: key)
      }
    }
  }

  /// A real chain without a signature, and what becomes of it.
  struct Chain: Sendable, CustomTestStringConvertible {
    let file: String
    /// The file's own root by default.
    var root: RootPin?
    let atSeconds: Int64
    let code: RemoraError.Code?
    var testDescription: String { "\(file) at \(atSeconds)" }
  }

  @Test(
    "a real certificate chain is accepted at a time when it is valid, and otherwise refused with the expected error",
    arguments: [
      Chain(file: "autograph-ExpiredEndEntityChain.pem", atSeconds: 1_500_000_000, code: nil),
      Chain(file: "autograph-ExpiredEndEntityChain.pem", atSeconds: 1_510_100_000, code: .certificateExpired),
      Chain(file: "autograph-WronglyOrderedChain.pem", atSeconds: 1_500_000_000, code: .chainInvalid),
      Chain(file: "autograph-NormandyDevChain2021.pem", atSeconds: 1_610_000_000, code: .chainInvalid),
      Chain(file: "autograph-firefoxPkiProdRoot.pem", atSeconds: 1_610_000_000, code: .chainInvalid),
      Chain(file: "normandy-stage-2019-12-04.chain.pem", atSeconds: 1_575_000_000, code: nil),
      Chain(
        file: "normandy-stage-2019-12-04.chain.pem", root: .nonProduction, atSeconds: 1_575_000_000,
        code: .rootMismatch),
    ])
  func chainFate(chain: Chain) throws {
    let pem = SignatureVector.bytes("chains-only/\(chain.file)")
    let root = try chain.root ?? RootPin(ofCertificate: try #require(try PEM.certificates(in: pem).last))
    let result = Result {
      try verifyChain(
        pem: pem, root: root, signer: "normandy.content-signature.mozilla.org", atMs: chain.atSeconds * 1000)
    }
    switch result {
    case .success: #expect(chain.code == nil)
    case .failure(let error): #expect((error as? RemoraError)?.code == chain.code, "\(error)")
    }
  }
}
