// SPDX-License-Identifier: Apache-2.0
//
// The next version of one collection. Unchanged records keep their times, and an unchanged collection its bytes.

internal import Remora

/// What a publication does with a collection.
struct CollectionChange {
  enum Kind: String {
    case created, changed, unchanged, removed
    /// The same content, signed with a new chain.
    case renewed
    /// The tree has a document that is not what this publisher wrote, or is older than the monitor states.
    case repaired
    /// The collection is not in the folder.
    case kept
  }

  /// What is wrong with the document that a repaired one replaces.
  enum Fault { case outdated, edited, notSigned }

  let name: CollectionName
  let kind: Kind
  /// The published timestamp; nil for a new collection.
  let before: Int64?
  let after: Int64
  /// Nil unless the collection is repaired.
  private(set) var fault: Fault?
  private(set) var added = 0
  private(set) var changed = 0
  private(set) var removed = 0
  let records: [(record: Record, lastModified: Int64)]
  /// The document; empty if the collection is removed.
  let bytes: [UInt8]

  /// Removes a collection.
  init(removing published: PublishedCollection) {
    (name, kind, before, after) = (published.name, .removed, published.timestamp, published.timestamp)
    (removed, records, bytes) = (published.records.count, [], [])
  }

  /// Keeps a collection that the folder lacks; signs it again if there is a new chain, or a part that is not signed was
  /// edited.
  ///
  /// - Throws: `.signatureMismatch` if the tree was edited, and `.format` if its version is older than the monitor
  ///   states, because nothing says what its content should be.
  init(keeping published: PublishedCollection, by publisher: Publisher) throws(RemoraError) {
    guard let bytes = published.bytes, published.verifiedX5U != nil else {
      throw RemoraError(
        .signatureMismatch,
        "\(published.name) was edited or damaged in the tree, and FOLDER does not have it; add it, or use --remove")
    }
    guard !published.isOutdated else {
      throw .format(
        "\(published.name)",
        "is older in the tree than the version \(published.timestamp) that the monitor lists, and FOLDER does not have"
          + " it; add it, or use --remove")
    }
    (name, kind, before, after) = (published.name, .kept, published.timestamp, published.timestamp)
    records = published.records
    self.bytes =
      published.verifiedX5U == publisher.x5u && !published.isEdited
      ? bytes
      : try Changeset(name: name, timestamp: after, records: records, tombstones: published.tombstones)
        .signed(by: publisher)
  }

  /// Compares a collection of the folder with the published one.
  init(
    _ source: SourceCollection, over published: PublishedCollection?, by publisher: Publisher
  ) throws(RemoraError) {
    let next = max(publisher.nowMs, (published?.timestamp ?? 0).addingClamped(1))
    let merged = MergedRecords(source.records, over: published, atMs: next)
    (name, records, before) = (source.name, merged.records, published?.timestamp)
    (added, changed, removed) = (merged.added, merged.changed, merged.removed)
    fault = published?.fault
    let kind = Self.kind(of: merged, over: published, by: publisher)
    let after = kind == .renewed || kind == .unchanged ? published?.timestamp ?? next : next
    (self.kind, self.after) = (kind, after)
    if kind == .unchanged, let bytes = published?.bytes {
      self.bytes = bytes
    } else {
      bytes = try Changeset(name: name, timestamp: after, records: records, tombstones: merged.tombstones)
        .signed(by: publisher)
    }
  }

  private static func kind(
    of merged: MergedRecords, over published: PublishedCollection?, by publisher: Publisher
  ) -> Kind {
    guard let published else { return .created }
    guard published.fault == nil else { return .repaired }
    guard merged.added + merged.changed + merged.removed == 0 else { return .changed }
    return published.verifiedX5U == publisher.x5u ? .unchanged : .renewed
  }
}

extension PublishedCollection {
  fileprivate var fault: CollectionChange.Fault? {
    if isOutdated { return .outdated }
    if isEdited { return .edited }
    return verifiedX5U == nil ? .notSigned : nil
  }
}

/// The records of a folder with the times of those that are published already. Nothing vouches for the times in a
/// document without a valid signature, nor for those of tombstones in an edited one, so they become the new time. The
/// tombstones are kept: a client takes a changeset whose records are all later than its own version for a diff, and
/// needs them there. It ignores those of unknown records.
private struct MergedRecords {
  private(set) var records: [(record: Record, lastModified: Int64)] = []
  private(set) var tombstones: [RecordID: Int64]
  private(set) var added = 0
  private(set) var changed = 0
  private(set) var removed = 0

  init(_ sources: [Record], over published: PublishedCollection?, atMs next: Int64) {
    let isSigned = published?.verifiedX5U != nil
    let isWritten = isSigned && published?.isEdited != true
    tombstones = (published?.tombstones ?? [:]).mapValues { isWritten ? $0 : next }
    var known = Dictionary(
      (published?.records ?? []).map { ($0.record.id, $0) }, uniquingKeysWith: { first, _ in first })
    for record in sources {
      tombstones[record.id] = nil
      let old = known.removeValue(forKey: record.id)
      if let old, old.record == record {
        records.append(isSigned ? old : (record, next))
      } else {
        if old == nil { added += 1 } else { changed += 1 }
        records.append((record, next))
      }
    }
    removed = known.count
    for id in known.keys where id.isReadable { tombstones[id] = next }
  }
}
