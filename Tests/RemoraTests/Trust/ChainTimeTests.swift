// SPDX-License-Identifier: Apache-2.0
//
// A chain and the clock: every certificate counts, and the error names the one that is out of time.

import Testing

@testable import Remora

@Suite("Validity period of certificate chains")
struct ChainTimeTests {
  init() throws { try LoadedLibcrypto.require() }

  /// A place in the chain, and the name that an error must say.
  enum Place: String, CaseIterable {
    case root = "test root"
    case intermediate = "test intermediate"
    case leaf = "settings.content-signature.example"
  }

  @Test("an error about an expired certificate names the certificate", arguments: Place.allCases)
  func expired(place: Place) throws {
    let chain = try chain(changing: place) { $0.until = TestChain.now - 1 }
    try chain.expectRefusal(.certificateExpired, saying: "\"\(place.rawValue)\" is expired", "2027-01-15 07:59:59 UTC")
  }

  @Test("an error about a certificate that is not yet valid names the certificate", arguments: Place.allCases)
  func notYetValid(place: Place) throws {
    let chain = try chain(changing: place) { $0.from = TestChain.now + 1 }
    try chain.expectRefusal(
      .certificateExpired, saying: "\"\(place.rawValue)\" is not yet valid", "2027-01-15 08:00:01 UTC")
  }

  @Test("a chain is valid as long as all of its certificates are valid")
  func interval() throws {
    let chain = try TestChain.with(
      intermediate: { $0.from = TestChain.now - 10 }, leaf: { $0.until = TestChain.now + 20 })
    let key = try chain.verify()
    #expect(key.validFromMs == Int64(TestChain.now - 10) * 1000)
    #expect(key.validUntilMs == Int64(TestChain.now + 20) * 1000)
  }

  @Test("a chain is valid from its first millisecond to the last one before it expires")
  func edges() throws {
    let chain = try TestChain()
    let key = try chain.verify()
    for (instant, isValid) in [
      (key.validFromMs - 1, false), (key.validFromMs, true), (key.validUntilMs - 1, true), (key.validUntilMs, false),
    ] {
      #expect(key.isValid(atMs: instant) == isValid)
      if isValid {
        _ = try chain.verify(atMs: instant)
      } else {
        try chain.expectRefusal(.certificateExpired, atMs: instant)
      }
    }
  }

  @Test("extreme times and times before 1970 are refused without a crash", arguments: [.min, -1, 0, .max])
  func extremeClocks(instant: Int64) throws {
    try TestChain().expectRefusal(.certificateExpired, atMs: instant)
  }

  private func chain(
    changing place: Place, _ change: @escaping (inout CertificateTemplate) -> Void
  ) throws -> TestChain {
    switch place {
    case .root: try TestChain.with(root: change)
    case .intermediate: try TestChain.with(intermediate: change)
    case .leaf: try TestChain.with(leaf: change)
    }
  }
}
