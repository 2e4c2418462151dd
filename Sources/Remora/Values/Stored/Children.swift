// SPDX-License-Identifier: Apache-2.0
//
// The elements of an array or the members of an object in an image.

internal import Glibc

/// A view of the children of a container; valid as long as its value.
struct Children {
  let count: Int
  private let start: UnsafeRawPointer
  private let words: UnsafeRawPointer
  private let region: UnsafePointer<Region>

  /// Returns nil unless all words and short names are inside the region.
  @inline(__always)
  init?(
    of type: ValueType, count: Int, at distance: UInt32, from origin: UnsafeRawPointer, in region: UnsafePointer<Region>
  ) {
    let toWords = type == .array ? ValueLayout.wordsOfArray : ValueLayout.wordsOfObject(count)
    let size = toWords &+ count &* ValueLayout.wordSize
    guard let start = region.pointee.structure(from: origin, offset: distance, count: size) else { return nil }
    (self.count, self.start, words, self.region) = (count, start, start + toWords, region)
  }

  /// The child at a position below `count`.
  @inline(__always)
  func value(at index: Int) -> Value { Value(node: words + index &* ValueLayout.wordSize, region: region) }

  /// The name of the member at a position below `count`; nil unless it is inside the region and a NUL follows.
  @inline(__always)
  func name(at index: Int) -> UnsafeRawBufferPointer? {
    if hasWideNames { return wideName(at: index) }
    let name = shortName(at: index)
    return region.pointee.text(from: start, offset: text &+ name & 0xFFFF, count: Int(name >> 16 & 0xFF))
  }

  /// Returns the position of a member; nil if there is none of this name. Among the last few candidates, names are
  /// compared only if length and first byte are the same.
  @inline(__always)
  func index(of wanted: UnsafeRawBufferPointer) -> Int? {
    var (low, high) = (0, count)
    while high &- low > 8 {
      let middle = (low &+ high) / 2
      guard let name = name(at: middle) else { return nil }
      if compareBytes(wanted, name) < 0 { high = middle } else { low = middle }
    }
    let isWide = hasWideNames
    let mark = nameMark(wanted)
    while low < high {
      if isWide || shortName(at: low) & ~0xFFFF == mark {
        guard let name = name(at: low) else { return nil }
        if name.count == wanted.count, isEqual(name, wanted) { return low }
      }
      low &+= 1
    }
    return nil
  }

  /// The canonical JSON as it is stored: with a NUL instead of the quote that ends a string.
  var storedText: UnsafeRawBufferPointer? {
    textStart.flatMap { bracketed(UnsafeRawBufferPointer(start: $0, count: region.pointee.end - $0)) }
  }

  /// The beginning of that text; nil if it is outside the region.
  var textStart: UnsafeRawPointer? { region.pointee.bytes(from: start, offset: text, count: 1) }

  /// The distance of that text.
  @inline(__always)
  private var text: UInt32 { start.load(as: UInt32.self) & ~ValueLayout.wideNames }

  @inline(__always)
  private var hasWideNames: Bool { start.load(as: UInt32.self) & ValueLayout.wideNames != 0 }

  @inline(__always)
  private func shortName(at index: Int) -> UInt32 {
    start.load(fromByteOffset: 4 &+ index &* ValueLayout.nameSize, as: UInt32.self)
  }

  private func wideName(at index: Int) -> UnsafeRawBufferPointer? {
    let size = count &* ValueLayout.wideNameSize
    guard let names = region.pointee.structure(from: start, offset: shortName(at: 0), count: size) else { return nil }
    let name = names + index &* ValueLayout.wideNameSize
    let length = Int(name.load(fromByteOffset: 4, as: UInt32.self))
    return region.pointee.text(from: name, offset: name.load(as: UInt32.self), count: length)
  }
}

/// Returns length and first byte of a name as in a short name, at the same bits. No short name has the mark of a name
/// that is too long.
@inline(__always)
func nameMark(_ name: UnsafeRawBufferPointer) -> UInt32 {
  UInt32(min(name.count, ValueLayout.longestName &+ 1)) << 16 | UInt32(name.first ?? 0) << 24
}

/// Returns the bytes from an opening bracket to the one that closes it.
private func bracketed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
  var depth = 0
  var index = 0
  while index < text.count, let start = text.baseAddress {
    switch text[index] {
    case UInt8(ascii: "\""):
      guard let end = memchr(start + index, 0, text.count &- index) else { return nil }
      index = UnsafeRawPointer(end) - start
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth &-= 1
      if depth <= 0 { return UnsafeRawBufferPointer(rebasing: text[0...index]) }
    default: break
    }
    index &+= 1
  }
  return nil
}
