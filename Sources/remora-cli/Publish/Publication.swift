// SPDX-License-Identifier: Apache-2.0
//
// The next state of a tree, computed and signed completely before anything is written.

internal import Remora

/// What is published: where, by whom and when.
struct Publisher {
  let signer: Signer
  /// The server that clients ask.
  let server: CollectionServer
  let nowMs: Int64

  var chainPath: String { TreePath.authority(signer.chainName) }
  var x5u: String { "\(server.base)/\(chainPath)" }
  var attachmentBase: String { "\(server.base)/\(TreePath.attachments)/" }
}

/// A publication: the collections of a folder over those of a tree.
struct Publication {
  /// Sorted by name.
  private(set) var collections: [CollectionChange] = []
  /// The attachments of all collections.
  private(set) var attachments = NeededAttachments()
  /// The files that the present state of the tree needs, and this publication does not.
  private(set) var dropped: Set<String> = []

  /// - Parameters:
  ///   - tree: The published state; collections that the folder lacks are kept.
  ///   - removed: The names of the collections to remove, as "bucket/collection".
  /// - Throws: If anything cannot be published, naming it.
  init(
    _ folder: SourceFolder, over tree: any TreeReader, removing removed: [String], by publisher: Publisher
  ) throws(RemoraError) {
    let monitored = try tree.monitored()
    var sources = [String: SourceCollection](uniqueKeysWithValues: folder.collections.map { ("\($0.name)", $0) })
    var known: [String: PublishedCollection] = [:]
    let present = try tree.collections().map { "\($0)" }
    for name in Set(present).union(monitored.keys) {
      known[name] = try PublishedCollection(
        collectionName(name), in: tree, monitored: monitored[name], publishedBy: publisher.signer, publisher.server)
    }
    try requireRemovable(removed, sources, known)
    for name in Set(known.keys).union(sources.keys).sorted() {
      let published = known[name]
      try published?.requireNotAhead(ofMs: publisher.nowMs)
      try sources[name]?.setSizes(from: tree)
      let change = try Self.change(of: published, to: sources[name], isRemoved: removed.contains(name), publisher)
      guard let change else { continue }
      collections.append(change)
      if change.kind != .removed { try attachments.add(change, sources[name], from: tree, folder) }
      for (record, _) in published?.records ?? [] {
        if let sha256 = record.attachment?.sha256 { dropped.insert(TreePath.attachment(sha256)) }
      }
      if let x5u = published?.verifiedX5U { dropped.insert("\(TreePath.authorities)/\(splitPath(x5u).name)") }
    }
    dropped.subtract(attachments.paths + [publisher.chainPath])
  }

  private static func change(
    of published: PublishedCollection?, to source: SourceCollection?, isRemoved: Bool, _ publisher: Publisher
  ) throws(RemoraError) -> CollectionChange? {
    if let source { return try CollectionChange(source, over: published, by: publisher) }
    guard let published else { return nil }
    return isRemoved ? CollectionChange(removing: published) : try CollectionChange(keeping: published, by: publisher)
  }

  /// The timestamps for the monitor.
  var versions: [(name: CollectionName, timestamp: Int64)] {
    collections.filter { $0.kind != .removed }.map { ($0.name, $0.after) }
  }
}

/// Checks the names of the collections to remove.
private func requireRemovable(
  _ removed: [String], _ sources: [String: SourceCollection], _ known: [String: PublishedCollection]
) throws(RemoraError) {
  for name in removed {
    guard sources[name] == nil else { throw .usage("--remove \(name) is in FOLDER; delete it there first") }
    guard known[name] != nil else { throw .usage("--remove \(name) is not in the tree; name it BUCKET/COLLECTION") }
  }
}

/// Returns the name in "bucket/collection".
func collectionName(_ text: String) -> CollectionName {
  let (bucket, collection) = splitPath(text)
  return CollectionName(bucket: bucket, collection: collection)
}

extension PublishedCollection {
  /// Checks the timestamp against the clock. Clients refuse a timestamp that is too far ahead.
  ///
  /// - Throws: `.future`.
  fileprivate func requireNotAhead(ofMs nowMs: Int64) throws(RemoraError) {
    guard timestamp > nowMs.addingClamped(CollectionDialect.defaultFutureMs) else { return }
    throw RemoraError(
      .future,
      "\(name) has the timestamp \(timestamp) (\(utcText(timestamp))), which is more than a day ahead of the clock"
        + " (\(utcText(nowMs))); set the clock")
  }
}
