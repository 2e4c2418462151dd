// SPDX-License-Identifier: Apache-2.0
//
// The option --schema of publish and check: JSON Schemas for the records of collections, checked as clients check them.

internal import Remora

let schemaArgument = Option(
  name: "schema", value: "[NAME=]FILE",
  help: "JSON Schema for the records of BUCKET/COLLECTION, or of all collections; may be repeated")

/// The schemas that the options name.
struct GivenSchemas {
  private var schemas: [(collection: String?, schema: Schema)] = []

  init(_ arguments: Arguments) throws(RemoraError) {
    for text in arguments.all("schema") {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      let isNamed = parts.count == 2 && parts[0].split(separator: "/").count == 2
      let file = isNamed ? parts[1] : text
      do throws(RemoraError) {
        schemas.append((isNamed ? parts[0] : nil, try Schema(json: try readFile(file, limit: 1 << 20))))
      } catch {
        guard error.code == .invalidArgument else { throw error }
        throw .usage("--schema \(file): the schema \(error.message.dropFirst("schema ".count))")
      }
    }
  }

  /// The names of collections that have a schema of their own.
  var collections: [String] { schemas.compactMap(\.collection) }

  /// The keywords of all schemas that have no effect.
  var unknownKeywords: [String] { Set(schemas.flatMap(\.schema.unknownKeywords)).sorted() }

  /// Returns a sentence for each record that violates a schema of its collection.
  func problems(_ name: CollectionName, _ records: [Record]) throws(RemoraError) -> [String] {
    let wanted = schemas.filter { $0.collection == nil || $0.collection == "\(name)" }.map(\.schema)
    guard !wanted.isEmpty else { return [] }
    var problems: [String] = []
    for record in records {
      let text = try record.text(lastModified: 0)
      if let problem = try violation(of: text, by: wanted) {
        problems.append("the record \(record.id) is not valid: \(problem)")
      }
    }
    return problems
  }

  private func violation(of record: [UInt8], by schemas: [Schema]) throws(RemoraError) -> String? {
    try record.withBytes { bytes throws(RemoraError) -> String? in
      try withCompiled(try ParsedJSON(text: bytes, named: "the record")) { value throws(RemoraError) -> String? in
        for schema in schemas { if let problem = try schema.violation(ofRecord: value) { return problem } }
        return nil
      }
    }
  }

  /// Checks all records of a folder that is to be published.
  ///
  /// - Throws: `.schema` with the first problem and the number of others; `.invalidArgument` for a name in an option
  ///   that no collection has.
  func require(_ folder: SourceFolder) throws(RemoraError) {
    for name in collections where !folder.collections.contains(where: { "\($0.name)" == name }) {
      throw .usage("--schema names \(name), which FOLDER does not have")
    }
    var problems: [String] = []
    for collection in folder.collections {
      problems += try self.problems(collection.name, collection.records).map { "\(collection.name): \($0)" }
    }
    guard let first = problems.first else { return }
    let others = problems.count > 1 ? "; \(counted(problems.count - 1, "other record")) too" : ""
    throw RemoraError(.schema, first + others)
  }
}
