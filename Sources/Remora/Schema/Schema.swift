// SPDX-License-Identifier: Apache-2.0
//
// A JSON Schema that fetched data must satisfy. The versions and keywords that are supported are listed in
// docs/safe-rollouts.md.

/// A compiled JSON Schema.
///
/// `@unchecked Sendable`: nothing changes after the initializer, and the values of the schema are in its own memory.
package final class Schema: @unchecked Sendable {
  /// The maximum length of a schema, in bytes.
  private static let mostBytes = 1 << 20

  private let nodes: [SchemaNode]
  /// The values that the nodes refer to.
  private let memory: ImageBuffer
  /// The members of a record that Remora or a server adds, unless `properties` names them.
  private let hiddenOfRecords: [[UInt8]]
  /// The keywords that have no effect because they are not known, sorted.
  package let unknownKeywords: [String]
  /// The text of the schema, to compare two of them.
  package let text: [UInt8]

  /// Compiles a schema.
  ///
  /// - Throws: `.invalidArgument` for `schema`, which names the keyword or the place.
  package init(json text: [UInt8]) throws(RemoraError) {
    guard text.count <= Self.mostBytes else { throw schemaProblem("is longer than \(Self.mostBytes) bytes") }
    self.text = text
    do throws(RemoraError) {
      let offset: Int
      (memory, offset) = try compile(text)
      guard let entry = Entry(at: UInt32(truncatingIfNeeded: offset), in: memory.region) else {
        throw .bug("a schema could not be converted")
      }
      let compiler = try SchemaCompiler(entry.value)
      (nodes, unknownKeywords) = (compiler.nodes, compiler.unknown.sorted())
      let named = entry.value.member("properties")
      hiddenOfRecords = ["id", "last_modified", "schema"].map { Array($0.utf8) }.filter { name in
        name.withBytes { named?.member(named: $0) } == nil
      }
    } catch {
      throw error.code == .invalidArgument ? error : schemaProblem("is not JSON: \(error.message)")
    }
  }

  /// Checks one record of a collection. The members `id`, `last_modified` and `schema` are checked only if the schema
  /// has properties of these names.
  ///
  /// - Returns: The violation; nil if there is none.
  /// - Throws: `.schema` if the check takes too many steps.
  package func violation(ofRecord value: Value) throws(RemoraError) -> String? {
    try violation(of: .value(value), hiding: hiddenOfRecords, value.node)
  }

  package func violation(of value: Value) throws(RemoraError) -> String? {
    try violation(of: .value(value), hiding: [], nil)
  }

  /// Checks a dictionary whose values are sorted by their keys.
  package func violation(ofDictionary entries: [Entry]) throws(RemoraError) -> String? {
    try violation(of: .dictionary(entries[...]), hiding: [], nil)
  }

  /// Checks the entries of a document, or its dictionary.
  ///
  /// - Returns: A sentence with the first violation; nil if there is none.
  /// - Throws: `.schema` if the check takes too many steps.
  func problem(of draft: Draft, of dialect: any Dialect) throws(RemoraError) -> String? {
    guard dialect.label.kind != .settings else {
      let entries = draft.entries.filter { $0.value.type != .null }
      return try violation(ofDictionary: entries).map { "the dictionary is not valid: \($0)" }
    }
    let isRecord = dialect.label.kind == .collection
    for entry in draft.documentEntries where entry.value.type != .null {
      let found = isRecord ? try violation(ofRecord: entry.value) : try violation(of: entry.value)
      if let found { return "the \(isRecord ? "record" : "namespace") \(shown(entry.key)) is not valid: \(found)" }
    }
    return nil
  }

  private func violation(
    of instance: SchemaInstance, hiding names: [[UInt8]], _ root: UnsafeRawPointer?
  ) throws(RemoraError) -> String? {
    do throws(SchemaLimit) {
      var check = SchemaCheck(nodes, hiding: names, of: root, isTraced: false)
      if try check.isValid(instance, 0) { return nil }
      var traced = SchemaCheck(nodes, hiding: names, of: root, isTraced: true)
      _ = try traced.isValid(instance, 0)
      let place = traced.violation?.pointer ?? ""
      return
        "the value\(place.isEmpty ? "" : " at \(printable(place))") violates \(printable(traced.violation?.keyword ?? "#"))"
    } catch {
      throw RemoraError(.schema, "the check of the schema needs too many \(error == .steps ? "steps" : "levels")")
    }
  }
}

/// Returns the memory of a parsed JSON text, and the offset of its entry.
private func compile(_ text: [UInt8]) throws(RemoraError) -> (ImageBuffer, offset: Int) {
  try text.withBytes { bytes throws(RemoraError) in
    let parsed = try ParsedJSON(text: bytes, named: "the schema")
    var encoder = EntryEncoder()
    let range = try [UInt8]().withBytes { key throws(RemoraError) in try encoder.append(key: key, parsed) }
    return (try encoder.finish(), range.offset)
  }
}
