// SPDX-License-Identifier: Apache-2.0
//
// Compares two snapshots by value, in the order of keys: one walk over both indexes.

/// The kind of a change; raw values are those of the C header.
package enum ChangeKind: Int32, Sendable {
  case created = 1
  case updated, deleted

  /// The name of the change for programs.
  package var word: StaticString {
    switch self {
    case .created: "created"
    case .updated: "updated"
    case .deleted: "deleted"
    }
  }
}

/// One changed key; valid as long as both snapshots.
package struct Change {
  package let kind: ChangeKind
  package let key: UnsafeRawBufferPointer
  package let old: Value?
  package let new: Value?
}

/// Calls `visit` for each difference until it returns false.
package func diff(
  _ old: SnapshotReader?, _ new: SnapshotReader?, _ visit: (Change) -> Bool
) {
  var oldIndex = 0
  var newIndex = 0
  while true {
    let oldEntry = old?.entry(at: oldIndex)
    let newEntry = new?.entry(at: newIndex)
    let change: Change?
    switch (oldEntry, newEntry) {
    case (nil, nil): return
    case (let oldEntry?, nil):
      change = Change(kind: .deleted, key: oldEntry.key, old: oldEntry.value, new: nil)
      oldIndex &+= 1
    case (nil, let newEntry?):
      change = Change(kind: .created, key: newEntry.key, old: nil, new: newEntry.value)
      newIndex &+= 1
    case (let oldEntry?, let newEntry?):
      let order = compareBytes(oldEntry.key, newEntry.key)
      if order < 0 {
        change = Change(kind: .deleted, key: oldEntry.key, old: oldEntry.value, new: nil)
      } else if order > 0 {
        change = Change(kind: .created, key: newEntry.key, old: nil, new: newEntry.value)
      } else if oldEntry.value.isEqual(to: newEntry.value) {
        change = nil
      } else {
        change = Change(kind: .updated, key: newEntry.key, old: oldEntry.value, new: newEntry.value)
      }
      if order <= 0 { oldIndex &+= 1 }
      if order >= 0 { newIndex &+= 1 }
    }
    if let change, !visit(change) { return }
  }
}

extension Snapshot {
  /// Whether both have the same keys and values for readers.
  package func hasSameValues(as other: Snapshot) -> Bool {
    if self === other { return true }
    var isSame = true
    diff(reader.pointee, other.reader.pointee) { _ in
      isSame = false
      return false
    }
    return isSame
  }
}
