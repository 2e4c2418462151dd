// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Remora

@Suite("A key that caches the values it has read")
struct CachedKeyTests {
  @Test("a value is cached by the first read, until another snapshot is published")
  func publication() throws {
    try withKey("size", in: #"{"size":5}"#) { cell, key in
      #expect(key.cachedInt == nil)
      #expect(key.readInt() == 5)
      #expect(key.cachedInt == 5)
      cell.publish(try makeSnapshot(#"{"size":6}"#))
      #expect(key.cachedInt == nil)
      #expect(key.readInt() == 6)
      #expect(key.cachedInt == 6)
    }
  }

  @Test("each type of value is cached separately, and zero and false are cached as well")
  func types() throws {
    try withKey("item", "/value", in: #"{"item":{"value":0}}"#) { cell, key in
      #expect(key.readInt() == 0)
      #expect(key.readDouble() == 0)
      #expect(key.cachedInt == 0 && key.cachedDouble == 0)
      #expect(key.readBool() == nil && key.cachedBool == nil)
      cell.publish(try makeSnapshot(#"{"item":{"value":false}}"#))
      #expect(key.readBool() == false)
      #expect(key.cachedBool == false && key.cachedInt == nil)
    }
  }

  @Test("a missing value is not cached")
  func missing() throws {
    try withKey("other", in: #"{"size":5}"#) { _, key in
      #expect(key.readInt() == nil && key.cachedInt == nil)
      #expect(key.readString { $0.count } == nil && key.cachedString { $0.count } == nil)
    }
  }

  @Test("a string of at most 64 bytes is cached, also an empty one, and a longer one is read each time")
  func strings() throws {
    for count in [0, 1, 7, 8, 9, 63, 64, 65, 1000] {
      let text = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
      try withKey("name", in: #"{"name":"\#(text)"}"#) { _, key in
        var read: [UInt8] = []
        let copy = { (bytes: UnsafeRawBufferPointer) in
          read = Array(bytes)
          return bytes.count
        }
        #expect(key.readString(copy) == count)
        #expect(read == Array(text.utf8))
        read = []
        #expect(key.cachedString(copy) == (count <= 64 ? count : nil))
        #expect(read == (count <= 64 ? Array(text.utf8) : []))
      }
    }
  }

  @Test("only a value that differs from the one counted last counts as changed")
  func changes() throws {
    try withKey("size", in: #"{"size":5}"#) { cell, key in
      #expect(key.countChanges() == 0)
      for (document, expected) in [
        (#"{"size":5,"other":1}"#, Int64(0)), (#"{"size":6}"#, 1), (#"{"size":6}"#, 1), ("{}", 2), (#"{"size":6}"#, 3),
      ] {
        cell.publish(try makeSnapshot(document))
        #expect(key.cachedChangeCount == nil)
        #expect(key.countChanges() == expected)
        #expect(key.cachedChangeCount == expected)
      }
    }
  }

  @Test("a value that is back when it is counted next counts as unchanged")
  func changeAndBack() throws {
    try withKey("size", in: #"{"size":5}"#) { cell, key in
      cell.publish(try makeSnapshot(#"{"size":6}"#))
      cell.publish(try makeSnapshot(#"{"size":5}"#))
      #expect(key.countChanges() == 0)
    }
  }

  private func withKey(
    _ name: String, _ pointer: String? = nil, in document: String,
    _ body: (LiveCell, borrowing CachedKey) throws -> Void
  ) throws {
    let cell = LiveCell(try makeSnapshot(document))
    defer { cell.destroy() }
    let path = pointer.flatMap { strdup($0) }
    defer { free(path) }
    guard let key = CachedKey(cell, key: name, pointer: path) else { throw RemoraError(.unavailable, name) }
    try body(cell, key)
  }
}
