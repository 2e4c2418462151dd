// SPDX-License-Identifier: Apache-2.0
//
// Finds the end of a JSON value, its depth and its size, without allocating memory and before any of it is parsed.

/// A value whose end is searched in bytes that may arrive in pieces. The value need not be valid JSON. Each byte is
/// examined once.
struct JSONScan {
  /// The deepest nesting of brackets found so far, outside strings.
  private(set) var depth = 0
  /// The number of commas and opening brackets found so far, outside strings, plus one: a value counts once, an array or
  /// object twice.
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
    while index < bytes.count {
      if isInString {
        index = endOfString(bytes, from: index)
        guard index < bytes.count else { break }
        isInString = false
        index &+= 1
        if level == 0 { return index }
        continue
      }
      switch bytes[index] {
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
      index &+= 1
    }
    position = index
    return nil
  }
}

/// Returns the deepest nesting of brackets in the text of one value.
package func nestingDepth(of value: UnsafeRawBufferPointer) -> Int {
  var scan = JSONScan(at: 0)
  _ = scan.end(in: value)
  return scan.depth
}

/// Returns the position of the quote that ends a string. If the string does not end in these bytes, returns the position
/// of the byte with which the search continues. Examines whole words where possible.
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
