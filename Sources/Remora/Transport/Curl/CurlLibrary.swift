// SPDX-License-Identifier: Apache-2.0
//
// Loads libcurl at run time. It is never linked, so a host that sends no request does not pay for it.
// Invariant: once loaded, libcurl stays loaded. The caller holds the process's fork lock.

internal import CCurl

/// libcurl, as a library that may be absent.
package enum CurlLibrary {
  /// Loads and initialises libcurl, once; later calls do nothing.
  ///
  /// Not safe for concurrent calls, and no fork may happen inside: the caller holds the process's fork lock.
  ///
  /// - Throws: `.unavailable` with a message when libcurl is absent or too old. The next call tries again.
  package static func load() throws(RemoraError) {
    guard let problem = remora_libcurl_load() else { return }
    throw RemoraError(.unavailable, String(cString: problem))
  }
}
