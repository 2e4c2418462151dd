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

  /// Returns the size of an attachment; nil if it does not exist with its content.
  ///
  /// - Parameter stated: The size that a record states. A tree on a server returns it without a request, so it must be
  ///   compared when the attachment is fetched.
  func attachmentSize(_ sha256: String, stated: Int64?) throws(RemoraError) -> Int64?

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

  /// Returns the entries of the monitor's changeset.
  ///
  /// - Throws: The errors of a client that cannot decode it.
  func entries(in monitor: [UInt8]) throws(RemoraError) -> MonitorEntries {
    try MonitorEntries(monitor, named: name(of: TreePath.monitor))
  }
}

/// The entries of a monitor's changeset. Its names are checked before they become parts of paths and URLs, because the
/// monitor is not signed.
struct MonitorEntries {
  /// The timestamps by "bucket/collection".
  private(set) var versions: [String: Int64] = [:]
  /// The error for the first entry that no collection can have; nil if there is none.
  private(set) var problem: RemoraError?

  fileprivate init(_ monitor: [UInt8], named place: String) throws(RemoraError) {
    let listed: [String: Int64]
    do throws(RemoraError) {
      listed = try monitor.withBytes { bytes throws(RemoraError) in try decodeMonitorChanges(bytes).versions }
    } catch {
      throw error.prefixed(by: "\(place): ")
    }
    for (name, version) in listed.sorted(by: { $0.key < $1.key }) {
      if Self.isName(name) {
        versions[name] = version
      } else if problem == nil {
        problem = .format(place, "lists \"\(name.prefix(300))\", which is not the name of a published collection")
      }
    }
  }

  /// Whether a text is "bucket/collection", and the bucket is not that of the monitor itself.
  private static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts.first != "monitor" else { return false }
    return parts.allSatisfy { (try? CollectionDialect.requireName($0, "name")) != nil }
  }
}
