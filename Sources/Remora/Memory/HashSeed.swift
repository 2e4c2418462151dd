// SPDX-License-Identifier: Apache-2.0
//
// The secret behind the hash tables of images. Without it, a server cannot prepare keys that collide.

internal import CSupport

/// A secret of 16 bytes. Hash tables are seeded with numbers that follow from it.
package struct HashSeed: Equatable, Sendable {
  /// The bytes that a file holds of it.
  static var byteCount: Int { 16 }

  private let low: UInt64
  private let high: UInt64

  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Reads what `bytes` wrote; nil for any other number of bytes.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    low = bytes.loadUnaligned(as: UInt64.self)
    high = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  /// Creates a secret.
  package static func random() -> HashSeed {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      remora_random(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
      let random = UnsafeRawBufferPointer(bytes)
      return HashSeed(low: hash64(random, seed: 1), high: hash64(random, seed: 2))
    }
  }

  /// The secret as bytes, for its file.
  var bytes: [UInt8] { [low, high].withUnsafeBytes(Array.init) }

  /// The number that the table of an image is seeded with: another one for each attempt to build it.
  func number(attempt: Int) -> UInt64 {
    [low, high, UInt64(truncatingIfNeeded: attempt)].withUnsafeBytes { hash64($0) }
  }
}
