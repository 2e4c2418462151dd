// SPDX-License-Identifier: Apache-2.0
//
// Defaults and the stored text of trust policies.

import Testing

@testable import Remora

@Suite("Trust policy (the root and the signer that a collection must have)")
struct TrustPolicyTests {
  @Test(
    "the default signer of a bucket equals that of the reference client",
    arguments: [
      ("main", "remote-settings"), ("main-preview", "remote-settings"), ("", "remote-settings"),
      ("blocklists", "remote-settings"), ("security-stat", "remote-settings"), ("security-state", "onecrl"),
      ("security-state-preview", "onecrl"), ("my-security-state", "onecrl"),
    ])
  func defaultSigner(bucket: String, name: String) {
    #expect(TrustPolicy.defaultSigner(bucket: bucket) == "\(name).content-signature.mozilla.org")
  }

  @Test("two sources with different trust policies have different identities")
  func texts() {
    let policies: [TrustPolicy] = [
      .off, .required(root: .production, signer: "a"), .required(root: .production, signer: "b"),
      .required(root: .nonProduction, signer: "a"),
    ]
    #expect(Set(policies.map(\.description)).count == policies.count)
    #expect(TrustPolicy.off.description == "off")
  }
}
