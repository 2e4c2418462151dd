// SPDX-License-Identifier: Apache-2.0
//
// Decodes the monitor's changeset: the timestamps of a server's collections. It is not signed. A malformed entry is
// skipped with a warning, so that its collection is requested.

/// Returns the timestamps by "bucket/collection"; for a duplicate, the highest one.
///
/// - Throws: `.parse` or `.format` if the document is not a changeset.
package func decodeMonitorChanges(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> MonitorList {
  var changes = MonitorChanges()
  try JSONReader.read(bytes, named: MonitorChanges.name, &changes)
  guard changes.isFound else { throw .format(MonitorChanges.name, "has no member \"changes\"") }
  return MonitorList(versions: changes.versions, warnings: changes.warnings.sentences)
}

/// The timestamps in a monitor's changeset.
private struct MonitorChanges: JSONVisitor {
  /// The name of the document in messages.
  static let name = "the server's list of collections"

  private(set) var versions: [String: Int64] = [:]
  private(set) var isFound = false
  private(set) var warnings = DocumentWarnings(of: Self.name)

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    switch place {
    case .document: return type == .object
    case .member("changes", level: 1) where type == .array:
      isFound = true
      return true
    default: return false
    }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .element(let index, _): if !add(value) { noteMalformed(index) }
    case .member("changes", _): throw .format("the member \"changes\" of \(Self.name)", "is not an array")
    case .member: break
    case .document: throw .format(Self.name, "is not a JSON object")
    }
  }

  mutating func leaveOut(_ error: RemoraError, at place: JSONPlace) -> Bool {
    guard case .element(let index, level: 2) = place else { return false }
    noteMalformed(index)
    return true
  }

  private mutating func noteMalformed(_ index: Int) {
    warnings.add("/changes/\(index)", "is ignored, because it is not a collection with its timestamp")
  }

  /// Returns false for a malformed entry.
  private mutating func add(_ change: borrowing ParsedJSON) -> Bool {
    change.read { view in
      if view.member("deleted")?.isTrue == true { return true }
      guard view.isObject, let bucket = view.member("bucket")?.string,
        let collection = view.member("collection")?.string, let version = view.member("last_modified")?.int
      else { return false }
      let key = "\(bucket)/\(collection)"
      versions[key] = max(version, versions[key] ?? .min)
      return true
    }
  }
}
