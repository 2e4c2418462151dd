// SPDX-License-Identifier: Apache-2.0
//
// Bundles: one versioned document of namespaces, in the format of the Snowplow mobile trackers' remote configuration.
// docs/bundles.md describes where the trackers are silent or contradictory, and the rules here.

package struct BundleDialect: DocumentDialect {
  package let document: DocumentURL?
  package let identity: String
  package let versions: VersionRule
  package let hiding = HidingRule.nulls
  package let updates = UpdateRule.keepUnlisted
  package let openingEvent = OpeningEvent.withData
  package let experiments: ExperimentRules? = nil
  package let label: SourceLabel
  /// The accepted schemas of the document.
  let schema: BundleSchema

  /// - Parameters:
  ///   - name: Distinguishes bundles of the same URL.
  ///   - defaultVersion: The version of the default bundle; nil is lower than any version.
  package init(_ document: DocumentURL?, name: String, schema: BundleSchema, defaultVersion: Int64?) {
    self.document = document
    self.schema = schema
    versions = .raised(above: defaultVersion)
    label = SourceLabel(
      kind: .bundle, server: document?.url.originText ?? "",
      name: (document?.location ?? "without a URL") + (name.isEmpty ? "" : " \(name)"))
    identity = "kind bundle\n\(document?.identity ?? "local")\nschema \(schema.prefix)\nname \(name)"
  }

  package func decoder() -> any DocumentDecoder { decoder(named: "the bundle") }

  package func decoder(named source: String) -> any DocumentDecoder {
    ContentDecoder(BundleContent(schema, named: source), named: source)
  }
}

/// The accepted `$schema` of a bundle: a vendor, a name and a model, with http or https, and any revision and addition.
package struct BundleSchema: Sendable, Equatable {
  /// The text after the scheme, up to the dash after the model.
  package let prefix: String

  /// The schema of the Snowplow trackers.
  package static let snowplow = "iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1"

  /// Takes the text after the scheme, up to and including the model.
  ///
  /// - Throws: `.invalidArgument` naming `accepted_schema`.
  package init(_ text: String) throws(RemoraError) {
    guard (1...1024).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalidArgument("accepted_schema", "must be 1 to 1024 printable ASCII characters without spaces")
    }
    guard text.utf8.last.map(isDigit) == true, !text.hasPrefix("http:"), !text.hasPrefix("https:") else {
      throw .invalidArgument(
        "accepted_schema", "must not include http:// or https://, and must end with the model number")
    }
    let version = text.split(separator: "/").last ?? ""
    guard !version.contains("-") || !version.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: "-") }) else {
      throw .invalidArgument(
        "accepted_schema", "must end with the model number, which is the first number of the schema's version")
    }
    prefix = text + "-"
  }

  /// Whether a document with this `$schema` is accepted.
  package func accepts(_ text: String) -> Bool {
    for start in ["http://" + prefix, "https://" + prefix] where text.utf8.starts(with: start.utf8) {
      let numbers = text.utf8.dropFirst(start.utf8.count).split(
        separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) }
    }
    return false
  }
}
