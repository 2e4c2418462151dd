// SPDX-License-Identifier: Apache-2.0
//
// What must hold for any document: canonical text is a fixed point, and a diff applied is the other document.

import CJansson
import Testing

@testable import Remora

@Suite("Canonical JSON of random documents")
struct CanonicalPropertyTests {
  @Test("two thousand random documents keep their value when they are written as canonical JSON")
  func fixedPoint() throws {
    var random = RandomJSON(seed: 20_261_120)
    for _ in 0..<2000 {
      let json = random.value()
      let text = try canonical(json)
      #expect(try canonical(text) == text, "\(json)")
      #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
      #expect(isSameJSON(json, text), "\(json) became \(text)")
    }
  }

  @Test("the changes between two random documents, applied to the first, result in the second")
  func diffApplied() throws {
    var random = RandomJSON(seed: 42)
    for _ in 0..<1000 {
      let (old, new) = try (makeSnapshot(random.object()), makeSnapshot(random.object()))
      var members: [[UInt8]: String] = [:]
      for index in 0..<old.count {
        let entry = try #require(old.reader.pointee.entry(at: index))
        members[Array(entry.key)] = try text(of: entry.value)
      }
      var keys: [[UInt8]] = []
      diff(old.reader.pointee, new.reader.pointee) { change in
        keys.append(Array(change.key))
        members[Array(change.key)] = change.new.flatMap { try? text(of: $0) }
        return true
      }
      #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
      let applied = try members.map { "\(try quoted($0)):\($1)" }.joined(separator: ",")
      #expect(try makeSnapshot("{\(applied)}").text() == new.text())
      diff(old.reader.pointee, old.reader.pointee) { _ in
        Issue.record("a document differs from itself")
        return true
      }
      withExtendedLifetime((old, new)) {}
    }
  }

  @Test("merging a diff into a collection has the same result as a simple reference implementation")
  func merge() throws {
    var random = RandomJSON(seed: 7)
    for _ in 0..<300 {
      func record(_ id: Int) -> String { #"{"id":"\#(id)","last_modified":1,"x":\#(random.value(depth: 2))}"# }
      var before: [Int: String] = [:]
      for _ in 0..<random.below(12) {
        let id = random.below(12)
        before[id] = record(id)
      }
      var after = before
      var changes: [Int: String] = [:]
      for _ in 0..<random.below(8) {
        let id = random.below(16)
        let isRemoved = random.below(3) == 0
        after[id] = isRemoved ? nil : record(id)
        changes[id] = after[id] ?? #"{"id":"\#(id)","deleted":true}"#
      }
      let base = try image(of: before.values)
      let merged = try decoded(changes.values) { Draft(merging: $0, onto: base) }
      let expected = try image(of: after.values)
      #expect(merged.hasSameEntries(as: expected))
      let written = try writeImage(expected.metadata, entries: merged.entries.map(ImageEntry.own))
      #expect(written.buffer.bytes.elementsEqual(expected.buffer.bytes))
      withExtendedLifetime(merged) {}
    }
  }

  private func image(of records: some Sequence<String>) throws -> Image {
    let metadata = ImageMetadata(identity: "test", version: 1, fetchedAtMs: 1)
    let draft = try decoded(records) { Draft(full: $0) }
    return try withExtendedLifetime(draft) { try writeImage(metadata, entries: draft.entries.map(ImageEntry.own)) }
  }

  private func decoded(_ changes: some Sequence<String>, _ use: (Document) -> Draft) throws -> Draft {
    let body = #"{"changes":[\#(changes.joined(separator: ","))],"timestamp":1,"metadata":{}}"#
    return use(
      try Array(body.utf8).withBytes { (bytes) throws(RemoraError) in
        try decodeCollection(bytes, .changeset, named: "the changeset")
      })
  }

  private func quoted(_ key: [UInt8]) throws -> String {
    var buffer = ByteBuffer()
    try key.withBytes { (bytes) throws(RemoraError) in try buffer.appendCanonical(string: bytes) }
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

/// The canonical text of a value.
func text(of value: Value) throws -> String {
  var buffer = ByteBuffer()
  try buffer.appendCanonical(value)
  return String(decoding: buffer.bytes, as: UTF8.self)
}

/// Whether jansson, asked directly, takes both texts for the same value.
func isSameJSON(_ left: String, _ right: String) -> Bool {
  let flags = size_t(JSON_DECODE_ANY | JSON_ALLOW_NUL)
  guard let one = json_loadb(left, left.utf8.count, flags, nil) else { return false }
  defer { json_decref(one) }
  guard let two = json_loadb(right, right.utf8.count, flags, nil) else { return false }
  defer { json_decref(two) }
  return json_equal(one, two) == 1
}
