// SPDX-License-Identifier: Apache-2.0
//
// Loads libcrypto, and reads its error queue.
// Invariant: no OpenSSL function is called before `load` has succeeded in this process.

internal import COpenSSL
internal import CSupport

/// The loaded OpenSSL library.
package enum Libcrypto {
  /// Loads and initialises libcrypto, once; later calls do nothing.
  ///
  /// The caller holds the process's fork lock. OpenSSL registers its exit handler during the call; Remora's is
  /// registered afterwards.
  ///
  /// - Throws: `.unavailable` if libcrypto is missing or too old.
  package static func load() throws(RemoraError) {
    if let problem = remora_libcrypto_load() {
      let reason = String(cString: problem)
      throw RemoraError(.unavailable, "libcrypto cannot be loaded: \(reason); install it (on Debian: libssl3)")
    }
  }

  /// Frees OpenSSL's state of the calling thread, a thread of the host. If that thread ended while the process exits,
  /// the state would be freed twice.
  package static func leaveThread() { remora_libcrypto_leave_thread() }

  /// Throws if libcrypto is not loaded, before a call through the empty function table.
  static func requireLoaded() throws(RemoraError) {
    guard remora_libcrypto_is_loaded() != 0 else {
      throw RemoraError(.unavailable, "libcrypto is not loaded")
    }
  }

  /// Clears the calling thread's error queue and returns the reason of its oldest error, where the failure began.
  static func drainErrors() -> String {
    let first = openssl_ERR_get_error()
    guard first != 0 else { return "no reason given" }
    while openssl_ERR_get_error() != 0 {}
    if let reason = openssl_ERR_reason_error_string(first) { return String(cString: reason) }
    return text(capacity: 128) { openssl_ERR_error_string_n(first, $0, $1) }
  }

  /// Returns the text that a C function writes, NUL-terminated, into a buffer of `capacity` bytes.
  static func text(capacity: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      buffer.initialize(repeating: 0)
      guard let base = buffer.baseAddress else { return "" }
      write(base, capacity)
      return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
