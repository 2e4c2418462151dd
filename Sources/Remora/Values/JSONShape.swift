// SPDX-License-Identifier: Apache-2.0
//
// Determines the depth and size of a JSON text, without allocating memory, before any of it is parsed.

/// The shape of a text, which need not be valid JSON.
struct JSONShape {
  /// The deepest nesting of brackets outside strings.
  private(set) var depth = 0
  /// The number of commas and opening brackets outside strings, plus one: a value counts once, an array or object
  /// twice.
  private(set) var parts = 1

  /// Examines a whole document, without recursion, before any code parses it.
  init(of document: UnsafeRawBufferPointer) {
    var level = 0
    var index = 0
    while index < document.count {
      switch document[index] {
      case UInt8(ascii: "\""): index = endOfString(document, from: index &+ 1)
      case UInt8(ascii: ","): parts &+= 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        parts &+= 1
        level &+= 1
        depth = max(depth, level)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): level &-= 1
      default: break
      }
      index &+= 1
    }
  }

  /// Counts the parts of the value that begins at a byte; stops at one more than `maximumParts`.
  static func parts(ofValueAt start: Int, in document: UnsafeRawBufferPointer) -> Int {
    var parts = 1
    var level = 0
    var index = start
    while index < document.count, parts <= maximumParts {
      switch document[index] {
      case UInt8(ascii: "\""):
        // A name is followed by a colon, not by a comma or bracket.
        if level == 0 { return parts }
        index = endOfString(document, from: index &+ 1)
      case UInt8(ascii: ","):
        if level == 0 { return parts }
        parts &+= 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        parts &+= 1
        level &+= 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        level &-= 1
        if level <= 0 { return parts }
      default: break
      }
      index &+= 1
    }
    return parts
  }
}

/// Returns the deepest nesting of brackets outside strings.
package func nestingDepth(of document: UnsafeRawBufferPointer) -> Int { JSONShape(of: document).depth }

/// Returns the position of the quote that ends a string, or the end of the document; examines whole words where
/// possible.
private func endOfString(_ document: UnsafeRawBufferPointer, from start: Int) -> Int {
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
  return document.count
}
