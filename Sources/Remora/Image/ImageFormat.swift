// SPDX-License-Identifier: Apache-2.0
//
// The layout of an image, in a marked native byte order. An image of another byte order or format is refused.
//
//     0  magic u64                32  version i64             64  order u32 (offset)      88  epoch u64
//     8  format u32               40  fetched at i64          68  slots u32 (offset)      96  generation u64
//    12  byte order u32           48  hash seed u64           72  identity u32 (offset)  104  flags u32
//    16  length u64               56  count u32               76  identity bytes u32     108  reference mask u32
//    24  checksum u64             60  slot count u32          80  signature u32 (offset) · 84 signature bytes u32
//
// After the header: the entries, whose layout is in Values/Stored/Word.swift; identity and signature; order (u32 per
// key: the references, sorted by key); slots (u32 each, 0 = empty). A reference is a quarter of the offset of an entry,
// which is a multiple of 8. If its lowest bit is set, the entry is in the second region of the snapshot, the base below
// an overlay. A slot has a reference in the bits of the reference mask. Its other bits are those of the upper half of
// the key's hash, so most other keys are excluded without a look at their entry. The checksum covers everything after
// it.

package enum ImageFormat {
  package static let magic: UInt64 = 0x4D49_4152_4F4D_4552  // "REMORAIM" on a little-endian machine
  package static let format: UInt32 = 2
  package static let byteOrder: UInt32 = 0x0102_0304
  package static let headerSize = 112

  static let formatAt = 8
  static let byteOrderAt = 12
  static let lengthAt = 16
  static let checksumAt = 24
  /// The first byte that the checksum covers.
  static let checkedFrom = 32
  static let versionAt = 32
  static let fetchedAt = 40
  static let seedAt = 48
  static let countAt = 56
  static let slotCountAt = 60
  static let orderAt = 64
  static let slotsAt = 68
  static let identityAt = 72
  static let signatureAt = 80
  static let epochAt = 88
  static let generationAt = 96
  static let flagsAt = 104
  static let referenceMaskAt = 108

  /// The content was verified by the trust policy of its source.
  static let verifiedFlag: UInt32 = 1
  /// No record has a filter expression.
  static let unfilteredFlag: UInt32 = 2

  /// Whether bytes are an image of another format or byte order: unusable here, but not damaged.
  static func isOtherFormat(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= headerSize, let base = bytes.baseAddress else { return false }
    let magic = base.load(as: UInt64.self)
    guard magic == Self.magic else { return magic == Self.magic.byteSwapped }
    return base.load(fromByteOffset: formatAt, as: UInt32.self) != format
      || base.load(fromByteOffset: byteOrderAt, as: UInt32.self) != byteOrder
  }

  /// Returns the length that the header of an image states; nil if there are fewer bytes.
  package static func statedLength(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= headerSize else { return nil }
    return Int(exactly: bytes.loadUnaligned(fromByteOffset: lengthAt, as: UInt64.self)).flatMap {
      $0 <= bytes.count ? $0 : nil
    }
  }

  static let slotSize = 4
  static let secondRegion: UInt32 = 1

  /// Returns the reference to an entry at an offset of the image itself.
  static func reference(toOffset offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: offset / 4) }
}

/// Reads the header's fields. Each table and text is checked to be inside the image.
struct ImageHeader {
  let base: UnsafeRawPointer
  let length: Int

  var flags: UInt32 { word(ImageFormat.flagsAt) }

  /// The locations of the key tables; nil if a table is outside the image.
  var tables: ImageTables? {
    let tables = ImageTables(
      order: Int(word(ImageFormat.orderAt)), slots: Int(word(ImageFormat.slotsAt)),
      count: Int(word(ImageFormat.countAt)), slotCount: Int(word(ImageFormat.slotCountAt)),
      referenceMask: word(ImageFormat.referenceMaskAt),
      seed: base.load(fromByteOffset: ImageFormat.seedAt, as: UInt64.self))
    guard tables.order & 7 == 0, tables.slots & 7 == 0 else { return nil }
    guard tables.order &+ tables.count &* 4 <= length,
      tables.slots &+ tables.slotCount &* ImageFormat.slotSize <= length
    else { return nil }
    return tables
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

/// The key tables of an image, relative to its base.
struct ImageTables {
  let order: Int
  let slots: Int
  let count: Int
  let slotCount: Int
  let referenceMask: UInt32
  let seed: UInt64
}
