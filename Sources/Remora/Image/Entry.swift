// SPDX-License-Identifier: Apache-2.0
//
// One top-level entry in any memory: an encoder's, a base image or an overlay.
// Invariant: header, key and the stated length are inside the region.

/// A key with its value; valid as long as the memory that contains it.
package struct Entry {
  package let start: UnsafeRawPointer
  package let region: UnsafePointer<Region>

  /// Creates a view of the entry at an offset; nil if its header or key would be outside the region.
  @inline(__always)
  package init?(at offset: UInt32, in region: UnsafePointer<Region>) {
    let base = region.pointee.base
    guard let start = region.pointee.structure(from: base, offset: offset, count: ValueLayout.entrySize) else {
      return nil
    }
    self.start = start
    self.region = region
    guard region.pointee.bytes(from: start, offset: UInt32(keyDistance), count: keyLength &+ 1) != nil else {
      return nil
    }
  }

  @inline(__always)
  private var keyLength: Int { Int(start.load(fromByteOffset: ValueLayout.entryKeyLength, as: UInt16.self)) }

  @inline(__always)
  private var keyDistance: UInt16 { start.load(fromByteOffset: ValueLayout.entryKeyDistance, as: UInt16.self) }

  /// Whether a NUL follows the key, as C hosts expect. An image with a correct checksum may still lack it.
  @inline(__always)
  var isKeyEnded: Bool { start.load(fromByteOffset: Int(keyDistance) &+ keyLength, as: UInt8.self) == 0 }

  /// The bytes of the key. A NUL follows the key of an entry that was found by position.
  @inline(__always)
  package var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + Int(keyDistance), count: keyLength)
  }

  @inline(__always)
  package var value: Value { Value(node: start + ValueLayout.entryWord, region: region) }

  /// The origin that an overlay states for this value; 0 if it states none.
  package var origin: Int32 { detail(at: ValueLayout.entryOrigin) }

  /// The position of the key in its document; 0 if it is not stored.
  package var position: UInt32 { UInt32(bitPattern: detail(at: ValueLayout.entryPosition)) }

  private var sizeAndFlag: UInt32 { start.load(as: UInt32.self) }

  private func detail(at place: Int) -> Int32 {
    guard sizeAndFlag & ValueLayout.detailsFlag != 0, let bytes, place &+ 4 <= bytes.count else { return 0 }
    return start.load(fromByteOffset: place, as: Int32.self)
  }

  /// All bytes of the entry, for copying; nil if the stated size leads outside.
  package var bytes: UnsafeRawBufferPointer? {
    let size = Int(sizeAndFlag & ~7)
    guard size >= ValueLayout.entrySize, region.pointee.bytes(from: start, offset: 0, count: size) != nil else {
      return nil
    }
    return UnsafeRawBufferPointer(start: start, count: size)
  }

  /// The canonical JSON of the value, if that is an array or object, with a NUL instead of the quote that ends a
  /// string. It is the last part of the entry, before the padding, so unlike for a nested value its end need not be
  /// searched.
  package var storedText: UnsafeRawBufferPointer? {
    guard let bytes, let address = value.children?.textStart, address < start + bytes.count else { return nil }
    var end = bytes.count
    while end > address - start, bytes[end &- 1] == 0 { end &-= 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[(address - start)..<end])
  }
}
