// SPDX-License-Identifier: Apache-2.0
//
// Who a leaf certificate is for.

import Testing

@testable import Remora

@Suite("Name of the signer")
struct ChainSubjectTests {
  init() throws { try LoadedLibcrypto.require() }

  @Test("a leaf for another name is refused with the names expected and found")
  func otherName() throws {
    try TestChain().expectRefusal(
      .certificateSubject, saying: TestChain.signer, "other.content-signature.example",
      signer: "other.content-signature.example")
  }

  @Test(
    "a common name is in the error unchanged, whatever separators it has",
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

  @Test("a wildcard name matches nothing")
  func wildcard() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = "DNS:*.content-signature.example" })
    try chain.expectRefusal(.certificateSubject, saying: "*.content-signature.example")
  }

  @Test("a name that is only in the common name is not used")
  func commonNameOnly() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = nil })
    try chain.expectRefusal(.certificateSubject, saying: "no DNS name")
  }

  @Test("a name of another kind is not used")
  func otherKind() throws {
    let chain = try TestChain.with(leaf: { $0.alternativeNames = "email:a@\(TestChain.signer)" })
    try chain.expectRefusal(.certificateSubject, saying: "no DNS name")
  }

  @Test("one of several names is enough, and case does not matter")
  func severalNames() throws {
    let names = "DNS:first.content-signature.example,DNS:SETTINGS.content-signature.example"
    _ = try TestChain.with(leaf: { $0.alternativeNames = names }).verify()
  }

  @Test(
    "parts, suffixes and the empty name are refused",
    arguments: ["", "content-signature.example", ".content-signature.example", "settings", TestChain.signer + "."])
  func parts(signer: String) throws {
    try TestChain().expectRefusal(.certificateSubject, signer: signer)
  }
}
