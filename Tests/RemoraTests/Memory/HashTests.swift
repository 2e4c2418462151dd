// SPDX-License-Identifier: Apache-2.0
//
// Hashes: every way of computing one gives the same.

import Testing

@testable import Remora

@Suite("Hashes")
struct HashTests {
  @Test(
    "the checksum of a block equals plain XXH3, whatever the length and the instructions of the processor",
    arguments: [0, 1, 3, 8, 16, 17, 128, 129, 240, 241, 1023, 1024, 1025, 4096, 100_003, 1_048_576])
  func checksum(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    bytes.withUnsafeBytes { #expect(checksum64($0) == hash64($0)) }
  }

  @Test("the hash of several blocks depends on every block, on their order and on the text that is hashed with them")
  func blocks() {
    let size = BlockHash.blockSize
    func hash(_ bytes: [UInt8], context: String = "c") -> String {
      var hash = BlockHash(context: context)
      bytes.withUnsafeBytes { hash.add(blocksOf: $0) }
      return hash.hex
    }
    var bytes = (0..<3 * size + 5).map { UInt8(truncatingIfNeeded: $0 / size) }
    var seen = [hash(bytes), hash(bytes, context: "d"), hash(Array(bytes.reversed())), hash(Array(bytes.dropLast()))]
    for place in [0, size - 1, size, 3 * size, 3 * size + 4] {
      bytes[place] ^= 1
      seen.append(hash(bytes))
    }
    #expect(Set(seen).count == seen.count)
    var stepwise = BlockHash(context: "c")
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { stepwise.add($0) }
    }
    #expect(stepwise.hex == seen.last)
  }
}
