// SPDX-License-Identifier: Apache-2.0
//
// From PEM text to a key that may sign: the order of the checks, and so which error a chain with several faults gives.

/// Verifies a certificate chain and gives the signer's key.
///
/// The text is leaf first, root last. Structure is judged first, then the pin, because a wrong pin is the fault that a
/// caller can mend; then time; then everything that an authority vouches for.
///
/// - Parameters:
///   - pem: The text as it was served; at most 64 KiB and 5 certificates.
///   - root: The pin of the last certificate.
///   - signer: The DNS name that the leaf must carry.
///   - instant: The time to judge by, in milliseconds since 1970.
/// - Throws: `.chainMalformed`, `.rootMismatch`, `.certificateExpired`, `.chainInvalid`, `.certificateSubject`;
///   `.unavailable` when libcrypto is not loaded.
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
