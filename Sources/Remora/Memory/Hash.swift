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

extension String {
  /// Returns the 64-bit XXH3 hash of the UTF-8.
  package func hash64() -> UInt64 { withBytes { Remora.hash64($0) } }
}
