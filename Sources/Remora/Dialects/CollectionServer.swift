// SPDX-License-Identifier: Apache-2.0
//
// Where collections come from: the presets, custom URLs, and the two protocols they speak.

/// A Remote Settings server.
package struct CollectionServer: Sendable, Equatable {
  /// The shapes of the protocol: Kinto's, and that of the git-backed reader.
  package enum ProtocolVersion: Sendable { case v1, v2 }

  /// The base of all its URLs, ending in `/v1` or `/v2`.
  package let base: ParsedURL
  /// Which protocol the base says.
  package let version: ProtocolVersion
  /// Whether this is Mozilla's production, with its own pin.
  package let isProduction: Bool

  /// Takes a preset's name or a URL.
  ///
  /// - Throws: `.invalidArgument` naming `server`; never a silent fallback.
  package init(_ text: String) throws(RemoraError) {
    let url = try ParsedURL(Self.presets[text] ?? text, as: "server")
    guard url.query == nil else { throw .invalidArgument("server", "has a query") }
    var path = Substring(url.path)
    while path.last == "/" { path.removeLast() }
    if path.hasSuffix("/v1") {
      version = .v1
    } else {
      version = .v2
      if !path.hasSuffix("/v2") { path += "/v2" }
    }
    base = try ParsedURL(url.originText + path, as: "server")
    isProduction = url.originText == Self.production
  }

  /// Where the changeset of a collection is; `since` asks for the changes after a timestamp.
  package func changeset(bucket: String, collection: String, since: Int64?) throws(RemoraError) -> ParsedURL {
    var text = "\(base)/buckets/\(percentEncode(bucket))/collections/\(percentEncode(collection))/changeset?_expected=0"
    if let since { text += version == .v1 ? "&_since=%22\(since)%22" : "&_since=\(since)" }
    return try ParsedURL(text, as: "server")
  }

  private static let production = "https://firefox.settings.services.mozilla.com"
  private static let presets = [
    "prod": "\(production)/v2",
    "stage": "https://firefox.settings.services.allizom.org/v2",
    "dev": "https://remote-settings-dev.allizom.org/v2",
  ]
}
