// SPDX-License-Identifier: Apache-2.0
//
// The servers of collections: presets, custom URLs, and the two protocols.

/// A Remote Settings server.
package struct CollectionServer: Sendable, Equatable {
  /// The versions of the protocol: Kinto's, and that of the git-backed reader.
  package enum ProtocolVersion: Sendable { case v1, v2 }

  /// The base of all its URLs, ending in `/v1` or `/v2`.
  package let base: ParsedURL
  /// The protocol that the base URL names.
  package let version: ProtocolVersion
  /// Whether this is Mozilla's production server, which has its own pin.
  package let isProduction: Bool

  /// Accepts the name of a preset or a URL.
  ///
  /// - Throws: `.invalidArgument` naming `server`; there is no silent fallback.
  package init(_ text: String) throws(RemoraError) {
    let url = try ParsedURL(Self.preset(text) ?? text, as: "server")
    guard url.query == nil else { throw .invalidArgument("server", "has a query") }
    var path = Array(url.path.utf8)
    while path.last == UInt8(ascii: "/") { path.removeLast() }
    if path.suffix(3).elementsEqual("/v1".utf8) {
      version = .v1
    } else {
      version = .v2
      if !path.suffix(3).elementsEqual("/v2".utf8) { path += "/v2".utf8 }
    }
    base = try url.replacing(path: path, as: "server")
    isProduction = url.originText == Self.production
  }

  /// Returns the URL of a collection's changeset. `since` requests the changes after a timestamp; `expected` bypasses
  /// caches that have an older version.
  package func changeset(
    bucket: String, collection: String, since: Int64?, expected: Int64 = 0
  ) throws(RemoraError) -> ParsedURL {
    var text = "\(base)/buckets/\(percentEncode(bucket))/collections/\(percentEncode(collection))"
    text += "/changeset?_expected=\(expected)"
    if let since { text += version == .v1 ? "&_since=%22\(since)%22" : "&_since=\(since)" }
    return try ParsedURL(text, as: "server")
  }

  private static var production: String { "https://firefox.settings.services.mozilla.com" }

  /// Returns the URL of a preset; nil for any other name.
  private static func preset(_ name: String) -> String? {
    switch name {
    case "prod": production + "/v2"
    case "stage": "https://firefox.settings.services.allizom.org/v2"
    case "dev": "https://remote-settings-dev.allizom.org/v2"
    default: nil
    }
  }
}
