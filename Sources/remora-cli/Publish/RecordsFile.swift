// SPDX-License-Identifier: Apache-2.0
//
// Reads records: from a file that somebody edits, or from a changeset.

internal import Remora

/// The records in a file: an array, or an object with the array as its member `data`, such as a file of `remora dump`.
struct RecordsFile: JSONVisitor {
  /// The name of the file in messages.
  private let path: String
  private let collection: CollectionName
  private let allowsFloats: Bool
  private var hasArray = false
  private(set) var records: [Record] = []

  /// - Throws: `.storage`, `.parse`, `.format`, `.tooLarge`, naming the file.
  init(_ path: String, of collection: CollectionName, allowsFloats: Bool) throws(RemoraError) {
    (self.path, self.collection, self.allowsFloats) = (path, collection, allowsFloats)
    let bytes = try readFile(path, limit: PackagedData.maximumBytes)
    do throws(RemoraError) {
      try bytes.withBytes { bytes throws(RemoraError) in try JSONReader.read(bytes, named: path, &self) }
    } catch {
      throw inLines(error, of: path, bytes)
    }
    guard hasArray else {
      throw .format(path, "has no array of records: neither as the document nor as its member data")
    }
  }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    switch place {
    case .document where type == .object: return true
    case .document, .member("data", level: 1):
      hasArray = type == .array
      return hasArray
    default: return false
    }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .element(let index, _):
      let (path, allowsFloats) = (path, allowsFloats)
      records.append(
        try withCompiled(value) { value throws(RemoraError) in
          try Record(value, at: index, of: path, allowsFloats: allowsFloats)
        })
    case .member("metadata", _):
      let names = value.read { [$0.member("bucket")?.string, $0.member("id")?.string] }
      guard
        (names[0] ?? collection.bucket, names[1] ?? collection.collection) == (collection.bucket, collection.collection)
      else { throw .format(path, "belongs to another collection (metadata.bucket and metadata.id)") }
    default: break
    }
  }

  /// Reads a file with a single record, whose id is the name of the file.
  static func record(_ path: String, id: String, allowsFloats: Bool) throws(RemoraError) -> Record {
    let bytes = try readFile(path, limit: PackagedData.maximumBytes)
    do throws(RemoraError) {
      return try bytes.withBytes { bytes throws(RemoraError) in
        try withCompiled(ParsedJSON(text: bytes, named: path)) { value throws(RemoraError) in
          try Record(value, id: id, of: path, allowsFloats: allowsFloats)
        }
      }
    } catch {
      throw inLines(error, of: path, bytes)
    }
  }
}

/// Returns a syntax error with a line and a column, which editors show, in place of the number of a byte.
private func inLines(_ error: RemoraError, of path: String, _ bytes: [UInt8]) -> RemoraError {
  var words = error.message.dropFirst(path.count).split(separator: " ", omittingEmptySubsequences: false).map(
    String.init)
  guard error.code == .parse, error.message.hasPrefix(path), let place = words.firstIndex(of: "byte"),
    words.indices.contains(place + 1), let offset = Int(words[place + 1].dropLast())
  else { return error }
  let before = bytes.prefix(offset)
  let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  // Characters, not the bytes that continue them.
  let column = 1 + (line.last ?? []).count { $0 & 0xC0 != 0x80 }
  words[place] = "line"
  words[place + 1] = "\(line.count), column \(column)\(words[place + 1].suffix(1))"
  return RemoraError(.parse, path + words.joined(separator: " "))
}

/// The records and tombstones of a changeset.
struct ChangesetRecords: JSONVisitor {
  /// The name of the changeset in messages.
  private let name: String
  private(set) var records: [(record: Record, lastModified: Int64)] = []
  private(set) var tombstones: [RecordID: Int64] = [:]
  /// Of the changeset; nil if it states none.
  private(set) var timestamp: Int64?
  /// The members `bucket` and `id` of the metadata.
  private var names: [String?] = []

  init(_ bytes: [UInt8], named name: String) throws(RemoraError) {
    self.name = name
    try bytes.withBytes { bytes throws(RemoraError) in try JSONReader.read(bytes, named: name, &self) }
  }

  /// Whether the changeset states that it is that of a collection. The names are not signed, and clients accept a
  /// changeset without them.
  func belongs(to name: CollectionName) -> Bool { names == [name.bucket, name.collection] }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    switch place {
    case .document: type == .object
    case .member("changes", level: 1): type == .array
    default: false
    }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    switch place {
    case .element(let index, _):
      let time = value.read { $0.member("last_modified")?.int } ?? 0
      if value.read({ $0.member("deleted")?.isTrue }) == true {
        let id = value.read({ $0.member("id")?.string }).map(RecordID.init)
        if let id, id.isReadable { tombstones[id] = time }
        return
      }
      let name = name
      let record = try withCompiled(value) { value throws(RemoraError) in try Record(value, at: index, of: name) }
      records.append((record, time))
    case .member("timestamp", _): timestamp = value.read { $0.int }
    case .member("metadata", _): names = value.read { [$0.member("bucket")?.string, $0.member("id")?.string] }
    default: break
    }
  }
}
