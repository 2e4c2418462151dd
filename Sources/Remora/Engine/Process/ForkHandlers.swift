// SPDX-License-Identifier: Apache-2.0
//
// Handles fork(): the forking thread takes every lock first, so that the child inherits a consistent state. The child
// creates locks, threads and connections again when it needs them. Nothing of the parent's is ended or freed.

internal import Glibc

/// Registers the handlers, once per process.
func setForkHandlers() {
  pthread_atfork({ Runtime.shared.prepareFork() }, { Runtime.shared.resumeParent() }, { Runtime.shared.resumeChild() })
}
