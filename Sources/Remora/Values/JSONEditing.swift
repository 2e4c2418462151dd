// SPDX-License-Identifier: Apache-2.0
//
// Edits of a parsed value before it is compiled: a dialect removes unusable members and normalises the rest. Only for
// the code that decodes the value, because a view of a removed member refers to freed memory.

internal import CJansson

extension JSONView {
  /// The type of the value.
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
    guard isPut else { throw RemoraError(.unavailable, "no memory for a value") }
  }
}

extension ParsedJSON {
  /// The value null.
  package static func null() throws(RemoraError) -> ParsedJSON {
    guard let json = json_null() else { throw RemoraError(.internal, "jansson has no null value") }
    return ParsedJSON(json: json)
  }
}
