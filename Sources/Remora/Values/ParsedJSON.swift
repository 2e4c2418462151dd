// SPDX-License-Identifier: Apache-2.0
//
// A value that jansson parsed, before it becomes part of an image or of a dialect's fields. It is freed after
// compiling.

internal import CJansson

/// A parsed value; its memory is freed at the end of the scope.
package struct ParsedJSON: ~Copyable {
  /// jansson's value; owned.
  let json: UnsafeMutablePointer<json_t>

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

/// A borrowed view of a parsed value; valid within the `read` that created it.
package struct JSONView {
  let json: UnsafeMutablePointer<json_t>

  /// The integer, if it is one.
  package var int: Int64? { json.pointee.type == JSON_INTEGER ? Int64(json_integer_value(json)) : nil }

  /// Whether it is the boolean `true`.
  package var isTrue: Bool { json.pointee.type == JSON_TRUE }

  /// Whether it is an object.
  package var isObject: Bool { json.pointee.type == JSON_OBJECT }

  /// The bytes of the string, if it is one.
  package var stringBytes: UnsafeRawBufferPointer? {
    guard json.pointee.type == JSON_STRING, let bytes = json_string_value(json) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: json_string_length(json))
  }

  /// The string, if it is one.
  package var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The member of that name, if this is an object that has one.
  package func member(_ name: StaticString) -> JSONView? {
    name.withUTF8Buffer { bytes in
      json_object_getn(json, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), bytes.count)
    }.map(JSONView.init)
  }

  /// The elements, if this is an array.
  package var elements: [JSONView]? {
    guard json.pointee.type == JSON_ARRAY else { return nil }
    return (0..<json_array_size(json)).compactMap { json_array_get(json, $0).map(JSONView.init) }
  }
}
