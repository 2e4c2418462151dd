// SPDX-License-Identifier: Apache-2.0
//
// Finds the end of a JSON value, its depth and its size, without allocating memory and before any of it is parsed.

internal import CSupport

/// A value whose end is searched in bytes that may arrive in pieces. The value need not be valid JSON. Each byte is
/// examined once.
struct JSONScan {
  /// The deepest nesting of brackets found so far, outside strings.
  private(set) var depth = 0
  /// The number of commas and opening brackets found so far, outside strings, plus one: a value counts once, an array
  /// or object twice.
  private(set) var parts = 1
  /// Whether a point was found so far, outside strings.
  private(set) var hasPoint = false

  private let start: Int
  /// The first byte that was not examined yet. It may be one byte beyond the bytes that have arrived.
  private var position: Int
  private var level = 0
  private var isInString = false

  /// Begins at the first byte of a value.
  init(at start: Int) { (self.start, position) = (start, start) }

  /// Returns the position after the value; nil if the value may continue in bytes that have not arrived.
  ///
  /// - Parameter bytes: All bytes since the beginning of the document. A further call must pass the same bytes, and
  ///   more.
  mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
    var index = position
    // Bytes before this index are examined one by one.
    var blocksFrom = 0
    while index < bytes.count {
      if level > 0, index >= blocksFrom {
        if let end = endInBlocks(of: bytes, from: &index) { return end }
        blocksFrom = index &+ blockSize
      } else if isInString {
        index = endOfString(bytes, from: index)
        guard index < bytes.count else { break }
        isInString = false
        index &+= 1
        if level == 0 { return index }
      } else {
        if let end = endAfter(bytes[index], at: index) { return end }
        index &+= 1
      }
    }
    position = index
    return nil
  }

  /// Examines a byte outside strings. Returns the position after the value if it ends with this byte or before it.
  @inline(__always)
  private mutating func endAfter(_ byte: UInt8, at index: Int) -> Int? {
    switch byte {
    case UInt8(ascii: "\""):
      if level == 0, index > start { return index }
      isInString = true
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      if level == 0, index > start { return index }
      parts &+= 1
      level &+= 1
      depth = max(depth, level)
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      if level <= 1 { return level == 1 ? index &+ 1 : max(index, start &+ 1) }
      level &-= 1
    case UInt8(ascii: ","):
      if level == 0 { return max(index, start &+ 1) }
      parts &+= 1
    case UInt8(ascii: "."):
      hasPoint = true
    case UInt8(ascii: ":") where level == 0:
      return max(index, start &+ 1)
    case 0x20 where level == 0, 0x0A where level == 0, 0x0D where level == 0, 0x09 where level == 0:
      return index
    default: break
    }
    return nil
  }

  /// Examines blocks in an array or object, as far as they are complete and have no escapes, and moves the index behind
  /// them. Returns the position after the value if it ends in them.
  private mutating func endInBlocks(of bytes: UnsafeRawBufferPointer, from index: inout Int) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    while index &+ blockSize <= bytes.count {
      let block = remora_json_block(start + index)
      guard block.backslashes == 0 else { return nil }
      if let length = lengthOfRest(in: block) { return index &+ length }
      index &+= blockSize
    }
    return nil
  }

  /// Examines a block without escapes in an array or object. Returns the number of its bytes that belong to the value
  /// if it ends there.
  private mutating func lengthOfRest(in block: remora_json_block) -> Int? {
    // A bit is set from each quote to the byte before the next one.
    var strings = block.quotes
    for shift in [1, 2, 4, 8, 16, 32] as [UInt64] { strings ^= strings << shift }
    if isInString { strings = ~strings }
    isInString = strings >> 63 == 1
    let outside = ~strings
    var brackets = (block.opening | block.closing) & outside
    while brackets != 0 {
      let bracket = brackets & (0 &- brackets)
      brackets ^= bracket
      if block.opening & bracket != 0 {
        parts &+= 1
        level &+= 1
        depth = max(depth, level)
      } else {
        level &-= 1
        guard level > 0 else {
          count(block, outside & (bracket &- 1))
          isInString = false
          return bracket.trailingZeroBitCount &+ 1
        }
      }
    }
    count(block, outside)
    return nil
  }

  /// Counts the commas of the selected bytes of a block, and looks for points there.
  private mutating func count(_ block: remora_json_block, _ selected: UInt64) {
    parts &+= (block.commas & selected).nonzeroBitCount
    if block.points & selected != 0 { hasPoint = true }
  }
}

/// The number of bytes that are examined at once.
private var blockSize: Int { 64 }

/// Returns the deepest nesting of brackets in the text of one value.
package func nestingDepth(of value: UnsafeRawBufferPointer) -> Int {
  var scan = JSONScan(at: 0)
  _ = scan.end(in: value)
  return scan.depth
}

/// Returns the position of the quote that ends a string. If the string does not end in these bytes, returns the
/// position of the byte with which the search continues. Examines whole words where possible.
func endOfString(_ document: UnsafeRawBufferPointer, from start: Int) -> Int {
  var index = start
  while index < document.count {
    if index &+ 8 <= document.count {
      let word = document.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if !word.hasByte(UInt8(ascii: "\"")), !word.hasByte(UInt8(ascii: "\\")) {
        index &+= 8
        continue
      }
    }
    let byte = document[index]
    if byte == UInt8(ascii: "\"") { return index }
    index &+= byte == UInt8(ascii: "\\") ? 2 : 1
  }
  return index
}

/// Returns the position after a string that begins at a quote, and has printable ASCII without escapes only; nil for
/// any other string, and for one that does not end in these bytes.
func endOfPlainString(_ document: UnsafeRawBufferPointer, at quote: Int) -> Int? {
  let start = quote &+ 1
  let end = start &+ plainPrefix(of: UnsafeRawBufferPointer(rebasing: document[start...]))
  return end < document.count && document[end] == UInt8(ascii: "\"") ? end &+ 1 : nil
}
