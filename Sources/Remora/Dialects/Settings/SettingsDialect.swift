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
  package let hiding = HidingRule.nothing
  package let updates = UpdateRule.replaceAll
  package let openingEvent = OpeningEvent.always
  package let experiments: ExperimentRules? = ExperimentRules()
  /// The member that contains the dictionary; nil if the document is the dictionary.
  let rootKey: String?

  /// - Parameters:
  ///   - document: The URL with parameters and tag.
  ///   - identity: Identifies the source; must not contain values of parameters, which may be secrets.
  init(_ document: DocumentURL, identity: String, rootKey: String?, tag: String? = nil) {
    label = SourceLabel(
      kind: .settings, server: document.url.originText, name: document.location + (tag.map { "#\($0)" } ?? ""))
    self.document = document
    self.identity = identity
    self.rootKey = rootKey
  }

  /// Decodes the document without a version: its version is the time of the fetch, which the engine sets.
  package func decode(_ text: DocumentText) throws(RemoraError) -> Document {
    try decode(text, named: "the settings document")
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

  package func decodeText(_ text: DocumentText, named source: String) throws(RemoraError) -> Document {
    var decoder = SettingsDecoder(source: source, place: rootKey.map { "/\(pointerToken(Array($0.utf8)))" } ?? "")
    var cursor = try JSONCursor(text, name: source)
    if let rootKey {
      var isFound = false
      try cursor.object { (name, cursor) throws(RemoraError) in
        guard name.utf8.elementsEqual(rootKey.utf8) else {
          _ = try cursor.value()
          return
        }
        isFound = true
        try cursor.object("the member \"\(rootKey)\"") { (name, cursor) throws(RemoraError) in
          try decoder.append(name, cursor.value())
        }
      }
      guard isFound else { throw .format(source, "has no member \"\(rootKey)\"") }
    } else {
      try cursor.object { (name, cursor) throws(RemoraError) in try decoder.append(name, cursor.value()) }
    }
    try cursor.end()
    return try decoder.finish()
  }
}

/// The members of a dictionary, as entries.
private struct SettingsDecoder: ~Copyable {
  let source: String
  /// The JSON Pointer of the dictionary.
  let place: String
  private var encoder = EntryEncoder(leaving: ImageFormat.headerSize)
  private var ranges: [EntryRange] = []
  private var warnings: [String] = []

  init(source: String, place: String) {
    self.source = source
    self.place = place
  }

  /// Adds a member. An empty name is skipped, because a host could not read such a key.
  mutating func append(_ name: String, _ value: consuming ParsedJSON) throws(RemoraError) {
    guard !name.isEmpty else {
      warnings.append("\(source) has an empty key, which is ignored")
      return
    }
    ranges.append(try name.withBytes { key throws(RemoraError) in try encoder.append(key: key, value) })
  }

  /// Returns all entries, sorted by key.
  consuming func finish() throws(RemoraError) -> Document {
    let (ranges, source, place) = (ranges, source, place)
    var warnings = warnings
    guard !ranges.isEmpty else {
      return Document(
        version: 0, signatures: [], entries: [], hasFilters: false, removed: [], memory: nil, warnings: warnings)
    }
    let memory = try EntryMemory(encoder)
    var entries = ranges.compactMap {
      Entry(at: UInt32(truncatingIfNeeded: $0.offset), in: UnsafePointer(memory.region))
    }
    entries.sort { compareBytes($0.key, $1.key) < 0 }
    if let experiments = entries.first(where: \.holdsExperiments) {
      var found = DocumentWarnings(of: source)
      Experiments(experiments.value).judge(at: "\(place)/\(Experiments.key)", &found)
      warnings += found.sentences
    }
    return Document(
      version: 0, signatures: [], entries: entries, hasFilters: false, removed: [], memory: memory, warnings: warnings)
  }
}

extension Entry {
  fileprivate var holdsExperiments: Bool {
    let wanted = Experiments.key
    return compareBytes(key, UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)) == 0
  }
}
