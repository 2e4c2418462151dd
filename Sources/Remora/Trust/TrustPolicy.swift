// SPDX-License-Identifier: Apache-2.0
//
// What a collection demands of its signatures. Part of the identity of everything stored: what one policy
// accepted, another never adopts.

/// The trust policy of a collection.
package enum TrustPolicy: Sendable, Equatable, CustomStringConvertible {
  /// Nothing is verified. Must be asked for by name.
  case off
  /// Every document is signed by a leaf named `signer` that chains to `root`.
  case required(root: RootPin, signer: String)

  package var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends the policy's text in the identity of an image: never change it.
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

  /// The DNS name that the reference expects in the leaf certificate for a bucket.
  package static func defaultSigner(bucket: String) -> String {
    isSecurityState(bucket)
      ? "onecrl.content-signature.mozilla.org"
      : "remote-settings.content-signature.mozilla.org"
  }

  /// Whether the name contains "security-state", as the reference asks.
  private static func isSecurityState(_ bucket: String) -> Bool {
    let name = Array(bucket.utf8)
    let part = Array("security-state".utf8)
    guard name.count >= part.count else { return false }
    return (0...name.count - part.count).contains { name[$0...].starts(with: part) }
  }
}
