// SPDX-License-Identifier: Apache-2.0
//
// Who a leaf certificate is for.

import Testing

@testable import Remora

@Suite("The signer's name in the leaf certificate")
struct ChainSubjectTests {
  init() throws { try LoadedLibcrypto.require() }

  @Test("a leaf certificate for another name is refused, and the error has the expected and the actual name")
  func otherName() throws {
    try TestChain().expectRefusal(
      .certificateSubject, saying: TestChain.signer, "other.content-signature.example",
      signer: "other.content-signature.example")
  }

  @Test(
    "the error about a refused leaf certificate has its whole common name, with special characters escaped",
    arguments: [
      ("a/CN=trusted signer", "\"a/CN=trusted signer\""), ("/CN=trusted", "\"/CN=trusted\""),
      ("a,CN=b", #""a\,CN=b""#), ("a+CN=b", #""a\+CN=b""#), (#"say "x""#, #""say \"x\"""#), ("a\\b", #""a\\b""#),
      ("a\nb", #""a\0Ab""#),
    ])
  func separators(name: String, shown: String) throws {
    let chain = try TestChain.with(leaf: {
      $0.commonName = name
      $0.extendedKeyUsage = nil
    })
    try chain.expectRefusal(.chainInvalid, saying: "certificate \(shown)")
  }

  @Test("a wildcard name in a leaf certificate matches no signer")
  func wildcard() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = "DNS:*.content-signature.example" })
    try chain.expectRefusal(.certificateSubject, saying: "*.content-signature.example")
  }

  @Test("a name that is only in the common name of the leaf certificate, and not in its DNS names, does not match")
  func commonNameOnly() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = nil })
    try chain.expectRefusal(.certificateSubject, saying: "no DNS name")
  }

  @Test("an alternative name that is not a DNS name does not match")
  func otherKind() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = "email:a@\(TestChain.signer)" })
    try chain.expectRefusal(.certificateSubject, saying: "no DNS name")
  }

  @Test("one matching DNS name of several is enough, and upper and lower case are the same")
  func severalNames() throws {
    let names = "DNS:first.content-signature.example,DNS:SETTINGS.content-signature.example"
    _ = try TestChain.with(leaf: { $0.alternativeNames = names }).verify()
  }

  @Test(
    "a part or suffix of the signer's name, and the empty name, do not match",
    arguments: ["", "content-signature.example", ".content-signature.example", "settings", TestChain.signer + "."])
  func parts(signer: String) throws {
    try TestChain().expectRefusal(.certificateSubject, signer: signer)
  }
}
