// SPDX-License-Identifier: Apache-2.0
//
// The presence of libcrypto, and the words of its error queue.
// Invariant: nothing of OpenSSL is called before `load` has succeeded in this process.

internal import COpenSSL
internal import CSupport

/// The loaded OpenSSL library.
package enum Libcrypto {
  /// Loads and initialises libcrypto; does nothing when that was done before.
  ///
  /// The caller holds the process's fork lock. OpenSSL registers its exit handler inside, so ours comes after.
  ///
  /// - Throws: `.unavailable` when libcrypto is missing or too old.
  package static func load() throws(RemoraError) {
    if let problem = remora_libcrypto_load() {
      throw RemoraError(.unavailable, "libcrypto cannot be loaded: \(String(cString: problem))")
    }
  }

  /// Leaves nothing of OpenSSL's in the calling thread, which is the host's and may end while the process exits: both
  /// ends would free the same memory.
  package static func leaveThread() { remora_libcrypto_leave_thread() }

  /// Stops before the first call through an empty table.
  static func requireLoaded() throws(RemoraError) {
    guard remora_libcrypto_is_loaded() != 0 else {
      throw RemoraError(.unavailable, "libcrypto is not loaded")
    }
  }

  /// Empties the calling thread's error queue and gives the reason of its oldest error, where the failure began.
  static func drainErrors() -> String {
    let first = openssl_ERR_get_error()
    guard first != 0 else { return "no reason given" }
    while openssl_ERR_get_error() != 0 {}
    if let reason = openssl_ERR_reason_error_string(first) { return String(cString: reason) }
    return text(capacity: 128) { openssl_ERR_error_string_n(first, $0, $1) }
  }

  /// The text that a C function writes, NUL-terminated, into a buffer of `capacity` bytes.
  static func text(capacity: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      buffer.initialize(repeating: 0)
      guard let base = buffer.baseAddress else { return "" }
      write(base, capacity)
      return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
