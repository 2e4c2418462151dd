// SPDX-License-Identifier: Apache-2.0
//
// Compiled packaged data.

/// Compiled packaged data, with the signatures to verify it.
package struct PackagedImage: Sendable {
  package var image: Image
  /// Signatures with their chains, in the order of the document.
  package var signatures: [ContentSignature]

  package init(image: Image, signatures: [ContentSignature] = []) {
    self.image = image
    self.signatures = signatures
  }
}
