// SPDX-License-Identifier: Apache-2.0
//
// A record without its time. Two records with equal members are the same version of a record.

internal import Remora

/// The id of a record. Ids are compared by their bytes, as clients do; texts of Swift are equal in more cases.
struct RecordID: Hashable, Comparable, CustomStringConvertible {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether clients accept the id. They refuse a whole changeset for one that they do not, even of a tombstone.
  var isReadable: Bool { !bytes.isEmpty && !bytes.contains(0) }

  static func < (left: RecordID, right: RecordID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

/// A record of a collection.
struct Record: Equatable {
  let id: RecordID
  /// All members except `last_modified` and `attachment`.
  private var members: CanonicalObject
  var attachment: RecordAttachment?

  /// Reads a record.
  ///
  /// - Parameters:
  ///   - id: The id of a record that states none; nil requires one.
  ///   - index: The index of the record in the document, which names it in messages until its id is known.
  ///   - document: The name of the document in messages.
  /// - Throws: `.format`; also for a float, unless `allowsFloats`.
  init(
    _ value: Value, id known: String? = nil, at index: Int? = nil, of document: String, allowsFloats: Bool = true
  ) throws(RemoraError) {
    let place = index.map { "the record at index \($0) of \(document)" } ?? document
    guard value.type == .object else { throw .format(place, "is not an object") }
    let stated = value.member("id")
    guard stated == nil || stated?.type == .string else { throw .format(place, "has an id that is not a string") }
    let text = stated?.string.map { String(decoding: $0, as: UTF8.self) }
    guard let text = text ?? known, !text.isEmpty else { throw .format(place, "has no id") }
    let id = RecordID(text)
    if let known, RecordID(known) != id { throw .format(place, "has the id \"\(id)\" instead of \"\(known)\"") }
    if value.member("deleted")?.bool == true { throw .format("record \(id) of \(document)", "is marked as deleted") }
    if !allowsFloats, let pointer = pointerToFloat(in: value) {
      throw .format(
        "record \(id) of \(document)",
        "has a number that is not an integer at \(pointer), which not all clients verify; use --allow-floats if yours do"
      )
    }
    self.id = id
    attachment = try RecordAttachment(of: value)
    members = try CanonicalObject(value)
    members.set("last_modified", nil)
    if attachment != nil { members.set("attachment", nil) }
    try members.set("id", string: text)
  }

  /// Returns the JSON text of the record.
  func text(lastModified: Int64) throws(RemoraError) -> [UInt8] {
    var object = members
    object.set("last_modified", lastModified)
    if let attachment { object.set("attachment", try attachment.text) }
    return try object.text
  }
}

/// The member `attachment` of a record.
struct RecordAttachment: Equatable {
  /// The SHA-256 in lower-case hexadecimal digits; nil if the record states none yet.
  private(set) var sha256: String?
  /// In bytes; nil if the record states none yet.
  private(set) var size: Int64?
  /// The members as the record states them.
  private var members = CanonicalObject()

  /// Describes a file that the record does not mention.
  init() {}

  /// Reads the member; nil if the record has no attachment.
  fileprivate init?(of record: Value) throws(RemoraError) {
    guard let value = record.member("attachment"), value.type == .object else { return nil }
    members = try CanonicalObject(value)
    sha256 = AttachmentMetadata.sha256(ofRecord: record)
    size = value.member("size")?.int
  }

  /// Sets what clients need to know of the content. Names that the record states are kept.
  ///
  /// - Parameter size: Nil for an attachment that was published before, whose size is set later.
  mutating func describe(sha256: String, size: Int64?, name: String) throws(RemoraError) {
    (self.sha256, self.size) = (sha256, size)
    try members.set("hash", string: sha256)
    try members.set("location", string: sha256)
    if let size { set(size: size) }
    if !members.has("filename") { try members.set("filename", string: name) }
    if !members.has("mimetype") { try members.set("mimetype", string: "application/octet-stream") }
  }

  mutating func set(size: Int64) {
    self.size = size
    members.set("size", size)
  }

  /// Sets the location of an attachment that was published before.
  ///
  /// - Throws: `.format` if the record does not state its hash, so that the file is needed.
  mutating func locate(orExpect file: String, _ id: RecordID, of collection: CollectionName) throws(RemoraError) {
    guard let sha256 else {
      throw .format("record \(id) of \(collection)", "has an attachment without a hash, and \(file) does not exist")
    }
    try describe(sha256: sha256, size: size, name: "\(id)")
  }

  var text: [UInt8] { get throws(RemoraError) { try members.text } }
}

/// Returns the JSON Pointer of the first float in a value; nil without one.
private func pointerToFloat(in value: Value) -> String? {
  switch value.type {
  case .double: return ""
  case .array:
    for index in 0..<value.count {
      if let element = value.element(at: index), let rest = pointerToFloat(in: element) { return "/\(index)\(rest)" }
    }
  case .object:
    for index in 0..<value.count {
      guard let (name, member) = value.member(at: index), let rest = pointerToFloat(in: member) else { continue }
      return "/\(String(decoding: name, as: UTF8.self))\(rest)"
    }
  default: break
  }
  return nil
}
