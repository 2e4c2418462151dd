// SPDX-License-Identifier: Apache-2.0
//
// A value that jansson parsed, before it becomes part of an image or of a dialect's fields. It is freed after
// compiling.

internal import CJansson
internal import Glibc

/// A parsed value; its memory is freed at the end of the scope.
package struct ParsedJSON: ~Copyable {
  /// jansson's value; owned.
  let json: UnsafeMutablePointer<json_t>

  init(json: UnsafeMutablePointer<json_t>) { self.json = json }

  /// Parses the value that begins at a position, and moves the position to its end.
  ///
  /// - Parameters:
  ///   - end: The end of the value, or of the whole text.
  ///   - scan: What was found in these bytes.
  ///   - name: The name of the document in messages.
  /// - Throws: `.parse` with jansson's message and the position; `.unavailable` if memory is exhausted.
  init(
    _ bytes: UnsafeRawBufferPointer, at position: inout Int, end: Int, scan: borrowing JSONScan, of name: String
  ) throws(RemoraError) {
    var error = json_error_t()
    let flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL
    var text = try PointFreeText(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), hasPoint: scan.hasPoint)
    let chars = text.bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    errno = 0
    var parsed = json_loadb(chars, text.bytes.count, size_t(flags), &error)
    if let value = parsed, lacksMembers(value, of: scan.parts) {
      json_decref(value)
      parsed = json_loadb(chars, text.bytes.count, size_t(flags | JSON_REJECT_DUPLICATES), &error)
    }
    // After some failed allocations jansson continues, with a part of a text missing. errno is ENOMEM also after
    // allocations that succeeded: if the heap cannot grow, glibc maps memory instead.
    let isAlarming = errno == ENOMEM
    error.position = Int32(clamping: text.originalPosition(of: Int(max(0, error.position))))
    let next = min(end, position &+ Int(error.position))
    let read = UnsafeRawBufferPointer(rebasing: bytes[position..<next])
    guard let parsed, !isAlarming || isComplete(parsed, parsedFrom: read) else {
      json_decref(parsed)
      throw parseFailure(error, at: position, isOutOfMemory: isAlarming, name)
    }
    position = next
    json = parsed
  }

  package static func null() throws(RemoraError) -> ParsedJSON {
    guard let json = json_null() else { throw .bug("jansson has no null value") }
    return ParsedJSON(json: json)
  }

  /// Parses a JSON text that is one value.
  ///
  /// - Parameter name: The name of the text in messages.
  package init(text: UnsafeRawBufferPointer, named name: String) throws(RemoraError) {
    var only = OnlyValue()
    try JSONReader.read(text, named: name, &only)
    guard let json = only.json else { throw .bug("\(name) has no value") }
    self.json = json_incref(json)
  }

  deinit { json_decref(json) }

  /// Calls `body` with a view of the value, which stays valid until `body` returns. This is not a property, because a
  /// property of a temporary value would return a view of freed memory.
  @inline(__always)
  package borrowing func read<Answer, Failure: Error>(
    _ body: (JSONView) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try body(JSONView(json: json))
  }
}

/// Receives the value of a text that is one value.
private struct OnlyValue: JSONVisitor, ~Copyable {
  /// jansson's value; owned.
  private(set) var json: UnsafeMutablePointer<json_t>?

  deinit { json_decref(json) }

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool { false }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) { json = json_incref(value.json) }
}

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
