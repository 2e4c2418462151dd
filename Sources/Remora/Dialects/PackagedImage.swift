// SPDX-License-Identifier: Apache-2.0
//
// Packaged data after it was compiled.

/// Compiled packaged data, and what it can be verified with.
package struct PackagedImage: Sendable {
  package var image: Image
  /// Signatures with their chains, in their order.
  package var signatures: [ContentSignature]

  package init(image: Image, signatures: [ContentSignature] = []) {
    self.image = image
    self.signatures = signatures
  }
}
