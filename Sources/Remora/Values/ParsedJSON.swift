// SPDX-License-Identifier: Apache-2.0
//
// What jansson parsed, on its way into an image or a dialect's fields. After compiling nothing of it survives.

internal import CJansson

/// One parsed value; the memory goes back to jansson at the end of the scope.
package struct ParsedJSON: ~Copyable {
  /// jansson's value; owned.
  let json: UnsafeMutablePointer<json_t>

  deinit { json_decref(json) }

  /// Looks at the value, which stays until `body` returns. A property could be asked of a value that nobody keeps, and
  /// would then be a look at freed memory.
  @inline(__always)
  package borrowing func read<Answer, Failure: Error>(
    _ body: (JSONView) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try body(JSONView(json: json))
  }
}

/// A borrowed look at a parsed value; valid inside the `read` that gave it.
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
