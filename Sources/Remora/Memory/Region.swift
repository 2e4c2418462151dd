// SPDX-License-Identifier: Apache-2.0
//
// The memory of one image, and the only code that turns a stored offset into an address.
// Invariant: an address from `bytes` is inside the region; one from `structure` is also aligned to 8.

/// A block of memory with an image. Stored in raw memory, so that a `Value` can point at it.
package struct Region {
  /// The first byte; aligned to 8.
  package let base: UnsafeRawPointer
  /// In bytes, all of them readable.
  package let length: Int

  /// The address after the last byte.
  var end: UnsafeRawPointer { base + length }

  /// Returns the address of `count` bytes that start `offset` bytes after `origin`; nil unless all of them are inside.
  ///
  /// A checksum does not authenticate: an image may contain any offset, so every read is checked here.
  @inline(__always)
  package func bytes(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawPointer? {
    let position = origin - base &+ Int(offset)
    guard position >= 0, count >= 0, position <= length, count <= length &- position else { return nil }
    return base + position
  }

  /// Returns the bytes of a text if a NUL follows it, as C hosts expect; else nil.
  @inline(__always)
  package func text(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawBufferPointer? {
    guard let start = bytes(from: origin, offset: offset, count: count &+ 1),
      start.load(fromByteOffset: count, as: UInt8.self) == 0
    else { return nil }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  /// Like `bytes`, for words, entries and tables, which are aligned to 8 bytes.
  @inline(__always)
  package func structure(from origin: UnsafeRawPointer, offset: UInt32, count: Int) -> UnsafeRawPointer? {
    guard let address = bytes(from: origin, offset: offset, count: count), (address - base) & 7 == 0 else {
      return nil
    }
    return address
  }
}
