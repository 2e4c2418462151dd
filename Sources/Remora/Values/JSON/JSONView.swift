// SPDX-License-Identifier: Apache-2.0
//
// A view of a parsed value before it is compiled. A dialect reads members by it, removes unusable ones and normalises
// the rest. Only the code that decodes the value may change it, because a view of a removed member refers to freed
// memory.

internal import CJansson

/// A borrowed view of a parsed value; valid within the `read` that created it.
package struct JSONView {
  let json: UnsafeMutablePointer<json_t>

  package var type: ValueType {
    switch json.pointee.type {
    case JSON_TRUE, JSON_FALSE: .bool
    case JSON_INTEGER: .int
    case JSON_REAL: .double
    case JSON_STRING: .string
    case JSON_ARRAY: .array
    case JSON_OBJECT: .object
    default: .null
    }
  }

  /// The integer, if it is one.
  package var int: Int64? { json.pointee.type == JSON_INTEGER ? Int64(json_integer_value(json)) : nil }

  /// Whether it is the boolean `true`.
  package var isTrue: Bool { json.pointee.type == JSON_TRUE }

  package var isObject: Bool { json.pointee.type == JSON_OBJECT }

  /// The bytes of the string, if it is one.
  package var stringBytes: UnsafeRawBufferPointer? {
    guard json.pointee.type == JSON_STRING, let bytes = json_string_value(json) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: json_string_length(json))
  }

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

  /// The integer, if the value is a whole number, in any notation. One written as a real must be below 2⁵³, because a
  /// larger double may stand for a neighbouring integer.
  package var wholeNumber: Int64? {
    if let int { return int }
    guard type == .double else { return nil }
    return Int64(exactly: json_real_value(json)).flatMap { $0.magnitude < 1 << 53 ? $0 : nil }
  }

  /// The members of an object, unordered; empty for other values.
  package var members: [(name: [UInt8], value: JSONView)] {
    var members: [(name: [UInt8], value: JSONView)] = []
    var iterator = json_object_iter(json)
    while let current = iterator {
      if let name = json_object_iter_key(current), let value = json_object_iter_value(current) {
        let bytes = UnsafeRawBufferPointer(start: name, count: json_object_iter_key_len(current))
        members.append((Array(bytes), JSONView(json: value)))
      }
      iterator = json_object_iter_next(json, current)
    }
    return members
  }
}

extension JSONView {
  /// Removes a member of an object.
  package func remove(_ name: [UInt8]) {
    (name + [0]).withUnsafeBytes { chars in
      guard let start = chars.baseAddress else { return }
      _ = json_object_deln(json, start.assumingMemoryBound(to: CChar.self), name.count)
    }
  }

  /// Sets a member to a string.
  package func put(_ text: String, as name: [UInt8]) throws(RemoraError) {
    let isPut = (name + [0]).withUnsafeBytes { chars in
      guard let start = chars.baseAddress else { return false }
      return json_object_setn_new(json, start.assumingMemoryBound(to: CChar.self), name.count, json_string(text)) == 0
    }
    guard isPut else { throw .outOfMemory(for: "a value") }
  }
}
