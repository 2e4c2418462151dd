// SPDX-License-Identifier: Apache-2.0
//
// One top-level entry wherever it lies: in an encoder's memory, in a base image, in an overlay.
// Invariant: header, key and the stated length are inside the region.

/// A key with its value; valid as long as the memory that it lies in.
package struct Entry {
  /// The first byte of the entry, which is the node of its value.
  package let start: UnsafeRawPointer
  /// The memory that it lies in.
  package let region: UnsafePointer<Region>

  /// The entry at an offset, if there can be one.
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

  /// Whether a NUL follows the key, as hosts in C rely on. Not of every image with a right checksum.
  @inline(__always)
  var isKeyEnded: Bool { start.load(fromByteOffset: NodeLayout.entrySize &+ keyLength, as: UInt8.self) == 0 }

  /// The bytes of the key. A NUL follows those of an entry that was found by its position.
  @inline(__always)
  package var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + NodeLayout.entrySize, count: keyLength)
  }

  /// The value.
  @inline(__always)
  package var value: Value { Value(node: start, region: region) }

  /// What an overlay says of where the value comes from; 0 when it says nothing.
  package var origin: Int32 { start.load(fromByteOffset: NodeLayout.entryOrigin, as: Int32.self) }

  /// The position of the key in its document; 0 when nothing is said of it.
  package var position: UInt32 { start.load(fromByteOffset: NodeLayout.entryPosition, as: UInt32.self) }

  /// Everything of the entry, to be copied; nil when the stated length leads outside.
  package var bytes: UnsafeRawBufferPointer? {
    let length = Int(start.load(fromByteOffset: NodeLayout.entryLength, as: UInt32.self))
    guard length >= NodeLayout.entrySize, length & 7 == 0 else { return nil }
    guard region.pointee.bytes(from: start, offset: 0, count: length) != nil else { return nil }
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The canonical JSON of the value, if that is an array or object: the last thing in the entry, before its NUL and
  /// the padding. So its end need not be looked for, as it must for a nested value.
  package var containerText: UnsafeRawBufferPointer? {
    guard let bytes, let offset = value.textOffset, offset < bytes.count else { return nil }
    var end = bytes.count
    while end > offset, bytes[end &- 1] == 0 { end &-= 1 }
    return end > offset ? UnsafeRawBufferPointer(rebasing: bytes[offset..<end]) : nil
  }
}
