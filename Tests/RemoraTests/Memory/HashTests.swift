// SPDX-License-Identifier: Apache-2.0
//
// Hashes: every way of computing one gives the same.

import Testing

@testable import Remora

@Suite("Hashes")
struct HashTests {
  @Test(
    "the checksum of a block equals plain XXH3 for every length on every machine",
    arguments: [0, 1, 3, 8, 16, 17, 128, 129, 240, 241, 1023, 1024, 1025, 4096, 100_003, 1_048_576])
  func checksum(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    bytes.withUnsafeBytes { #expect(checksum64($0) == hash64($0)) }
  }
}
