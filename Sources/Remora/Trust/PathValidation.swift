// SPDX-License-Identifier: Apache-2.0
//
// OpenSSL's path validation with one trusted root, without default paths, at a given time.

internal import COpenSSL

/// One call of `X509_verify_cert`. Confined to the thread that verifies; borrows its certificates.
final class PathValidation {
  /// Contains the root as the only trust anchor; owned.
  private let store: OpaquePointer
  /// The intermediates; the stack is owned, its certificates are borrowed.
  private let intermediates: OpaquePointer
  /// OpenSSL's validation context; owned.
  private let context: OpaquePointer
  /// Keeps the borrowed certificates alive.
  private let borrowed: [Certificate]

  /// Prepares a validation.
  ///
  /// - Throws: `.unavailable` if OpenSSL has no memory.
  init(leaf: Certificate, intermediates between: ArraySlice<Certificate>, root: Certificate) throws(RemoraError) {
    borrowed = [leaf] + between + [root]
    guard let store = openssl_X509_STORE_new() else { throw failed("create a certificate store") }
    guard let stack = openssl_sk_X509_new_null() else {
      openssl_X509_STORE_free(store)
      throw failed("create a list of certificates")
    }
    guard let context = openssl_X509_STORE_CTX_new() else {
      openssl_X509_STORE_free(store)
      openssl_sk_X509_free(stack)
      throw failed("create a context")
    }
    self.store = store
    self.intermediates = stack
    self.context = context
    for certificate in between where openssl_sk_X509_push(stack, certificate.pointer) <= 0 {
      throw failed("add a certificate to the list")
    }
    guard
      openssl_X509_STORE_add_cert(store, root.pointer) == 1,
      openssl_X509_STORE_CTX_init(context, store, leaf.pointer, stack) == 1
    else { throw failed("prepare the verification") }
  }

  deinit {
    openssl_X509_STORE_CTX_free(context)
    openssl_sk_X509_free(intermediates)
    openssl_X509_STORE_free(store)
  }

  /// Validates the path at an instant. Returns the failure and its certificate, counted from the leaf; nil if it is
  /// valid.
  ///
  /// Security level 2 refuses keys and digests weaker than 112 bits: SHA-1, RSA below 2048.
  func problem(atMs instant: Int64) throws(RemoraError) -> (reason: String, depth: Int)? {
    guard let parameters = openssl_X509_STORE_CTX_get0_param(context) else { return ("no parameters", 0) }
    openssl_X509_VERIFY_PARAM_set_time(parameters, seconds(ofMs: instant))
    openssl_X509_VERIFY_PARAM_set_depth(parameters, Int32(PEM.maxCertificates))
    openssl_X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    guard openssl_X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1 else {
      return (try Libcrypto.reasonOfFailure(), 0)
    }
    guard openssl_X509_verify_cert(context) != 1 else { return nil }
    try Libcrypto.reasonOfFailure()
    let error = openssl_X509_STORE_CTX_get_error(context)
    guard error != X509_V_ERR_OUT_OF_MEM else { throw Libcrypto.noMemory }
    return (
      String(cString: openssl_X509_verify_cert_error_string(Int(error))),
      Int(openssl_X509_STORE_CTX_get_error_depth(context))
    )
  }

  /// Whether the path that OpenSSL found has exactly these certificates, in this order.
  func isExactly(_ certificates: [Certificate]) -> Bool {
    let path = openssl_X509_STORE_CTX_get0_chain(context)
    guard openssl_sk_X509_num(path) == certificates.count else { return false }
    return certificates.enumerated().allSatisfy { index, certificate in
      guard let other = openssl_sk_X509_value(path, Int32(index)) else { return false }
      return openssl_X509_cmp(certificate.pointer, other) == 0
    }
  }
}

private func failed(_ action: String) -> RemoraError {
  RemoraError(
    .unavailable,
    "a certificate chain cannot be verified, because OpenSSL cannot \(action): \(Libcrypto.drainErrors())")
}
