// SPDX-License-Identifier: Apache-2.0
//
// Verifies a chain from PEM text to a signing key. The order of the checks decides which error a chain with several
// faults causes.

/// Verifies a certificate chain and returns the signer's key.
///
/// The text contains the leaf first and the root last. The structure is checked first. The pin follows, because a wrong
/// pin is the fault that a caller can fix; then validity, and then everything that certificate authorities sign.
///
/// - Parameters:
///   - pem: The text as the server sent it; at most 64 KiB and 5 certificates.
///   - root: The pin of the last certificate.
///   - signer: The DNS name that the leaf must contain.
///   - instant: The time at which the chain must be valid, in milliseconds since 1970.
/// - Throws: `.chainMalformed`, `.rootMismatch`, `.certificateExpired`, `.chainInvalid`, `.certificateSubject`;
///   `.unavailable` if libcrypto is not loaded.
package func verifyChain(
  pem: [UInt8], root: RootPin, signer: String, atMs instant: Int64
) throws(RemoraError) -> SignerKey {
  try Libcrypto.requireLoaded()
  let chain = try CertificateChain(pem: pem)
  try chain.requireOrder()
  try chain.requireRoot(root)
  let validity = try chain.requireValidity(atMs: instant)
  try chain.requireUsages()
  try chain.requirePath(atMs: instant)
  try chain.requireSigner(signer)
  return try SignerKey(verifiedLeaf: chain.leaf, validity: validity, root: root)
}
