// SPDX-License-Identifier: Apache-2.0
//
// XXH3: the hash of keys, the checksum of files, the names of identities. No authentication: that is Trust's.

internal import CXXHash

/// XXH3 of 64 bits.
@inline(__always)
package func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
  xxh3_64_with_seed(bytes.baseAddress, bytes.count, seed)
}

/// The same for keys, which are short: without a call.
@inline(__always)
func hashOfKey(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  xxh3_64_of_key(bytes.baseAddress, bytes.count, seed)
}

/// XXH3 of 128 bits as 32 lower-case hexadecimal digits.
package func hash128Hex(_ bytes: UnsafeRawBufferPointer) -> String {
  let hash = xxh3_128(bytes.baseAddress, bytes.count)
  return [hash.high64, hash.low64].map { half in
    let digits = String(half, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }.joined()
}

extension String {
  /// XXH3 of the UTF-8.
  package func hash64() -> UInt64 { withBytes { Remora.hash64($0) } }
}
