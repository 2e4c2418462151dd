// SPDX-License-Identifier: Apache-2.0
//
// A version of a collection on the test server.

/// A collection with its timestamp, and the responses to requests for it.
struct PublishedCollection: Sendable {
  let timestamp: Int64
  private let bucket: String
  private let name: String
  private let records: [JSONValue]

  /// Creates a version; nil if a record is not an object.
  init?(_ name: String, in bucket: String, _ records: [String: JSONValue], at timestamp: Int64) {
    (self.name, self.bucket, self.timestamp) = (name, bucket, timestamp)
    var all: [JSONValue] = []
    for (id, record) in records.sorted(by: { $0.key < $1.key }) {
      guard case .object(var members) = record else { return nil }
      members["id"] = .string(id)
      members["last_modified"] = .int(timestamp)
      all.append(.object(members))
    }
    self.records = all
  }

  /// Creates the list of collections that a server publishes for syncs.
  init(listing collections: [PublishedCollection]) {
    (name, bucket) = ("changes", "monitor")
    timestamp = collections.map(\.timestamp).max() ?? 1
    records = collections.map { collection in
      [
        "id": .string("\(collection.bucket)-\(collection.name)"), "last_modified": .int(collection.timestamp),
        "bucket": .string(collection.bucket), "collection": .string(collection.name),
      ]
    }
  }

  /// Returns the response to a request for the changes since a timestamp, or for all records.
  ///
  /// - Parameter address: The URL of the request without its query. A request for the changes since another version is
  ///   redirected to this URL, which returns all records.
  func changeset(since: Int64?, at address: Substring) -> HTTPResponse {
    if let since, since != timestamp { return HTTPResponse(status: 307, headers: ["Location: \(address)"]) }
    let changes = since == nil ? records : []
    let document: JSONValue = [
      "metadata": ["bucket": .string(bucket), "id": .string(name)], "timestamp": .int(timestamp),
      "changes": .array(changes),
    ]
    return HTTPResponse(body: Array(document.description.utf8))
  }
}
