// SPDX-License-Identifier: Apache-2.0
//
// The paths in a published tree, and reading a tree from wherever it is.

internal import Remora

/// The files of a tree, as paths below `v2`.
enum TreePath {
  static let indexes = ["index.html", "index.json"]
  static let attachments = "attachments"
  static let authorities = "authorities"
  static let monitor = changeset(CollectionName(bucket: "monitor", collection: "changes"))

  static func attachment(_ sha256: String) -> String { "\(attachments)/\(sha256)" }

  static func authority(_ sha256: String) -> String { "\(authorities)/\(sha256).pem" }

  static func changeset(_ name: CollectionName) -> String {
    "buckets/\(name.bucket)/collections/\(name.collection)/changeset"
  }
}

/// A published tree: a folder or a server.
protocol TreeReader {
  /// The name of a file in messages.
  func name(of path: String) -> String

  /// Returns the content of a file; nil if it does not exist.
  func read(_ path: String, limit: Int) throws(RemoraError) -> [UInt8]?

  /// Returns the names of all collections, except that of the monitor.
  func collections() throws(RemoraError) -> [CollectionName]

  /// Whether an attachment exists, as far as that is known without fetching it.
  func holds(_ sha256: String) throws(RemoraError) -> Bool

  /// Returns the timestamps in the monitor, by "bucket/collection".
  func monitored() throws(RemoraError) -> [String: Int64]
}

extension TreeReader {
  /// Returns the base URL of attachments that the tree states; nil if it states none.
  func attachmentBase() throws(RemoraError) -> String? {
    guard let bytes = try read("index.json", limit: TransportOptions().maxBodyBytes) else { return nil }
    return try bytes.withBytes { bytes throws(RemoraError) in
      let root = try ParsedJSON(text: bytes, named: name(of: "index.json"))
      return root.read { $0.member("capabilities")?.member("attachments")?.member("base_url")?.string }
    }
  }

  /// Returns the timestamps in the monitor's changeset.
  ///
  /// - Throws: The errors of a client that cannot decode it.
  func versions(in monitor: [UInt8]) throws(RemoraError) -> [String: Int64] {
    do throws(RemoraError) {
      return try monitor.withBytes { bytes throws(RemoraError) in try decodeMonitorChanges(bytes).versions }
    } catch {
      throw error.prefixed(by: "\(name(of: TreePath.monitor)): ")
    }
  }
}
