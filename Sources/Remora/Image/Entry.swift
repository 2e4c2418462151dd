// SPDX-License-Identifier: Apache-2.0
//
// One top-level entry in any memory: an encoder's, a base image or an overlay.
// Invariant: header, key and the stated length are inside the region.

/// A key with its value; valid as long as the memory that contains it.
package struct Entry {
  /// The first byte of the entry, which is the node of its value.
  package let start: UnsafeRawPointer
  package let region: UnsafePointer<Region>

  /// Creates a view of the entry at an offset; nil if its header or key would be outside the region.
  @inline(__always)
  package init?(at offset: UInt32, in region: UnsafePointer<Region>) {
    let base = region.pointee.base
    guard let start = region.pointee.structure(from: base, offset: offset, count: NodeLayout.entrySize) else {
      return nil
    }
    self.start = start
    self.region = region
    guard region.pointee.bytes(from: start, offset: UInt32(NodeLayout.entrySize), count: keyLength &+ 1) != nil else {
      return nil
    }
  }

  @inline(__always)
  private var keyLength: Int { Int(start.load(fromByteOffset: NodeLayout.entryKeyLength, as: UInt32.self)) }

  /// Whether a NUL follows the key, as C hosts expect. An image with a correct checksum may still lack it.
  @inline(__always)
  var isKeyEnded: Bool { start.load(fromByteOffset: NodeLayout.entrySize &+ keyLength, as: UInt8.self) == 0 }

  /// The bytes of the key. A NUL follows the key of an entry that was found by position.
  @inline(__always)
  package var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + NodeLayout.entrySize, count: keyLength)
  }

  @inline(__always)
  package var value: Value { Value(node: start, region: region) }

  /// The origin that an overlay states for this value; 0 if it states none.
  package var origin: Int32 { start.load(fromByteOffset: NodeLayout.entryOrigin, as: Int32.self) }

  /// The position of the key in its document; 0 if it is not stored.
  package var position: UInt32 { start.load(fromByteOffset: NodeLayout.entryPosition, as: UInt32.self) }

  /// All bytes of the entry, for copying; nil if the stated length leads outside.
  package var bytes: UnsafeRawBufferPointer? {
    let length = Int(start.load(fromByteOffset: NodeLayout.entryLength, as: UInt32.self))
    guard length >= NodeLayout.entrySize, length & 7 == 0 else { return nil }
    guard region.pointee.bytes(from: start, offset: 0, count: length) != nil else { return nil }
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The canonical JSON of the value, if that is an array or object. It is the last part of the entry, before a NUL and
  /// the padding, so unlike for a nested value its end need not be searched.
  package var containerText: UnsafeRawBufferPointer? {
    guard let bytes, let offset = value.textOffset, offset < bytes.count else { return nil }
    var end = bytes.count
    while end > offset, bytes[end &- 1] == 0 { end &-= 1 }
    return end > offset ? UnsafeRawBufferPointer(rebasing: bytes[offset..<end]) : nil
  }
}
