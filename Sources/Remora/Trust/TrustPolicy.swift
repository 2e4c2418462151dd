// SPDX-License-Identifier: Apache-2.0
//
// The requirements for a collection's signatures. The policy is part of the identity of all stored data, so data that
// one policy accepted is never used under another.

package enum TrustPolicy: Sendable, Equatable, CustomStringConvertible {
  /// Nothing is verified. Must be requested explicitly.
  case off
  /// Every document must be signed by a leaf certificate named `signer` that chains to `root`.
  case required(root: RootPin, signer: String)

  package var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends the text of the policy, which is part of the identity of images and must never change.
  package func write(to text: inout String) {
    switch self {
    case .off: text += "off"
    case .required(let root, let signer):
      text += "required root="
      root.write(to: &text)
      text += " signer="
      text += signer
    }
  }

  /// Returns the DNS name that the reference implementation expects in the leaf certificate for a bucket.
  package static func defaultSigner(bucket: String) -> String {
    isSecurityState(bucket)
      ? "onecrl.content-signature.mozilla.org"
      : "remote-settings.content-signature.mozilla.org"
  }

  /// Whether the name contains "security-state"; the reference implementation makes the same check.
  private static func isSecurityState(_ bucket: String) -> Bool {
    let name = Array(bucket.utf8)
    let part = Array("security-state".utf8)
    guard name.count >= part.count else { return false }
    return (0...name.count - part.count).contains { name[$0...].starts(with: part) }
  }
}
