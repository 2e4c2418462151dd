// SPDX-License-Identifier: Apache-2.0
//
// How deep and how large a JSON text is, found without memory before anything of it is parsed.

/// The shape of a text, whether it is JSON or not.
struct JSONShape {
  /// The deepest nesting of brackets outside strings.
  private(set) var depth = 0
  /// Commas and opening brackets outside strings, and one: a value counts once, and an array or object once more.
  private(set) var parts = 1

  /// Looks at a whole document. Runs before any recursion, whatever the document says.
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

  /// The parts of the value that begins at a byte; counting stops at one more than `maximumParts`.
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

/// The deepest nesting of brackets outside strings.
package func nestingDepth(of document: UnsafeRawBufferPointer) -> Int { JSONShape(of: document).depth }

/// Where the quote is that ends a string, or the end of the document; by words as long as they hold nothing special.
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
