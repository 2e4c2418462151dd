// SPDX-License-Identifier: Apache-2.0
//
// Counts of a damaged image: whoever counts to one ends.

import Testing

@testable import Remora

@Suite("Damaged counts")
struct DamagedCountTests {
  @Test("A container whose count leads outside of its image is empty", arguments: ["{\"x\":1,\"y\":2}", "[1,2,3]"])
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

  @Test("A count that is smaller than it was reads as it says")
  func smaller() throws {
    let snapshot = try snapshot("[1,2,3]", count: 2)
    #expect(snapshot.value("k")?.count == 2)
    #expect(snapshot.value("k")?.element(at: 1)?.int == 2)
    #expect(snapshot.value("k")?.element(at: 2) == nil)
  }

  /// A snapshot of one key, whose value claims to have so many elements or members.
  private func snapshot(_ json: String, count: UInt32) throws -> Snapshot {
    let image = try makeImage("{\"k\":\(json)}")
    let entry = try #require(image.reader(over: nil).entry(at: 0))
    let place = entry.start - image.buffer.region.pointee.base + NodeLayout.count
    var bytes = Array(image.buffer.bytes)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: count, toByteOffset: place, as: UInt32.self)
      let checksum = hash64(UnsafeRawBufferPointer(rebasing: bytes[ImageFormat.checkedFrom...]))
      bytes.storeBytes(of: checksum, toByteOffset: ImageFormat.checksumAt, as: UInt64.self)
    }
    return Snapshot(base: try bytes.withBytes { try Image(ImageBuffer(copying: $0)) }, origin: .cached)
  }
}
