// SPDX-License-Identifier: Apache-2.0
//
// Images: lookup, order, damage of every kind, overlays and differences.

import Testing

@testable import Remora

@Suite("Images (the binary form of one version of a source)")
struct ImageTests {
  @Test("each of 5000 keys of an image is found, and no other key")
  func lookup() throws {
    let members = (0..<5000).map { "\"key-\($0)\":\($0)" }.joined(separator: ",")
    let snapshot = try makeSnapshot("{\(members)}")
    for number in 0..<5000 { #expect(snapshot.value("key-\(number)")?.int == Int64(number)) }
    for number in 5000..<6000 { #expect(snapshot.value("key-\(number)") == nil) }
    #expect(snapshot.count == 5000)
  }

  @Test("the keys of an image are iterated in the order of their bytes")
  func order() throws {
    let snapshot = try makeSnapshot(#"{"b":1,"a":2,"é":3,"B":4,"":5,"aa":6}"#)
    let keys = (0..<snapshot.count).compactMap { snapshot.reader.pointee.entry(at: $0) }.map {
      String(decoding: $0.key, as: UTF8.self)
    }
    #expect(keys == ["", "B", "a", "aa", "b", "é"])
    #expect(snapshot.reader.pointee.entry(at: 6) == nil)
    #expect(snapshot.reader.pointee.entry(at: -1) == nil)
  }

  @Test("the same content always results in the same bytes")
  func deterministic() throws {
    let first = try makeImage(#"{"a":[1,{"b":"c"}]}"#)
    let second = try makeImage(#"{ "a" : [ 1, {"b":"\u0063"} ] }"#)
    #expect(first.buffer.bytes.elementsEqual(second.buffer.bytes))
  }

  @Test("the metadata of an image is read back as it was written")
  func metadata() throws {
    struct Proof: SignatureProof {
      let isSigned = true
      let signature = "p384ecdsa x"
    }
    let metadata = ImageMetadata(
      identity: "kind collection\nserver é", version: 42, fetchedAtMs: 43, epoch: 5, generation: 6
    ).verified(by: Proof())
    let written = try writeImage(metadata, entries: [])
    let read = try Image(ImageBuffer(copying: written.buffer.bytes))
    #expect(read.metadata == metadata)
    #expect(read.metadata.isVerified)
    #expect(read.checksum == written.checksum)
  }

  @Test("an image that is truncated or has any flipped bit is refused when it is opened")
  func damage() throws {
    let image = try makeImage(#"{"a":[1,2,{"b":"c"}],"d":"e"}"#)
    var bytes = Array(image.buffer.bytes)
    for position in bytes.indices {
      for bit in 0..<8 {
        bytes[position] ^= 1 << bit
        #expect(throws: RemoraError.self) { try bytes.withUnsafeBytes { try Image(ImageBuffer(copying: $0)) } }
        bytes[position] ^= 1 << bit
      }
    }
    for length in bytes.indices {
      #expect(throws: RemoraError.self) {
        try bytes.withUnsafeBytes { try Image(ImageBuffer(copying: UnsafeRawBufferPointer(rebasing: $0[..<length]))) }
      }
    }
  }

  @Test("an image with invalid offsets but a valid checksum never causes a read outside of its bytes")
  func forged() throws {
    let image = try makeImage(#"{"a":[1,2,{"b":"c"}],"d":"e","f":{"g":{"h":[null]}}}"#)
    let original = Array(image.buffer.bytes)
    var random = SystemRandomNumberGenerator()
    for position in stride(from: 32, to: original.count, by: 4) {
      for word in [0, 1, 7, 8, UInt32.max, UInt32(original.count), random.next()] as [UInt32] {
        var forged = original
        forged.withUnsafeMutableBytes { $0.storeBytes(of: word, toByteOffset: position, as: UInt32.self) }
        forged.withUnsafeMutableBytes { bytes in
          let checksum = hash64(UnsafeRawBufferPointer(rebasing: bytes[32...]))
          bytes.storeBytes(of: checksum, toByteOffset: 24, as: UInt64.self)
        }
        guard let image = try? forged.withUnsafeBytes({ try Image(ImageBuffer(copying: $0)) }) else { continue }
        let snapshot = Snapshot(base: image, origin: .cached)
        _ = try? snapshot.text()
        for key in ["a", "d", "f", "x"] { _ = snapshot.value(key) }
        for pointer in ["/0", "/2/b", "/g/h/0"] { _ = snapshot.value("a", pointer) ?? snapshot.value("f", pointer) }
      }
    }
  }

  @Test("an image of overrides and defaults replaces, adds and hides keys of the image below it")
  func overlay() throws {
    let base = try makeImage(#"{"a":1,"b":2,"d":4}"#)
    let own = Snapshot(base: try makeImage(#"{"b":20,"c":30,"z":90}"#), origin: .packaged)
    let entries = try ["b", "c", "z"].map { key in try #require(key.withBytes { own.reader.pointee.entry($0) }) }
    var effective = try layEntries(entries, over: base)
    // The fourth is "d".
    effective.remove(at: 3)
    let overlay = try writeImage(base.metadata, entries: effective)
    let snapshot = Snapshot(base: base, overlay: overlay, origin: .fetched)
    #expect(try snapshot.text() == #"{"a":1,"b":20,"c":30,"z":90}"#)
    #expect(snapshot.value("d") == nil)
    #expect(snapshot.value("a")?.int == 1)
    #expect(try Snapshot(base: base, origin: .fetched).text() == #"{"a":1,"b":2,"d":4}"#)
    #expect(try layEntries([], over: base).count == 3)
    withExtendedLifetime(own) {}
  }

  @Test("the difference of two images lists created, updated and deleted keys in order")
  func difference() throws {
    let old = try makeSnapshot(#"{"a":1,"b":{"x":1,"y":[1]},"c":"é","e":1}"#)
    let new = try makeSnapshot(#"{"a":2,"b":{"y":[1],"x":1},"c":"\u00e9","d":null,"e":1.0}"#)
    var seen: [String] = []
    diff(old.reader.pointee, new.reader.pointee) { change in
      seen.append("\(change.kind) \(String(decoding: change.key, as: UTF8.self))")
      return true
    }
    #expect(seen == ["updated a", "created d", "updated e"])
    seen = []
    diff(old.reader.pointee, nil) { change in
      seen.append("\(change.kind)")
      return seen.count < 2
    }
    #expect(seen == ["deleted", "deleted"])
    withExtendedLifetime((old, new)) {}
  }
}
