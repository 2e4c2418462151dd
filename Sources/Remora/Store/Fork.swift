// SPDX-License-Identifier: Apache-2.0
//
// The store's part of the fork handlers. The store has one lock that a fork must take; directories stay open.
// Invariant: the registry is the store's only lazy global. One whose first use is under way in another thread at a
// fork would stop the child for ever; `prepareFork` waits for this one, and constants are computed properties.

extension StorageDirectory {
  /// Before a fork: takes the store's lock.
  package static func prepareFork() { DirectoryRegistry.shared.prepareFork() }

  /// After a fork, in the parent.
  package static func resumeParent() { DirectoryRegistry.shared.resumeParent() }

  /// After a fork, in the child: it reads at once, and holds no lock of a source.
  package static func resumeChild() { DirectoryRegistry.shared.resumeChild() }
}
