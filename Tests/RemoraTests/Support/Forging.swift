// SPDX-License-Identifier: Apache-2.0
//
// Images whose first entry was changed, with a checksum that is right.

import Testing

@testable import Remora

extension Image {
  /// The bytes of the image with another first entry.
  func forged(_ change: (UnsafeMutableRawBufferPointer) -> Void) throws -> [UInt8] {
    let entry = try #require(reader(over: nil).entry(at: 0))
    let place = entry.start - buffer.region.pointee.base
    var bytes = Array(buffer.bytes)
    bytes.withUnsafeMutableBytes { bytes in
      change(UnsafeMutableRawBufferPointer(rebasing: bytes[place...]))
      let checksum = hash64(UnsafeRawBufferPointer(rebasing: bytes[ImageFormat.checkedFrom...]))
      bytes.storeBytes(of: checksum, toByteOffset: ImageFormat.checksumAt, as: UInt64.self)
    }
    return bytes
  }
}
