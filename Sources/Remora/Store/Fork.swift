// SPDX-License-Identifier: Apache-2.0
//
// The store's part of the fork handlers. The store has one lock that a fork must take; directories stay open.

extension StorageDirectory {
  /// Before a fork: takes the store's lock.
  package static func prepareFork() { DirectoryRegistry.shared.prepareFork() }

  /// After a fork, in the parent.
  package static func resumeParent() { DirectoryRegistry.shared.resumeParent() }

  /// After a fork, in the child: it reads at once, and holds no lock of a source.
  package static func resumeChild() { DirectoryRegistry.shared.resumeChild() }
}
