// SPDX-License-Identifier: Apache-2.0
//
// Decodes the monitor's changeset: the timestamps of a server's collections. It is not signed. A malformed entry is
// skipped, so that its collection is requested.

/// Returns the timestamps by "bucket/collection"; for a duplicate, the highest one.
///
/// - Throws: `.parse` or `.format` if the document is not a changeset.
func decodeMonitorChanges(_ bytes: UnsafeRawBufferPointer) throws(RemoraError) -> [String: Int64] {
  var cursor = try JSONCursor(bytes, name: "the monitor's changeset")
  var versions: [String: Int64] = [:]
  var hasChanges = false
  try cursor.object { (name, cursor) throws(RemoraError) in
    guard name == "changes" else {
      _ = try cursor.value()
      return
    }
    hasChanges = true
    try cursor.array(name) { (change, _) throws(RemoraError) in
      change.read { view in
        guard view.isObject, let bucket = view.member("bucket")?.string,
          let collection = view.member("collection")?.string, let version = view.member("last_modified")?.int
        else { return }
        let key = "\(bucket)/\(collection)"
        versions[key] = max(version, versions[key] ?? .min)
      }
    }
  }
  try cursor.end()
  guard hasChanges else { throw .format("the monitor's changeset", "has no member \"changes\"") }
  return versions
}
