// SPDX-License-Identifier: Apache-2.0
//
// The library at exit() without close: its threads are stopped before OpenSSL's own handler takes away what they use.

internal import Glibc

/// Registers the handler, again when libraries with handlers of their own came in between; running twice is harmless.
///
/// - Throws: `.closed` when it is too late: all handlers have run.
func setExitHandler() throws(RemoraError) {
  guard atexit({ Runtime.shared.exit() }) == 0 else { throw .exiting }
}
