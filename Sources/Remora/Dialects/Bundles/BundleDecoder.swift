// SPDX-License-Identifier: Apache-2.0
//
// Decodes a bundle: strict about the document, lenient about its elements and their fields. An element that removes its
// namespace becomes a null, so that later readers of the image see the removal.

/// The content of a bundle, before any check of whether it may be used.
struct BundleContent: DocumentContent, ~Copyable {
  private let schema: BundleSchema
  /// The name of the document in messages: "the bundle".
  private let source: String
  /// Whether the document may be the array of elements alone, as default bundles may be.
  private let acceptsArray: Bool
  /// The JSON Pointer of the array of elements.
  private var place = "/configurationBundle"
  /// The version, if the bundle has one.
  private(set) var version: Int64?
  /// Whether the bundle names its schema; if so, the schema is an accepted one.
  private var hasSchema = false
  private var hasBundle = false
  private(set) var elements: BundleElements

  init(_ schema: BundleSchema, named source: String, isDefault: Bool = false) {
    (self.schema, self.source, acceptsArray) = (schema, source, isDefault)
    elements = BundleElements(keepsRemoved: isDefault)
  }

  /// Decodes a complete default bundle.
  ///
  /// - Parameter source: The name of the document in messages.
  /// - Throws: `.parse`, `.format` or `.tooLarge`, naming the place.
  init(
    ofDefault bytes: UnsafeRawBufferPointer, _ schema: BundleSchema, named source: String
  ) throws(RemoraError) {
    self.init(schema, named: source, isDefault: true)
    try JSONReader.read(bytes, named: source, &self)
    try requireBundle()
  }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    switch (place, type) {
    case (.document, .object): return true
    case (.document, .array) where acceptsArray: self.place = ""
    case (.member("configurationBundle", level: 1), .array): break
    default: return false
    }
    hasBundle = true
    return true
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .element(let index, _): try elements.append(value, at: "\(self.place)/\(index)")
    case .member("$schema", _):
      guard let text = value.read({ $0.string }) else { throw .format("$schema of \(source)", "is not a string") }
      guard schema.accepts(text) else {
        throw .format(
          "$schema of \(source)",
          "is not http(s)://\(schema.prefix)<number>-<number>; set accepted_schema to accept another schema")
      }
      hasSchema = true
    case .member("configurationVersion", _):
      guard let number = value.read({ $0.wholeNumber }) else {
        throw .format("configurationVersion of \(source)", "is not a 64-bit integer")
      }
      version = number
    case .member("configurationBundle", _):
      throw .format("configurationBundle of \(source)", "is not an array")
    case .member: break
    case .document: throw .format(source, "is not a JSON object")
    }
  }

  consuming func document() throws(RemoraError) -> Document {
    try requireBundle()
    guard hasSchema else { throw .format(source, "has no $schema") }
    guard let version else { throw .format(source, "has no configurationVersion") }
    return try elements.document(version: version)
  }

  /// Returns the elements as a document of `version`.
  consuming func document(version: Int64) throws(RemoraError) -> Document {
    try elements.document(version: version)
  }

  private borrowing func requireBundle() throws(RemoraError) {
    guard hasBundle else { throw .format(source, "has no configurationBundle") }
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
    if found[name] != nil { warnings.add(place, "has the namespace of an earlier element, which is ignored") }
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
    let entries = memory.sortedEntries(at: found.values.map(\.range))
    return Document(
      version: version, signatures: [], entries: entries, hasFilters: active.count < found.count, removed: [],
      memory: memory, warnings: warnings)
  }
}
