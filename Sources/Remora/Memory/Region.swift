// SPDX-License-Identifier: Apache-2.0
//
// The memory of one image, and the only arithmetic that turns a stored offset into an address.
// Invariant: what `bytes` gives is inside the region; what `structure` gives is aligned to 8 as well.

/// A block of memory that holds an image. Lives in raw memory, so that a `Value` can point at it.
package struct Region {
  /// The first byte; aligned to 8.
  package let base: UnsafeRawPointer
  /// Bytes that may be read.
  package let length: Int

  /// The address of `count` bytes that start `offset` behind `origin`, if all of them are inside.
  ///
  /// A checksum is no authentication: an image may say anything, so nothing is read without this.
  @inline(__always)
  package func bytes(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawPointer? {
    let position = origin - base &+ Int(offset)
    guard position >= 0, count >= 0, position <= length, count <= length &- position else { return nil }
    return base + position
  }

  /// The bytes of a text that has its NUL behind it, which hosts in C rely on.
  @inline(__always)
  package func text(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawBufferPointer? {
    guard let start = bytes(from: origin, offset: offset, count: count &+ 1),
      start.load(fromByteOffset: count, as: UInt8.self) == 0
    else { return nil }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  /// The same for nodes, entries and tables, which stand at multiples of 8.
  @inline(__always)
  package func structure(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawPointer? {
    guard let address = bytes(from: origin, offset: offset, count: count), (address - base) & 7 == 0 else {
      return nil
    }
    return address
  }
}
