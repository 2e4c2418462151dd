// SPDX-License-Identifier: Apache-2.0
//
// The library at exit() without close: its threads are stopped before OpenSSL's own handler takes away what they use.

internal import Glibc

/// Registers the handler, again when libraries with handlers of their own came in between; running twice is harmless.
func setExitHandler() {
  atexit { Runtime.shared.exit() }
}
