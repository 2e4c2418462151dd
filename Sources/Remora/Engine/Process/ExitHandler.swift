// SPDX-License-Identifier: Apache-2.0
//
// Handles exit() without a prior close: stops the library's threads before OpenSSL's exit handler frees what they use.

internal import Glibc

/// Registers the handler. Registers it again after libraries with handlers of their own were loaded; running twice is
/// harmless.
///
/// - Throws: `.closed` if all exit handlers have run already.
func setExitHandler() throws(RemoraError) {
  guard atexit({ Runtime.shared.exit() }) == 0 else { throw .exiting }
}
