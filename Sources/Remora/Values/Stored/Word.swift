// SPDX-License-Identifier: Apache-2.0
//
// The layout of values in an image. All distances lead forward and stay in the top-level entry, so an entry is one
// block of bytes that can be copied between images. Everything but names and texts is aligned to 8 bytes.
//
//   word, 8 bytes       A finite double is stored as it is. In every other word the highest 12 bits are 1:
//
//                       63…52  51   50…48  47…17          16…0
//                       FFF    far  type   distance       count         string, array, object
//                       FFF    far  type   number (bits 47…0)           bool (0 or 1), int
//
//                       If a count or number needs more bits, `far` is set, and the distance leads to 8 bytes: the
//                       number i64, or distance u32 from there · count u32.
//   string              count bytes of UTF-8 and a NUL
//   array               text u32 · 0 u32 · count words
//   object              text u32 · count names · padding · count words; members are sorted by the bytes of the name
//   name, 4 bytes       distance u16 from the text · length u8 · first byte u8
//   wide name, 8 bytes  distance u32 from here · length u32; used by an object in which a name does not fit into 4 bytes.
//                       Then the top bit of its `text` is set, and the first name is the distance of the wide names.
//   text                the canonical JSON of an array or object, with a NUL instead of the quote that ends a string, so
//                       that names and strings without escapes are parts of it. `text` is its distance.
//   entry, 16 bytes     size and flag u32 · length of the key u16 · distance of the key u16 · word of the value
//                       then, if the flag in the lowest bit is set, origin u32 · position u32

/// One value as it is stored.
struct Word: BitwiseCopyable {
  let bits: UInt64

  init(_ bits: UInt64) { self.bits = bits }

  init(_ double: Double) { bits = double.bitPattern }

  init(_ type: ValueType, number: UInt64 = 0) {
    bits = Self.marker | UInt64(type.rawValue) << 48 | number & Self.mostNumber
  }

  /// - Parameter distance: The distance, or part of it: `moved` adds to it.
  init(_ type: ValueType, distance: Int, count: Int) {
    self.init(type, number: UInt64(truncatingIfNeeded: distance) << 17 | UInt64(truncatingIfNeeded: count))
  }

  /// A word whose number or count is at a distance.
  init(far type: ValueType, distance: Int) {
    bits = Word(type, distance: distance, count: 0).bits | Self.farBit
  }

  /// Whether a count is stored in the word.
  static func isNear(_ count: Int) -> Bool { count < 1 << 17 }

  /// Whether an integer is stored in the word.
  static func isNear(_ number: Int64) -> Bool { number >= -1 << 47 && number < 1 << 47 }

  private static let marker: UInt64 = 0xFFF0 << 48
  private static let farBit: UInt64 = 1 << 51
  private static let mostNumber: UInt64 = 1 << 48 &- 1

  /// The type; an unknown type in a damaged image reads as null.
  @inline(__always)
  var type: ValueType {
    bits < Self.marker ? .double : ValueType(rawValue: UInt8(truncatingIfNeeded: bits >> 48) & 7) ?? .null
  }

  @inline(__always)
  var isFar: Bool { bits & Self.farBit != 0 }

  @inline(__always)
  var bool: Bool { bits & 1 != 0 }

  /// The integer of a word that is not far.
  @inline(__always)
  var int: Int64 { Int64(bitPattern: bits << 16) >> 16 }

  @inline(__always)
  var double: Double { Double(bitPattern: bits) }

  @inline(__always)
  var distance: UInt32 { UInt32(truncatingIfNeeded: bits >> 17) & 0x7FFF_FFFF }

  /// The count of a word that is not far.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: bits & (1 << 17 &- 1)) }

  /// Returns the word with a greater distance.
  func moved(by distance: Int) -> Word { Word(bits &+ UInt64(truncatingIfNeeded: distance) << 17) }
}

/// Sizes and field positions of the layout above.
package enum ValueLayout {
  static let wordSize = 8
  static let nameSize = 4
  static let wideNameSize = 8
  /// The length of the longest name that fits into 4 bytes.
  static let longestName = 254
  static let wideNames: UInt32 = 1 << 31

  package static let entrySize = 16
  package static let entryKeyLength = 4
  package static let entryKeyDistance = 6
  package static let entryWord = 8
  static let entryOrigin = 16
  static let entryPosition = 20
  static let entryDetailsSize = 8
  static let detailsFlag: UInt32 = 1

  /// The distance of the words of an object from its beginning: text and names come before them, and padding.
  @inline(__always)
  static func wordsOfObject(_ count: Int) -> Int { (11 &+ count &* nameSize) & ~7 }

  /// The distance of the words of an array from its beginning.
  static let wordsOfArray = 8
}
