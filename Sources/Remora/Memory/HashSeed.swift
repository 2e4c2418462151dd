// SPDX-License-Identifier: Apache-2.0
//
// The secret seed of the hash tables in images. Without it, a server could prepare colliding keys.

internal import CSupport

/// A secret of 16 bytes, from which the seeds of hash tables are derived.
package struct HashSeed: Equatable, Sendable {
  /// The number of bytes that a file stores of it.
  static var byteCount: Int { 16 }

  private let low: UInt64
  private let high: UInt64

  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Reads the form that `bytes` returns; nil for any other number of bytes.
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

  /// The secret as bytes, for storing it.
  var bytes: [UInt8] { [low, high].withUnsafeBytes(Array.init) }

  /// Returns the seed of an image's hash table; each attempt to build the table gets a different one.
  func number(attempt: Int) -> UInt64 {
    [low, high, UInt64(truncatingIfNeeded: attempt)].withUnsafeBytes { hash64($0) }
  }
}
