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

  /// OpenSSL's reason for a failed allocation.
  private static let outOfMemory = "malloc failure"

  /// Clears the calling thread's error queue and returns the reason of its oldest error, where the failure began. A
  /// lack of memory has precedence.
  static func drainErrors() -> String {
    var first: String?
    while case let number = openssl_ERR_get_error(), number != 0 {
      let reason = openssl_ERR_reason_error_string(number).map { String(cString: $0) }
      if first == nil || reason == outOfMemory {
        first = reason ?? text(capacity: 128) { openssl_ERR_error_string_n(number, $0, $1) }
      }
    }
    return first ?? "no reason given"
  }

  /// Clears the calling thread's error queue after a check has failed, and returns the reason.
  ///
  /// - Throws: `.unavailable` if the check could not be carried out, because memory is exhausted.
  @discardableResult
  static func reasonOfFailure() throws(RemoraError) -> String {
    let reason = drainErrors()
    guard reason != outOfMemory else { throw noMemory }
    return reason
  }

  /// The error for a check that could not be carried out.
  static var noMemory: RemoraError {
    RemoraError(.unavailable, "a signature or a certificate cannot be checked, because OpenSSL has no memory")
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
