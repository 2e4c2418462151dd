// SPDX-License-Identifier: Apache-2.0
//
// The fates of a signature.

import COpenSSL
import Testing

@testable import Remora

@Suite("Signature verification")
struct SignatureVerificationTests {
  private let key: TestKey
  private let signer: SignerKey
  private let content = #"{"data":[],"last_modified":"1000"}"#

  init() throws {
    try LoadedLibcrypto.require()
    key = try TestKey()
    signer = try SignerKey(trusting: key.publicKey())
  }

  @Test("a signature over the content is accepted")
  func valid() throws {
    try verify(try key.signature(of: content))
  }

  @Test("the second of several signatures is accepted after the first is refused")
  func secondOfSeveral() throws {
    expectMismatch(try TestKey().signature(of: content))
    try verify(try key.signature(of: content))
  }

  @Test("a signature by another key is refused")
  func otherKey() throws {
    expectMismatch(try TestKey().signature(of: content))
  }

  @Test("a signature over the same records with another timestamp is refused")
  func forgedTimestamp() throws {
    expectMismatch(try key.signature(of: #"{"data":[],"last_modified":"1001"}"#))
  }

  @Test("a signature over the content without the protocol's prefix is refused")
  func withoutPrefix() throws {
    var digest = try MessageDigest()
    digest.update(Array(content.utf8))
    expectMismatch(base64URL(try key.sign(digest.finish())))
  }

  @Test("every single-bit flip of the signature is refused")
  func signatureFlips() throws {
    let signature = try key.sign(try signedDigest(content))
    for bit in 0..<signature.count * 8 {
      var flipped = signature
      flipped[bit / 8] ^= 1 << (bit % 8)
      expectMismatch(base64URL(flipped))
    }
  }

  @Test("every single-bit flip of the content is refused")
  func contentFlips() throws {
    let signature = try key.signature(of: content)
    let bytes = Array(content.utf8)
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      var digest = try MessageDigest.ofSignedContent()
      digest.update(flipped)
      expectMismatch(signature, digest: digest.finish())
    }
  }

  @Test("the second form (r, n - s) of an ECDSA signature is accepted, so signature bytes are not a unique id")
  func malleable() throws {
    let signature = try key.sign(try signedDigest(content))
    let twin = try malleated(signature)
    #expect(twin != signature)
    try verify(base64URL(twin))
  }

  @Test(
    "an ECDSA signature with a zero, or a value above the order of the curve, is refused", arguments: [UInt8(0), 0xFF])
  func outOfRange(byte: UInt8) throws {
    let signature = try key.sign(try signedDigest(content))
    let extreme = [UInt8](repeating: byte, count: 48)
    expectMismatch(base64URL(extreme + extreme))
    expectMismatch(base64URL(signature[..<48] + extreme))
    expectMismatch(base64URL(extreme + signature[48...]))
  }

  @Test(
    "a signature with another length than 96 bytes is refused as malformed", arguments: [0, 1, 48, 95, 97, 98, 192])
  func lengths(count: Int) {
    let text = base64URL([UInt8](repeating: 1, count: count))
    expectRefusal(.signatureMalformed, text, saying: "\(count) bytes instead of 96")
  }

  @Test("a signature that is not base64url is refused as malformed")
  func notBase64() throws {
    let text = try key.signature(of: content)
    for broken in [
      "invalid signature", "=" + text, text + "=", text + "==", text + "\n", " " + text, "'" + text.dropFirst(),
      text.dropLast() + "+", text.dropLast() + "/", text.dropLast() + "\u{0}", text.dropLast() + "ü", text + "A",
    ] {
      expectRefusal(.signatureMalformed, broken, saying: "not base64url")
    }
  }

  @Test("a digest of another length than SHA-384 is never accepted", arguments: [0, 47, 49, 96])
  func otherDigest(count: Int) throws {
    let digest = [UInt8](repeating: 7, count: count)
    let text = try key.signature(of: content)
    let error = #expect(throws: RemoraError.self) { try verifySignature(text, digest: digest, key: signer) }
    #expect(error?.code == .internal)
  }

  @Test("a key that is not on P-384, or data that is not a key, cannot be a signer's key")
  func otherKeys() throws {
    for bytes in [try TestKey(.p256).publicKey(), try TestKey(.rsa).publicKey(), [], [0x30, 0]] {
      let error = #expect(throws: RemoraError.self) { try SignerKey(trusting: bytes) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(ERR_peek_error() == 0)
  }

  private func verify(_ signature: String) throws {
    try verifySignature(signature, digest: try signedDigest(content), key: signer)
    #expect(ERR_peek_error() == 0)
  }

  private func expectMismatch(
    _ signature: String, digest: [UInt8]? = nil, at location: SourceLocation = #_sourceLocation
  ) {
    expectRefusal(.signatureMismatch, signature, saying: "does not match", digest: digest, at: location)
  }

  private func expectRefusal(
    _ code: RemoraError.Code, _ signature: String, saying words: String, digest: [UInt8]? = nil,
    at location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: RemoraError.self, sourceLocation: location) {
      try verifySignature(signature, digest: digest ?? signedDigest(content), key: signer)
    }
    #expect(error?.code == code, sourceLocation: location)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")", sourceLocation: location)
    #expect(ERR_peek_error() == 0, "OpenSSL's error queue is drained", sourceLocation: location)
  }
}
