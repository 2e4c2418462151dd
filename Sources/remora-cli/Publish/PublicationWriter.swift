// SPDX-License-Identifier: Apache-2.0
//
// Writes a publication. Each file refers only to files that were written before it, so that a reader, and a copy in the
// order of names, never finds a reference to a missing file. A killed publication is completed by the next one.

internal import Remora

extension Publication {
  /// Files that no version has needed for so long are removed.
  private static var retentionMs: Int64 { 30 * dayMs }

  /// Writes the publication to a tree that is locked.
  ///
  /// - Parameter published: The tree over which it was computed.
  func write(to tree: Tree, over published: any TreeReader, by publisher: Publisher) throws(RemoraError) {
    try tree.sweep()
    try attachments.write(to: tree, from: published)
    try tree.write(publisher.chainPath, publisher.signer.chain.pem)
    let root = try rootDocument(attachmentBase: publisher.attachmentBase)
    for index in TreePath.indexes { try tree.write(index, root) }
    // Before the versions that name them are replaced, so that a kill cannot shorten their time.
    for path in dropped { tree.touch(path) }
    let removed = collections.filter { $0.kind == .removed }
    if !removed.isEmpty { try writeMonitor(collections.filter { $0.before != nil }.map { ($0.name, $0.before ?? 0) }) }
    for change in collections where change.kind != .removed {
      try tree.write(TreePath.changeset(change.name), change.bytes)
    }
    try writeMonitor(versions)
    for change in removed { try tree.remove(TreePath.changeset(change.name)) }
    try removeUnused(in: tree, publisher)

    func writeMonitor(_ versions: [(name: CollectionName, timestamp: Int64)]) throws(RemoraError) {
      let listed = versions.filter { version in !removed.contains { "\($0.name)" == "\(version.name)" } }
      try tree.write(TreePath.monitor, monitorDocument(listed, host: publisher.server.base.host.text))
    }
  }

  private func removeUnused(in tree: Tree, _ publisher: Publisher) throws(RemoraError) {
    let kept = Set(attachments.paths + [publisher.chainPath])
    for folder in [TreePath.attachments, TreePath.authorities] {
      let limitMs = publisher.nowMs - Self.retentionMs
      for path in try tree.files(in: folder, olderThanMs: limitMs) where !kept.contains(path) {
        try tree.remove(path)
      }
    }
  }
}
