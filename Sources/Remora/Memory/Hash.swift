// SPDX-License-Identifier: Apache-2.0
//
// XXH3: the hash of keys, the checksum of files, the names of identities. Not for authentication, which Trust provides.

internal import CSupport
internal import CXXHash

/// Returns the 64-bit XXH3 hash.
@inline(__always)
package func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
  xxh3_64_with_seed(bytes.baseAddress, bytes.count, seed)
}

/// Returns the same hash, inlined for short input such as keys.
@inline(__always)
func hashOfKey(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  xxh3_64_of_key(bytes.baseAddress, bytes.count, seed)
}

/// Returns the 64-bit XXH3 hash without a seed, for whole images, computed with the widest vectors of the machine.
package func checksum64(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  var checksum: UInt64 = 0
  guard remora_checksum_avx2(bytes.baseAddress, bytes.count, &checksum) == 0 else { return checksum }
  return hash64(bytes)
}

/// Returns the 128-bit XXH3 hash as 32 lower-case hexadecimal digits.
package func hash128Hex(_ bytes: UnsafeRawBufferPointer) -> String {
  let hash = xxh3_128(bytes.baseAddress, bytes.count)
  return String(unsafeUninitializedCapacity: 32) { text in
    for position in 0..<32 {
      let half = position < 16 ? hash.high64 : hash.low64
      let digit = UInt8(truncatingIfNeeded: half >> (60 - UInt64(position & 15) * 4)) & 15
      text[position] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
    return 32
  }
}

/// The hash of content that is hashed block by block, so that a file need not be in memory as a whole. It is the
/// XXH3-128 hash of the hashes of all blocks.
package struct BlockHash {
  /// The size of every block but the last, in bytes. A buffer of this size stays in the processor's cache.
  package static var blockSize: Int { 1 << 16 }
  /// The hash of each block, in hexadecimal digits.
  private var hashes: String

  /// - Parameter context: A text that is hashed too.
  package init(context: String) { hashes = context }

  /// Adds the next block.
  package mutating func add(_ block: UnsafeRawBufferPointer) { hashes += hash128Hex(block) }

  /// Adds content that is in memory as a whole.
  package mutating func add(blocksOf content: UnsafeRawBufferPointer) {
    var rest = content[...]
    while !rest.isEmpty {
      add(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)))
      rest = rest.dropFirst(Self.blockSize)
    }
  }

  /// The hash of all blocks, as 32 lower-case hexadecimal digits.
  package var hex: String { hashes.withBytes(hash128Hex) }
}

extension String {
  /// Returns the 64-bit XXH3 hash of the UTF-8.
  package func hash64() -> UInt64 { withBytes { Remora.hash64($0) } }
}
