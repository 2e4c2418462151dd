// SPDX-License-Identifier: Apache-2.0
//
// The header of an image: the offsets of its tables and texts.

/// Reads the header's fields. Each table and text is checked to be inside the image.
struct ImageHeader {
  let base: UnsafeRawPointer
  let length: Int

  var flags: UInt32 { word(ImageFormat.flagsAt) }

  /// The locations of the key tables; nil if a table is outside the image.
  var tables: (order: Int, slots: Int, mask: UInt64, seed: UInt64, count: Int)? {
    let count = Int(word(ImageFormat.countAt))
    let mask = Int(word(ImageFormat.maskAt))
    let order = Int(word(ImageFormat.orderAt))
    let slots = Int(word(ImageFormat.slotsAt))
    guard order & 7 == 0, slots & 7 == 0, mask & (mask &+ 1) == 0 else { return nil }
    guard order &+ count &* 4 <= length, slots &+ (mask &+ 1) &* ImageFormat.slotSize <= length else { return nil }
    return (order, slots, UInt64(mask), base.load(fromByteOffset: ImageFormat.seedAt, as: UInt64.self), count)
  }

  private func word(_ position: Int) -> UInt32 { base.load(fromByteOffset: position, as: UInt32.self) }

  /// Returns the text whose offset and length are at a position; nil if it is outside the image.
  func text(_ position: Int) -> String? {
    let offset = Int(word(position))
    let count = Int(word(position + 4))
    guard offset &+ count <= length else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: base + offset, count: count), as: UTF8.self)
  }
}
