// SPDX-License-Identifier: Apache-2.0
//
// Decodes the changeset of the monitor: the timestamps of a server's collections. Nobody signs it, so an entry that is
// not understood is left out, and its collection is asked for.

/// The timestamps by "bucket/collection"; the highest where one comes twice.
///
/// - Throws: `.parse` or `.format` when it is no changeset.
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
  guard hasChanges else { throw .format("the monitor's changeset", "has no changes") }
  return versions
}
