// SPDX-License-Identifier: Apache-2.0
//
// Walks a JSON document and lets jansson parse one value at a time, so that a long array of records is decoded,
// compiled and freed piece by piece. Delimiters and the limits of depth and count are checked here.

internal import CJansson
internal import Glibc

/// The maximum nesting of arrays and objects in a document.
package let maximumDepth = 64

/// The maximum number of parts of a value that is parsed at once (a record, a namespace, a member of settings), and of
/// values that a document contains. jansson needs up to 200 bytes for a part.
package let maximumParts = 1_000_000

/// A position in a document.
package struct JSONCursor {
  private let text: DocumentText
  /// The name of the document in error messages: "the changeset".
  private let name: String
  /// Whether one of its values may have too many parts.
  private let isDense: Bool
  /// The number of bytes read so far.
  private var position = 0

  private var document: UnsafeRawBufferPointer { text.bytes }

  /// Starts at the beginning of a document that outlives the cursor.
  package init(_ document: UnsafeRawBufferPointer, name: String) throws(RemoraError) {
    try self.init(DocumentText(document), name: name)
  }

  /// Starts at the beginning of a text. Values that were read are discarded from its memory.
  ///
  /// - Throws: `.parse` if it is empty or nested deeper than `maximumDepth`.
  package init(_ text: DocumentText, name: String) throws(RemoraError) {
    self.text = text
    self.name = name
    let shape = JSONShape(of: text.bytes)
    guard shape.depth <= maximumDepth else {
      throw RemoraError(.parse, "\(name) is nested deeper than \(maximumDepth) levels")
    }
    isDense = shape.parts > maximumParts
  }

  /// Walks the members of an object; `visit` must read exactly one value for each name.
  ///
  /// - Parameter what: The name of this part of the document in messages; nil for the whole document.
  /// - Throws: `.parse` for a syntax error or a duplicate name; `.format` if the value is not an object.
  package mutating func object(
    _ what: String? = nil, _ visit: (String, inout JSONCursor) throws(RemoraError) -> Void
  ) throws(RemoraError) {
    guard take(UInt8(ascii: "{")) else {
      _ = try value()
      throw RemoraError.format(what.map { "\($0) of \(name)" } ?? name, "is not a JSON object")
    }
    // Compared as bytes: Swift strings treat different encodings of one accented letter as equal.
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
      guard seen.count <= maximumParts else { throw tooMany("members") }
      guard take(UInt8(ascii: ":")) else { throw syntax("a colon") }
      try visit(key, &self)
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw syntax("a comma or a closing brace") }
  }

  /// Walks the elements of an array, each parsed and freed before the next.
  ///
  /// - Throws: `.parse` for a syntax error; `.format` if the value is not an array.
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
      guard index < maximumParts else { throw tooMany("elements of \(what)") }
      try visit(try value(), index)
      index &+= 1
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw syntax("a comma or a closing bracket") }
  }

  /// Parses the value at the cursor.
  ///
  /// - Throws: `.parse` with jansson's message and the position; `.tooLarge`, before parsing, for a value with too many
  ///   parts; `.unavailable` if memory is exhausted.
  package mutating func value() throws(RemoraError) -> ParsedJSON {
    skipSpace()
    guard position < document.count, let start = document.baseAddress else { throw syntax("a value") }
    if isDense, JSONShape.parts(ofValueAt: position, in: document) > maximumParts {
      throw tooMany("elements and members in the value at byte \(position)")
    }
    var error = json_error_t()
    let flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES
    let first = (start + position).assumingMemoryBound(to: CChar.self)
    errno = 0
    let parsed = json_loadb(first, document.count &- position, size_t(flags), &error)
    // After some failed allocations jansson continues, with a part of a text missing.
    let isOutOfMemory = errno == ENOMEM
    guard let json = parsed, !isOutOfMemory else {
      json_decref(parsed)
      throw parseFailure(error, at: position, isOutOfMemory: isOutOfMemory, name)
    }
    position = min(document.count, position &+ Int(max(0, error.position)))
    text.discard(before: position)
    return ParsedJSON(json: json)
  }

  /// Checks that only white space is left.
  package mutating func end() throws(RemoraError) {
    skipSpace()
    guard position == document.count else { throw syntax("the end of the document") }
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

  private func tooMany(_ what: String) -> RemoraError {
    RemoraError(.tooLarge, "\(name) has more than \(maximumParts) \(what)")
  }

  private func syntax(_ expected: String) -> RemoraError {
    RemoraError(.parse, "\(name) is not JSON at byte \(position): expected \(expected)")
  }
}

/// Whether the byte is JSON white space.
func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

/// Returns the error for a value that jansson did not parse. If jansson could not allocate memory, it sets no message,
/// and an error code in some cases only.
func parseFailure(_ error: json_error_t, at start: Int, isOutOfMemory: Bool, _ name: String) -> RemoraError {
  var error = error
  if isOutOfMemory || json_error_code(&error) == json_error_out_of_memory || words(of: error).isEmpty {
    return RemoraError(.unavailable, "\(name) cannot be parsed: no memory")
  }
  let offset = start &+ Int(max(0, error.position))
  return RemoraError(.parse, "\(name) is not JSON at byte \(offset): \(words(of: error))")
}

/// Returns jansson's message without the part of the document that it quotes, because errors must not contain values.
private func words(of error: json_error_t) -> String {
  withUnsafeBytes(of: error.text) { text in
    let sentence = text.prefix { $0 != 0 }
    let near = Array(" near '".utf8)
    let end = sentence.indices.first { sentence[$0...].starts(with: near) } ?? sentence.endIndex
    return String(decoding: sentence[..<end], as: UTF8.self)
  }
}
