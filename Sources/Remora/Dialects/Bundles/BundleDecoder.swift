// SPDX-License-Identifier: Apache-2.0
//
// Decodes a bundle: strict about the document, lenient about its elements and their fields. An element that removes its
// namespace becomes a null, so that later readers of the image see the removal.

/// The decoded content of a bundle, before any check of whether it may be used.
struct BundleContent: ~Copyable {
  /// The version, if the bundle has one.
  var version: Int64?
  /// Whether the bundle names its schema; if so, the schema is an accepted one.
  var hasSchema = false
  var hasBundle = false
  var elements: BundleElements

  /// Decodes a whole document.
  ///
  /// - Parameter source: The name of the document in messages: "the bundle".
  /// - Throws: `.parse`, `.format` or `.tooLarge`, naming the place.
  init(
    _ text: DocumentText, _ schema: BundleSchema, named source: String, keepsRemoved: Bool = false
  ) throws(RemoraError) {
    elements = BundleElements(keepsRemoved: keepsRemoved)
    var cursor = try JSONCursor(text, name: source)
    if text.bytes.first(where: { !isSpace($0) }) == UInt8(ascii: "["), keepsRemoved {
      try read(&cursor, at: "", source)
    } else {
      try cursor.object { (name, cursor) throws(RemoraError) in
        switch name {
        case "$schema":
          let text = try cursor.value().read { $0.string }
          guard let text else { throw .format("$schema of \(source)", "is not a string") }
          guard schema.accepts(text) else {
            throw .format("$schema of \(source)", "does not match http(s)://\(schema.prefix)R-A, with numbers R and A")
          }
          hasSchema = true
        case "configurationVersion":
          let number = try cursor.value().read { $0.wholeNumber }
          guard let number else { throw .format("configurationVersion of \(source)", "is not a 64-bit integer") }
          version = number
        case "configurationBundle":
          try read(&cursor, at: "/configurationBundle", source)
        default:
          _ = try cursor.value()
        }
      }
    }
    try cursor.end()
    guard hasBundle else { throw .format(source, "has no configurationBundle") }
  }

  /// Returns the elements as a document of `version`.
  consuming func intoDocument(version: Int64) throws(RemoraError) -> Document {
    try elements.document(version: version)
  }

  private mutating func read(_ cursor: inout JSONCursor, at place: String, _ source: String) throws(RemoraError) {
    try cursor.array("configurationBundle") { (element, index) throws(RemoraError) in
      try elements.append(element, at: "\(place)/\(index)")
    }
    hasBundle = true
  }
}

/// The elements of a bundle, as entries.
struct BundleElements: ~Copyable {
  /// Whether elements without a network configuration are kept unchanged: they are defaults of other elements'
  /// properties.
  private let keepsRemoved: Bool
  private var encoder = EntryEncoder(leaving: ImageFormat.headerSize)
  private var found: [[UInt8]: (range: EntryRange, isRemoved: Bool)] = [:]
  private(set) var warnings = DocumentWarnings(of: "the bundle")
  /// The position of the next accepted element.
  private var next: UInt32 = 0
  /// The first namespace.
  private(set) var first: [UInt8]?
  /// The namespaces that are not removed.
  private(set) var active: Set<[UInt8]> = []

  init(keepsRemoved: Bool) { self.keepsRemoved = keepsRemoved }

  /// Adds an element, or skips it with a warning.
  mutating func append(_ element: borrowing ParsedJSON, at place: String) throws(RemoraError) {
    let namespace = try element.read { view throws(RemoraError) -> (name: [UInt8], isRemoved: Bool)? in
      guard let name = namespaceName(of: view, at: place, &warnings) else { return nil }
      return (name, try !cleanElement(view, at: place, &warnings))
    }
    guard let (name, isRemoved) = namespace else { return }
    if found[name] != nil { warnings.add(place, "has a namespace that occurs twice; the last element with it is used") }
    let position = next
    next &+= 1
    let range: EntryRange
    if isRemoved, !keepsRemoved {
      let null = try ParsedJSON.null()
      range = try name.withBytes { key throws(RemoraError) in try encoder.append(key: key, null, position: position) }
    } else {
      range = try name.withBytes { key throws(RemoraError) in
        try encoder.append(key: key, element, position: position)
      }
    }
    found[name] = (range, isRemoved)
    if isRemoved { active.remove(name) } else { active.insert(name) }
    if first == nil { first = name }
  }

  /// Returns all entries, sorted by key.
  consuming func document(version: Int64) throws(RemoraError) -> Document {
    let (found, active, warnings) = (found, active, warnings.sentences)
    guard !found.isEmpty else {
      return Document(
        version: version, signatures: [], entries: [], hasFilters: false, removed: [], memory: nil, warnings: warnings)
    }
    let memory = try EntryMemory(encoder)
    var entries = found.values.compactMap {
      Entry(at: UInt32(truncatingIfNeeded: $0.range.offset), in: UnsafePointer(memory.region))
    }
    entries.sort { compareBytes($0.key, $1.key) < 0 }
    return Document(
      version: version, signatures: [], entries: entries, hasFilters: active.count < found.count, removed: [],
      memory: memory, warnings: warnings)
  }
}
