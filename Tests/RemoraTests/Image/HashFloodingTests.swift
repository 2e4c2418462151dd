// SPDX-License-Identifier: Apache-2.0
//
// What a server can do by its choice of keys: not make building or reading an image expensive. Counts slots, not time.

import Testing

@testable import Remora

@Suite("Documents whose keys are chosen to collide in a hash table")
struct HashFloodingTests {
  private let count = 100_000

  @Test(
    "keys chosen to collide in earlier library versions take at most three times as many steps as other keys", .heavy)
  func preparedKeys() throws {
    let keys = keysPreparedForEarlierVersions(count)
    // Every key but the last two collides under the seed that follows from all keys.
    #expect(earlierSeed(of: keys) == 0x0123_4567_89AB_CDEF)
    try expectOrdinaryCost(keys, .test)
  }

  @Test("keys chosen to collide under a known secret take at most three times as many steps as other keys", .heavy)
  func knownSecret() throws {
    let keys = collidingKeys(count, seed: HashSeed.test.number(attempt: 0))
    try expectOrdinaryCost(keys, .test)
    #expect(try makeImage(keys, .test).reader(over: nil).seed == HashSeed.test.number(attempt: 1))
  }

  @Test("keys that collide under every hash seed are refused after limited work", .heavy)
  func unspreadable() {
    let keys = [[UInt8]](repeating: Array("the same".utf8), count: count)
    #expect(
      throws: RemoraError(.format, "the document has too many keys with colliding hashes (8 hash seeds tried)")
    ) {
      try table(keys, .test)
    }
    #expect(SlotTable.mostAttempts * SlotTable.mostProbes(for: count) < 25 * count)
  }

  @Test("if too many keys fill consecutive slots of the hash table, another hash seed is used")
  func longRun() throws {
    let slots = SlotTable.slotCount(for: 500)
    let seed = HashSeed.test.number(attempt: 0)
    var bySlot: [Int: [UInt8]] = [:]
    for key in ordinaryKeys(100_000) {
      let slot = key.firstSlot(of: slots, seed: seed)
      if slot < 500 { bySlot[slot] = key }
    }
    #expect(bySlot.count == 500)
    #expect(try table(Array(bySlot.values), .test).seed != seed)
  }

  @Test(
    "the same keys and hash secret result in the same binary form; with another secret it differs, but has all keys")
  func equality() throws {
    let keys = ordinaryKeys(500)
    let one = try makeImage(keys, .test)
    let same = try makeImage(keys, .test)
    let other = try makeImage(keys, .random())
    #expect(one.checksum == same.checksum)
    #expect(one.checksum != other.checksum)
    // Who reads needs no secret: the seed is in the header.
    let read = Snapshot(base: try Image(ImageBuffer(copying: other.buffer.bytes)), origin: .cached)
    for key in keys { #expect(key.withBytes { read.reader.pointee.entry($0) } != nil) }
  }

  @Test("rebuilding stored data for another hash secret keeps its keys")
  func restamped() throws {
    let saved = try makeImage(ordinaryKeys(50), .random())
    let one = try saved.restamped(epoch: 1, generation: 2, hashSeed: .test)
    let other = try saved.restamped(epoch: 1, generation: 2, hashSeed: .test)
    #expect(one.checksum == other.checksum)
    #expect(keysOf(one) == keysOf(saved))
  }

  @Test("two random hash secrets differ, and so do the eight hash seeds that are tried with one secret")
  func secrets() {
    #expect(HashSeed.random() != HashSeed.random())
    #expect(Set((0..<8).map { HashSeed.test.number(attempt: $0) }).count == 8)
  }

  @Test(
    "any number of ordinary keys needs only the first hash seed", arguments: [0, 1, 2, 3, 64, 65, 1000, 4096, 65_536])
  func ordinary(count: Int) throws {
    #expect(try table(ordinaryKeys(count), .test).seed == HashSeed.test.number(attempt: 0))
  }

  private func expectOrdinaryCost(_ keys: [[UInt8]], _ secret: HashSeed) throws {
    let ordinary = ordinaryKeys(count)
    #expect(try table(keys, secret).probes <= 3 * table(ordinary, secret).probes)
    let cost = try makeImage(keys, secret).readCost
    #expect(try cost.total <= 3 * makeImage(ordinary, secret).readCost.total)
    #expect(cost.longest <= SlotTable.longestRun + 1)
  }

  @discardableResult
  private func table(_ keys: [[UInt8]], _ secret: HashSeed) throws -> SlotTable {
    // The keys one behind the other, so that each has an address.
    let bytes = keys.flatMap(\.self)
    return try bytes.withBytes { bytes throws(RemoraError) in
      let keys = keys.indices.lazy.map { UnsafeRawBufferPointer(rebasing: bytes[$0 * 8..<$0 * 8 + 8]) }
      return try SlotTable(keys, keys.indices.map { UInt32($0) + 1 }, secret)
    }
  }

  private func makeImage(_ keys: [[UInt8]], _ secret: HashSeed) throws -> Image {
    var encoder = EntryEncoder()
    let null = try ParsedJSON.null()
    var ranges: [EntryRange] = []
    for key in keys {
      ranges.append(try key.withBytes { key throws(RemoraError) in try encoder.append(key: key, null) })
    }
    let memory = try encoder.finish()
    defer { withExtendedLifetime(memory) {} }
    let entries = ranges.compactMap { Entry(at: UInt32($0.offset), in: memory.region) }
    let metadata = ImageMetadata(identity: "test", version: 1, fetchedAtMs: 1)
    return try writeImage(metadata, entries: entries.map(ImageEntry.own), hashSeed: secret)
  }
}
