// SPDX-License-Identifier: Apache-2.0
//
// Walks a JSON document from the outside and lets jansson parse one value at a time, so that a long array of records
// is decoded, compiled and freed piece by piece. Delimiters and the limits of depth are checked here.

internal import CJansson
internal import Glibc

/// The deepest nesting of arrays and objects that a document may have.
package let maximumDepth = 64

/// A position in a document.
package struct JSONCursor {
  private let document: UnsafeRawBufferPointer
  /// What the document is, for sentences: "the changeset".
  private let name: String
  /// Bytes read so far.
  private var position = 0

  /// Starts at the beginning of a document that outlives the cursor.
  ///
  /// - Throws: `.parse` when it is empty or nested deeper than `maximumDepth`.
  package init(_ document: UnsafeRawBufferPointer, name: String) throws(RemoraError) {
    self.document = document
    self.name = name
    guard nestingDepth(of: document) <= maximumDepth else {
      throw RemoraError(.parse, "\(name) is nested deeper than \(maximumDepth) levels")
    }
  }

  /// Walks the members of an object; `visit` must read exactly one value for each name.
  ///
  /// - Parameter what: What it is of the document, unless it is the whole.
  /// - Throws: `.parse` for a syntax error or a name that comes twice, `.format` when this is no object.
  package mutating func object(
    _ what: String? = nil, _ visit: (String, inout JSONCursor) throws(RemoraError) -> Void
  ) throws(RemoraError) {
    guard take(UInt8(ascii: "{")) else {
      _ = try value()
      throw RemoraError.format(what.map { "\($0) of \(name)" } ?? name, "is not a JSON object")
    }
    // Names differ when their bytes do; as strings, two ways to write one accent would be one name.
    var seen: Set<[UInt8]> = []
    if take(UInt8(ascii: "}")) { return }
    repeat {
      skipSpace()
      guard position < document.count, document[position] == UInt8(ascii: "\"") else { throw syntax("a name") }
      guard let key = try value().read({ $0.string }) else { throw syntax("a name") }
      guard !key.utf8.contains(0) else { throw RemoraError(.parse, "\(name) has a NUL in a name") }
      guard seen.insert(Array(key.utf8)).inserted else {
        throw RemoraError(.parse, "\(name) has the name \(key) twice")
      }
      guard take(UInt8(ascii: ":")) else { throw syntax("a colon") }
      try visit(key, &self)
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw syntax("a comma or a closing brace") }
  }

  /// Walks the elements of an array, each parsed and freed before the next.
  ///
  /// - Throws: `.parse` for a syntax error, `.format` when this is no array.
  package mutating func array(
    _ what: String, _ visit: (borrowing ParsedJSON, Int) throws(RemoraError) -> Void
  ) throws(RemoraError) {
    guard take(UInt8(ascii: "[")) else {
      _ = try value()
      throw RemoraError.format("\(what) of \(name)", "is not an array")
    }
    if take(UInt8(ascii: "]")) { return }
    var index = 0
    repeat {
      try visit(try value(), index)
      index &+= 1
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw syntax("a comma or a closing bracket") }
  }

  /// Parses the value at the cursor.
  ///
  /// - Throws: `.parse` with jansson's words and the place.
  package mutating func value() throws(RemoraError) -> ParsedJSON {
    skipSpace()
    guard position < document.count, let start = document.baseAddress else { throw syntax("a value") }
    var error = json_error_t()
    let flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES
    let text = (start + position).assumingMemoryBound(to: CChar.self)
    guard let json = json_loadb(text, document.count &- position, size_t(flags), &error) else {
      let offset = position &+ Int(max(0, error.position))
      throw RemoraError(.parse, "\(name) is not JSON at byte \(offset): \(words(of: error))")
    }
    position = min(document.count, position &+ Int(max(0, error.position)))
    return ParsedJSON(json: json)
  }

  /// Checks that nothing but white space is left.
  package mutating func end() throws(RemoraError) {
    skipSpace()
    guard position == document.count else { throw syntax("the end") }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard position < document.count, document[position] == byte else { return false }
    position &+= 1
    return true
  }

  private mutating func skipSpace() {
    while position < document.count, isSpace(document[position]) { position &+= 1 }
  }

  private func syntax(_ expected: String) -> RemoraError {
    RemoraError(.parse, "\(name) is not JSON at byte \(position): expected \(expected)")
  }
}

/// Whether JSON counts the byte as white space.
func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

/// The deepest nesting of brackets outside strings. Runs before any recursion, whatever the document says.
package func nestingDepth(of document: UnsafeRawBufferPointer) -> Int {
  var depth = 0
  var deepest = 0
  var index = 0
  while index < document.count {
    switch document[index] {
    case UInt8(ascii: "\""):
      index = endOfString(document, from: index &+ 1)
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      depth &+= 1
      deepest = max(deepest, depth)
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      depth &-= 1
    default:
      break
    }
    index &+= 1
  }
  return deepest
}

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

/// jansson's sentence, without the piece of the document that it quotes: values stay out of errors.
private func words(of error: json_error_t) -> String {
  withUnsafeBytes(of: error.text) { text in
    let sentence = text.prefix { $0 != 0 }
    let near = Array(" near '".utf8)
    let end = sentence.indices.first { sentence[$0...].starts(with: near) } ?? sentence.endIndex
    return String(decoding: sentence[..<end], as: UTF8.self)
  }
}
