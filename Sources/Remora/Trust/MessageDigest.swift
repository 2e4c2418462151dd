// SPDX-License-Identifier: Apache-2.0
//
// SHA-2 over data that arrives in pieces.
// Invariant: a digest that could not be computed is empty, and no signature matches an empty digest.

internal import COpenSSL

/// An incremental SHA-2 digest.
package struct MessageDigest: ~Copyable {
  /// The supported hash functions: SHA-384 for signatures, SHA-256 for root pins.
  package enum Algorithm: Sendable { case sha256, sha384 }

  /// OpenSSL's state; owned.
  private let context: OpaquePointer
  /// Set to false by the first step that OpenSSL refuses.
  private var isIntact = true
  /// A buffer that collects small pieces, because a call of OpenSSL costs as much as hashing a hundred bytes.
  private let pending: UnsafeMutableRawBufferPointer
  private var pendingCount = 0

  /// Starts an empty digest.
  ///
  /// - Throws: `.unavailable` if libcrypto is not loaded, or has no such hash function.
  package init(_ algorithm: Algorithm = .sha384) throws(RemoraError) {
    try Libcrypto.requireLoaded()
    guard let context = openssl_EVP_MD_CTX_new() else {
      throw RemoraError(.unavailable, "a message digest cannot be created: \(Libcrypto.drainErrors())")
    }
    let function = algorithm == .sha384 ? openssl_EVP_sha384() : openssl_EVP_sha256()
    guard openssl_EVP_DigestInit_ex(context, function) == 1 else {
      openssl_EVP_MD_CTX_free(context)
      throw RemoraError(.unavailable, "the hash function \(algorithm) cannot be used: \(Libcrypto.drainErrors())")
    }
    self.context = context
    pending = .allocate(byteCount: 4096, alignment: 16)
  }

  deinit {
    pending.deallocate()
    openssl_EVP_MD_CTX_free(context)
  }

  @inline(__always)
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count > pending.count &- pendingCount { flush() }
    guard bytes.count <= pending.count else { return hash(bytes) }
    UnsafeMutableRawBufferPointer(rebasing: pending[pendingCount...]).copyMemory(from: bytes)
    pendingCount &+= bytes.count
  }

  private mutating func flush() {
    hash(UnsafeRawBufferPointer(rebasing: pending[..<pendingCount]))
    pendingCount = 0
  }

  private mutating func hash(_ bytes: UnsafeRawBufferPointer) {
    guard openssl_EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 else { return }
    isIntact = false
    _ = Libcrypto.drainErrors()
  }

  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Returns the digest: 48 bytes for SHA-384, 32 for SHA-256, none if OpenSSL failed at any step.
  package consuming func finish() -> [UInt8] {
    flush()
    guard isIntact else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var size: UInt32 = 0
      guard let base = buffer.baseAddress, openssl_EVP_DigestFinal_ex(context, base, &size) == 1 else {
        _ = Libcrypto.drainErrors()
        return
      }
      count = Int(size)
    }
  }
}

extension MessageDigest {
  /// Starts the digest of signed content: SHA-384, beginning with the prefix that the protocol puts before the message.
  ///
  /// - Throws: The errors of `init`.
  package static func ofSignedContent() throws(RemoraError) -> MessageDigest {
    var digest = try MessageDigest(.sha384)
    digest.update(Array("Content-Signature:\0".utf8))
    return digest
  }

  /// Computes the SHA-256 of bytes.
  ///
  /// - Throws: The errors of `init`.
  package static func sha256(_ bytes: [UInt8]) throws(RemoraError) -> [UInt8] {
    var digest = try MessageDigest(.sha256)
    digest.update(bytes)
    return digest.finish()
  }
}
