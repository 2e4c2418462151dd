// SPDX-License-Identifier: Apache-2.0
//
// SHA-2 against the published answers.

import Testing

@testable import Remora

@Suite("Message digest")
struct MessageDigestTests {
  init() throws { try LoadedLibcrypto.require() }

  @Test("the SHA-384 and SHA-256 digests of \"abc\" are those of FIPS 180")
  func published() throws {
    var digest = try MessageDigest()
    digest.update(Array("abc".utf8))
    let answer = digest.finish()
    #expect(
      hex(answer)
        == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
    #expect(
      hex(try MessageDigest.sha256(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("the digest of the empty message is correct")
  func empty() throws {
    let answer = try MessageDigest(.sha256).finish()
    #expect(hex(answer) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("the digest of a message in pieces of any length equals that of the whole message")
  func lengths() throws {
    let message = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let expected = try MessageDigest.sha256(message)
    for length in [1, 63, 4095, 4096, 4097, 9000] {
      var digest = try MessageDigest(.sha256)
      for start in stride(from: 0, to: message.count, by: length) {
        digest.update(Array(message[start..<min(start + length, message.count)]))
      }
      #expect(digest.finish() == expected, "pieces of \(length) bytes")
    }
  }

  @Test("a digest does not depend on how the message is split, even into empty pieces")
  func pieces() throws {
    var whole = try MessageDigest()
    whole.update(Array("Content-Signature:\0{}".utf8))
    var pieces = try MessageDigest.ofSignedContent()
    pieces.update(UnsafeRawBufferPointer(start: nil, count: 0))
    pieces.update(Array("{".utf8))
    pieces.update([])
    pieces.update(Array("}".utf8))
    let answers = (pieces.finish(), whole.finish())
    #expect(answers.0 == answers.1)
  }

  @Test("a digest that is discarded before it is finished leaks nothing")
  func dropped() throws {
    for _ in 0..<100 {
      var digest = try MessageDigest()
      digest.update([1, 2, 3])
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
