// SPDX-License-Identifier: Apache-2.0
//
// The text form of chains: what is tolerated around certificates, and what is refused before any is decoded.

import Testing

@testable import Remora

@Suite("PEM certificate chains")
struct PEMTests {
  /// Three bytes of base64 in a block.
  private static let block = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"

  @Test("the certificates of a PEM file are returned in order")
  func order() throws {
    let other = "-----BEGIN CERTIFICATE-----\nBA==\n-----END CERTIFICATE-----\n"
    #expect(try certificates(Self.block + other) == [[1, 2, 3], [4]])
  }

  @Test("other text, CR LF, trailing blanks and blank lines in a PEM file are ignored")
  func tolerated() throws {
    let text = "leaf:\n\(Self.block)\n# \u{e4}\u{0}\n\(Self.block)subject=/CN=x\n" + Self.block.dropLast()
    #expect(try certificates(text).count == 3)
    #expect(try certificates(Self.block.split(separator: "\n").joined(separator: "\r\n")).count == 1)
    #expect(try certificates("-----BEGIN CERTIFICATE-----  \nAQ\n\nID\t\n-----END CERTIFICATE-----").count == 1)
  }

  @Test(
    "a malformed PEM file is refused",
    arguments: [
      "", "\n", "some invalid content", "AQID",
      "-----BEGIN CERTIFICATE-----\nAQID\n", "-----BEGIN CERTIFICATE-----", "AQID\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nAQI\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nAQ*D\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nA QID\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nProc-Type: 4\n\nAQID\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nAQ==\nAQID\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----AQID-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nAQID\n-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE----------BEGIN CERTIFICATE-----\nAQID\n"
        + "-----END CERTIFICATE-----\n",
      "-----BEGIN PUBLIC KEY-----\nAQID\n-----END PUBLIC KEY-----\n",
    ])
  func refused(text: String) {
    let error = #expect(throws: RemoraError.self) { try certificates(text) }
    #expect(error?.code == .chainMalformed)
  }

  @Test("a PEM file with five certificates is accepted, and one with six is refused")
  func count() throws {
    #expect(try certificates(String(repeating: Self.block, count: 5)).count == 5)
    let error = #expect(throws: RemoraError.self) { try certificates(String(repeating: Self.block, count: 6)) }
    #expect(error?.code == .chainMalformed)
    #expect(error?.message.contains("more than 5") == true)
  }

  @Test("a PEM file of 64 KiB is accepted, and a larger one or one with 10,000 blocks is refused")
  func size() throws {
    let padding = String(repeating: "#", count: 65_536 - Self.block.utf8.count)
    #expect(try certificates(Self.block + padding).count == 1)
    for text in [Self.block + padding + "#", String(repeating: Self.block, count: 10_000)] {
      let error = #expect(throws: RemoraError.self) { try certificates(text) }
      #expect(error?.code == .chainMalformed)
      #expect(error?.message.contains("65536 bytes") == true)
    }
  }

  @Test("a base64 block that is not a certificate is refused as malformed, with its number")
  func noCertificate() throws {
    let chain = try TestChain()
    try chain.expectRefusal(.chainMalformed, saying: "certificate 4", text: chain.pem + Self.block)
  }

  @Test("bytes after the certificate in a PEM block are refused as malformed")
  func trailingBytes() throws {
    let chain = try TestChain()
    let text = pemBlock(chain.certificates[0].der + [0]) + chain.certificates.dropFirst().map(\.pem).joined()
    try chain.expectRefusal(.chainMalformed, saying: "certificate 1", "after its end", text: text)
  }

  @Test("text between the certificates of a real chain does not change the result")
  func junkBetween() throws {
    let chain = try TestChain()
    _ = try chain.verify(chain.certificates.map { "subject: x\n\($0.pem)\n" }.joined(separator: "--\n"))
  }

  private func certificates(_ text: String) throws -> [[UInt8]] { try PEM.certificates(in: Array(text.utf8)) }
}
