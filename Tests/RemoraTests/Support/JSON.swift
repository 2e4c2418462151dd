// SPDX-License-Identifier: Apache-2.0
//
// Compiles JSON text to entries, images and snapshots for tests.

@testable import Remora

/// The image of an object's members, sorted by name.
func makeImage(
  _ json: String, identity: String = "test", version: Int64 = 1, generation: UInt64 = 0
) throws -> Image {
  var members = Members()
  let bytes = Array(json.utf8)
  try bytes.withBytes { bytes throws(RemoraError) in
    try JSONReader.read(bytes, named: "the test document", &members)
  }
  let ranges = members.ranges.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  let metadata = ImageMetadata(
    identity: identity, version: version, fetchedAtMs: 0, generation: generation)
  guard !ranges.isEmpty else { return try writeImage(metadata, entries: []) }
  let memory = try members.finish()
  let entries = ranges.compactMap { Entry(at: UInt32($0.range.offset), in: memory.region) }
  let image = try withExtendedLifetime(memory) { try writeImage(metadata, entries: entries.map(ImageEntry.own)) }
  return image
}

/// The members of an object, as entries.
private struct Members: JSONVisitor, ~Copyable {
  private var encoder = EntryEncoder()
  private(set) var ranges: [(key: [UInt8], range: EntryRange)] = []

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    if case .document = place { type == .object } else { false }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    guard case .member(let name, _) = place else { throw .format("the test document", "is not a JSON object") }
    let range = try name.withBytes { key throws(RemoraError) in try encoder.append(key: key, value) }
    ranges.append((Array(name.utf8), range))
  }

  consuming func finish() throws(RemoraError) -> ImageBuffer { try encoder.finish() }
}

/// A snapshot of an object's members.
func makeSnapshot(_ json: String) throws -> Snapshot { Snapshot(base: try makeImage(json), origin: .fetched) }

/// The canonical JSON of a text, by way of an image.
func canonical(_ json: String) throws -> String {
  let snapshot = try makeSnapshot("{\"k\":\(json)}")
  return try withExtendedLifetime(snapshot) {
    guard let value = snapshot.value("k") else { throw RemoraError(.notFound, "k") }
    var buffer = ByteBuffer()
    try buffer.appendCanonical(value)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

extension Snapshot {
  /// The value of a key; valid while the snapshot lives.
  func value(_ key: String) -> Value? {
    key.withBytes { reader.pointee.entry($0)?.value }
  }

  /// What a JSON Pointer finds in the value of a key.
  func value(_ key: String, _ pointer: String) -> Value? {
    guard case .found(let value)? = pointer.withBytes({ value(key)?.at(pointer: $0) }) else {
      return nil
    }
    return value
  }

  /// All of it as text.
  func text() throws -> String {
    var buffer = ByteBuffer()
    try appendCanonical(to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
