// SPDX-License-Identifier: Apache-2.0
//
// The library through fork(): the forking thread takes every lock first, so that the child finds nothing half done;
// the child makes locks, threads and connections anew when it needs them. Nothing of the parent is ended or freed.

internal import Glibc

/// Registers the handlers; once per process.
func setForkHandlers() {
  pthread_atfork({ Runtime.shared.prepareFork() }, { Runtime.shared.resumeParent() }, { Runtime.shared.resumeChild() })
}
