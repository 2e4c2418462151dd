// SPDX-License-Identifier: Apache-2.0
//
// Settings: one dictionary of keys and values, in the format of the PAPulse SDK's remote settings. The document has no
// version; each tag has its own dictionary. docs/settings.md describes where the SDK is silent, and the rules here.

/// The rules of one dictionary of settings.
package struct SettingsDialect: DocumentDialect {
  package let document: DocumentURL?
  package let identity: String
  package let label: SourceLabel
  package let versions = VersionRule.fetchTimes
  package let hiding = HidingRule.nulls
  package let updates = UpdateRule.replaceAll
  package let openingEvent = OpeningEvent.always
  package let experiments: ExperimentRules? = ExperimentRules()
  /// The member that contains the dictionary; nil if the document is the dictionary.
  let rootKey: String?
  /// Makes the rules of a tag of these settings; nil if these are the settings of a tag.
  let tags: TagRules?

  /// Makes the rules of the tag with a name.
  typealias TagRules = @Sendable (String) throws(RemoraError) -> SettingsDialect

  /// - Parameters:
  ///   - document: The URL with parameters and tag.
  ///   - identity: Identifies the source; must not contain values of parameters, which may be secrets.
  init(
    _ document: DocumentURL, identity: String, rootKey: String?, tag: String? = nil, tags: TagRules? = nil
  ) {
    label = SourceLabel(
      kind: .settings, server: document.url.originText, name: document.location + (tag.map { "#\($0)" } ?? ""))
    self.document = document
    self.identity = identity
    self.rootKey = rootKey
    self.tags = tags
  }

  package func tagged(_ tag: String) throws(RemoraError) -> (any Dialect)? { try tags?(tag) }

  /// Returns the decoder for a response. The document has no version: its version is the time of the fetch, which the
  /// engine sets.
  package func decoder() -> any DocumentDecoder { decoder(named: "the settings document") }

  package func decoder(named source: String) -> any DocumentDecoder {
    ContentDecoder(SettingsContent(source: source, rootKey: rootKey), named: source)
  }

  /// Returns the request with `items` added to its query, except those that the URL has already.
  package func seedRequest(telling items: [(name: String, value: String)]) throws(RemoraError) -> Gather {
    let document = try requireDocument()
    let known = Set((document.url.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } })
    let added = items.filter { !known.contains(percentEncode($0.name)[...]) }
    return Gather(
      .document(since: nil), at: added.isEmpty ? document.url : try document.url.adding(added, as: "url"),
      hosting: .any)
  }
}

/// The members of a dictionary, as entries.
private struct SettingsContent: DocumentContent, ~Copyable {
  private let source: String
  /// The member that contains the dictionary; nil if the document is the dictionary.
  private let rootKey: String?
  private var hasDictionary = false
  private var encoder = EntryEncoder(leaving: ImageFormat.headerSize)
  private var ranges: [EntryRange] = []
  private var warnings: [String] = []

  init(source: String, rootKey: String?) { (self.source, self.rootKey) = (source, rootKey) }

  /// The number of objects that a member of the dictionary is in.
  private var level: Int { rootKey == nil ? 1 : 2 }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    guard type == .object else { return false }
    switch place {
    case .document: hasDictionary = rootKey == nil
    case .member(let name, level: 1) where isRoot(name): hasDictionary = true
    default: return false
    }
    return true
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .member(let name, level): try append(name, value)
    case .member(let name, _) where isRoot(name):
      throw .format("the member \"\(name)\" of \(source)", "is not a JSON object")
    case .member, .element: break
    case .document: throw .format(source, "is not a JSON object")
    }
  }

  /// Compared as bytes, as the names of members are.
  private borrowing func isRoot(_ name: String) -> Bool {
    rootKey.map { name.utf8.elementsEqual($0.utf8) } ?? false
  }

  /// Adds a member. An empty name is skipped, because a host could not read such a key.
  private mutating func append(_ name: String, _ value: borrowing ParsedJSON) throws(RemoraError) {
    guard !name.isEmpty else {
      warnings.append("\(source) has an empty key, which is ignored")
      return
    }
    ranges.append(try name.withBytes { key throws(RemoraError) in try encoder.append(key: key, value) })
  }

  /// Returns all entries, sorted by key.
  consuming func document() throws(RemoraError) -> Document {
    let (ranges, source) = (ranges, source)
    var warnings = warnings
    guard hasDictionary else { throw .format(source, "has no member \"\(rootKey ?? "")\"") }
    let place = rootKey.map { "/\(pointerToken(Array($0.utf8)))" } ?? ""
    guard !ranges.isEmpty else {
      return Document(
        version: 0, signatures: [], entries: [], hasFilters: false, removed: [], memory: nil, warnings: warnings)
    }
    let memory = try EntryMemory(encoder)
    let entries = memory.sortedEntries(at: ranges)
    if let experiments = entries.first(where: \.holdsExperiments) {
      var found = DocumentWarnings(of: source)
      Experiments(experiments.value).judge(at: "\(place)/\(Experiments.key)", &found)
      warnings += found.sentences
    }
    let hasNulls = entries.contains { $0.value.type == .null }
    return Document(
      version: 0, signatures: [], entries: entries, hasFilters: hasNulls, removed: [], memory: memory,
      warnings: warnings)
  }
}

extension Entry {
  fileprivate var holdsExperiments: Bool {
    let wanted = Experiments.key
    return compareBytes(key, UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)) == 0
  }
}
