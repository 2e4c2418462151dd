// SPDX-License-Identifier: Apache-2.0
//
// The versions of JSON Schema, and the keywords of each.

/// A version of JSON Schema, in the order of their publication.
enum SchemaVersion: Int, Comparable {
  case draft4, draft6, draft7, v2019, v2020

  static func < (left: SchemaVersion, right: SchemaVersion) -> Bool { left.rawValue < right.rawValue }

  /// The identifier of the schemas of Snowplow's Iglu, which follow draft 4 and have a member `self`.
  private static let iglu = "iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/"

  /// Recognizes the value of `$schema`; nil for another version.
  init?(identifier: String) {
    var text = Substring(identifier)
    if text.last == "#" { text.removeLast() }
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) { text.removeFirst(scheme.count) }
    switch text {
    case "json-schema.org/draft-04/schema": self = .draft4
    case "json-schema.org/draft-06/schema": self = .draft6
    case "json-schema.org/draft-07/schema": self = .draft7
    case "json-schema.org/draft/2019-09/schema": self = .v2019
    case "json-schema.org/draft/2020-12/schema": self = .v2020
    default:
      guard text.hasPrefix(Self.iglu) else { return nil }
      self = .draft4
    }
  }
}

/// The rules by which a schema is read.
struct SchemaLanguage {
  let version: SchemaVersion
  /// Whether the schema states no version. Then it is read as the newest one, with the older keywords that do not
  /// contradict it.
  let isUnstated: Bool

  init(_ version: SchemaVersion?) { (self.version, isUnstated) = (version ?? .v2020, version == nil) }

  /// The keyword that names the schema.
  var id: String { version == .draft4 ? "id" : "$id" }
  /// Whether keywords beside `$ref` have no effect.
  var ignoresBesideReference: Bool { version <= .draft7 }
  /// Whether 1.0 is an integer.
  var hasIntegralDoubles: Bool { version > .draft4 }
  /// Whether `exclusiveMinimum` and `exclusiveMaximum` are booleans.
  var hasBooleanLimits: Bool { version == .draft4 }
  /// Whether `items` may be an array, with `additionalItems` for the rest.
  var hasItemLists: Bool { version <= .v2019 || isUnstated }

  /// Whether a keyword has a meaning in this version.
  func knows(_ keyword: String) -> Bool {
    switch keyword {
    case "const", "contains", "propertyNames", "examples": version >= .draft6
    case "if", "then", "else", "$comment", "readOnly", "writeOnly", "contentMediaType", "contentEncoding":
      version >= .draft7
    case "dependentRequired", "dependentSchemas", "minContains", "maxContains", "$anchor", "$defs", "contentSchema",
      "deprecated", "unevaluatedProperties", "unevaluatedItems", "$vocabulary":
      version >= .v2019
    case "$recursiveRef", "$recursiveAnchor": version == .v2019
    case "prefixItems", "$dynamicRef", "$dynamicAnchor": version >= .v2020
    case "definitions", "dependencies": version <= .draft7 || isUnstated
    case "additionalItems": hasItemLists
    case "self": version == .draft4
    default: true
    }
  }

  /// The keywords whose meaning is not supported. A schema with one of them is refused, because without it the schema
  /// would accept more than its author meant.
  static let unsupported: Set = [
    "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "unevaluatedProperties", "unevaluatedItems",
    "$vocabulary",
  ]

  /// The keywords that only inform people and programs.
  static let annotations: Set = [
    "$schema", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "format",
    "contentMediaType", "contentEncoding", "contentSchema", "self",
  ]
}
