// SPDX-License-Identifier: Apache-2.0
//
// The collection of the server: what it holds at each version is a function of the version, so that nothing is stored
// and everything can be checked.

/// The versions of the collection: 1, 2, …
enum CollectionHistory {
  static let recordCount = 8
  static let startMs: Int64 = 1_790_000_000_000
  /// The last version that is signed.
  static let lastSigned = SignedHistory.signatures.count

  static func timestamp(_ version: Int) -> Int64 { startMs + 1000 * Int64(version) }

  static func version(of timestamp: Int64) -> Int { Int((timestamp - startMs) / 1000) }

  /// When a record was changed last, as of a version; and whether it is there then.
  private static func record(_ index: Int, at version: Int) -> (changed: Int, exists: Bool) {
    let block = version / (index + 2)
    return (max(1, block * (index + 2)), block % 4 != 3)
  }

  /// What each record says at a version; nil where it does not exist.
  static func content(at version: Int) -> [String: Int64] {
    var content: [String: Int64] = [:]
    for index in 0..<recordCount {
      let (changed, exists) = record(index, at: version)
      if exists { content["r\(index)"] = Int64(changed) }
    }
    return content
  }

  /// The body of an answer: everything, or what has changed since a version.
  static func changeset(at version: Int, since: Int?, signature: String?, isForged: Bool) -> String {
    var changes: [String] = []
    for index in 0..<recordCount {
      let (changed, exists) = record(index, at: version)
      if let since, changed <= since { continue }
      let stamp = #""id":"r\#(index)","last_modified":\#(timestamp(changed))"#
      if exists {
        changes.append("{\(stamp),\"n\":\(isForged ? -1 : changed)}")
      } else if since != nil {
        changes.append("{\(stamp),\"deleted\":true}")
      }
    }
    let url = "\(Server.origin)/chain.pem"
    let signatures = signature.map { #"{"mode":"p384ecdsa","signature":"\#($0)","x5u":"\#(url)"}"# } ?? ""
    return """
      {"changes":[\(changes.joined(separator: ","))],"timestamp":\(timestamp(version)),\
      "metadata":{"signatures":[\(signatures)]}}
      """
  }
}
