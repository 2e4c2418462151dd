// SPDX-License-Identifier: Apache-2.0
//
// Images that lie with a right checksum, about counts, places and ends: who reads them stays inside, and ends.

import Testing

@testable import Remora

@Suite("Forged images (stored data with a valid checksum but invalid content)")
struct ForgedImageTests {
  @Test(
    "if the stored count of an array or object is larger than its data, the value is treated as empty",
    arguments: ["{\"x\":1,\"y\":2}", "[1,2,3]"])
  func containers(json: String) throws {
    for count in [UInt32.max, 1 << 31, 1 << 20, 1000] {
      let snapshot = try snapshot(json, count: count)
      let value = try #require(snapshot.value("k"))
      // Who trusts the count needs minutes from here on.
      try #require(value.count == 0)
      #expect(value.element(at: 0) == nil)
      #expect(value.member(at: 0) == nil)
      #expect(value.member("x") == nil)
      var fields = ByteBuffer()
      try fields.appendCanonicalFields(of: value)
      #expect(String(decoding: fields.bytes, as: UTF8.self) == "{}")
      withExtendedLifetime(snapshot) {}
    }
  }

  @Test("an array whose stored count was reduced has only that number of elements")
  func smaller() throws {
    let snapshot = try snapshot("[1,2,3]", count: 2)
    #expect(snapshot.value("k")?.count == 2)
    #expect(snapshot.value("k")?.element(at: 1)?.int == 2)
    #expect(snapshot.value("k")?.element(at: 2) == nil)
  }

  @Test("an array or object that contains itself is treated as empty", arguments: ["[[1]]", "[{\"x\":1}]"])
  func insideItself(json: String) throws {
    for offset in [0, 8] as [UInt32] {
      let snapshot = try snapshot(json) { $0.storeBytes(of: offset, toByteOffset: NodeLayout.data, as: UInt32.self) }
      #expect(snapshot.value("k")?.element(at: 0) == nil)
    }
  }

  @Test("a stored string or key without its NUL terminator is not readable")
  func unended() throws {
    let text = try snapshot("\"abc\"") { entry in
      let data = Int(entry.load(fromByteOffset: NodeLayout.data, as: UInt32.self))
      entry.storeBytes(of: 1, toByteOffset: data + 3, as: UInt8.self)
    }
    #expect(text.value("k")?.string == nil)
    let key = try snapshot("1") { $0.storeBytes(of: 1, toByteOffset: NodeLayout.entrySize + 1, as: UInt8.self) }
    #expect(key.base.reader(over: nil).entry(at: 0) == nil)
  }

  /// A snapshot of one key, whose value claims to have so many elements or members.
  private func snapshot(_ json: String, count: UInt32) throws -> Snapshot {
    try snapshot(json) { $0.storeBytes(of: count, toByteOffset: NodeLayout.count, as: UInt32.self) }
  }

  /// A snapshot of one key, whose entry was changed.
  private func snapshot(_ json: String, _ change: (UnsafeMutableRawBufferPointer) -> Void) throws -> Snapshot {
    let bytes = try makeImage("{\"k\":\(json)}").forged(change)
    return Snapshot(base: try bytes.withBytes { try Image(ImageBuffer(copying: $0)) }, origin: .cached)
  }
}
