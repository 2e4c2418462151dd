// SPDX-License-Identifier: Apache-2.0
//
// What the identity in an image says of its source: the dialects write it, and its format never changes.

internal import Remora

/// The identity of a source, as an image states it.
struct SourceIdentity {
  let text: String
  let kind: SourceKind
  /// As in the library's log: "main/regions", or the URL without its query, with "#" and the tag or " " and the name.
  let name: String
  /// The base URL of the server, or the origin of the URL; nil without a server.
  let server: String?
  /// The text under which the files of the server are named.
  let serverIdentity: String?
  /// The bucket and the name of a collection.
  let collection: (bucket: String, name: String)?
  /// The root and the signer that a collection trusts; nil if it needs no signature.
  let trust: (root: String, signer: String)?
  /// The accepted schema of a bundle, as its option states it: up to the model number.
  let schema: String?
  /// The method with which a bundle is requested.
  let method: HTTPMethod
  /// The member of a settings document that contains the settings; nil if the document is the settings.
  let rootKey: String?

  /// Reads an identity; nil for a text of another form.
  init?(_ text: String) {
    let fields = Self.fields(of: text)
    self.text = text
    schema = fields["schema"].map { String($0.dropLast()) }
    method = fields["method"].flatMap(HTTPMethod.init) ?? .get
    rootKey = fields["root"].flatMap { $0.isEmpty ? nil : Self.decoded($0) }
    switch fields["kind"] {
    case "collection":
      guard let bucket = fields["bucket"], let collection = fields["collection"] else { return nil }
      (kind, name, server) = (.collection, "\(bucket)/\(collection)", fields["server"])
      self.collection = (bucket, collection)
      serverIdentity = server.map { "server \($0)" }
      trust = Self.trust(fields["trust"] ?? "")
    case "bundle", "settings":
      kind = fields["kind"] == "bundle" ? .bundle : .settings
      let label = kind == .bundle ? Self.part(" ", fields["name"]) : Self.tag(fields["tag"])
      name = (fields["url"] ?? "without a URL") + label
      server = fields["url"].flatMap { try? ParsedURL($0, as: "url") }?.originText
      serverIdentity = server.map { "origin \($0)" }
      (collection, trust) = (nil, nil)
    default: return nil
    }
  }

  /// Returns the values of the lines by their keys. The last value is the name of a bundle, which is any text and may
  /// have lines itself.
  private static func fields(of text: String) -> [String: String] {
    var fields: [String: String] = [:]
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let key = String(decoding: rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      let line = key == "name" ? rest : rest.prefix { $0 != UInt8(ascii: "\n") }
      if fields[key] == nil { fields[key] = String(decoding: line.dropFirst(key.utf8.count + 1), as: UTF8.self) }
      rest = rest.dropFirst(line.count + 1)
    }
    return fields
  }

  private static func decoded(_ text: String) -> String? {
    let bytes = text.withBytes { percentDecoded($0) }
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func trust(_ text: String) -> (root: String, signer: String)? {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3, words[0] == "required", words[1].hasPrefix("root="), words[2].hasPrefix("signer=") else {
      return nil
    }
    return (String(words[1].dropFirst(5)), String(words[2].dropFirst(7)))
  }

  private static func part(_ separator: String, _ text: String?) -> String {
    guard let text, !text.isEmpty else { return "" }
    return separator + text
  }

  /// Returns the label of a tag, which the identity has as "item=tag", each percent-encoded.
  private static func tag(_ text: String?) -> String {
    guard let text, text != "none", let tag = text.split(separator: "=").last else { return "" }
    return "#\(decoded(String(tag)) ?? String(tag))"
  }

  /// The rule by which keys of the source are hidden.
  var hiding: HidingRule { kind == .collection ? .filter("filter_expression") : .nulls }
}
