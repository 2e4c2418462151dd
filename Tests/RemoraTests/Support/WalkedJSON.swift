// SPDX-License-Identifier: Apache-2.0
//
// JSON as jansson alone reads it: a second opinion on values and on their canonical text.

import CJansson

@testable import Remora

/// A value of plain Swift.
indirect enum WalkedJSON {
  case null, bool(Bool), int(Int64), double(Double), string(String), array([WalkedJSON]), object([String: WalkedJSON])

  private init(_ json: UnsafeMutablePointer<json_t>?) {
    guard let json else {
      self = .null
      return
    }
    switch json.pointee.type {
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    case JSON_INTEGER: self = .int(Int64(json_integer_value(json)))
    case JSON_REAL: self = .double(json_real_value(json))
    case JSON_STRING: self = .string(json_string_value(json).map { String(cString: $0) } ?? "")
    case JSON_ARRAY: self = .array((0..<json_array_size(json)).map { WalkedJSON(json_array_get(json, $0)) })
    case JSON_OBJECT:
      var members: [String: WalkedJSON] = [:]
      var iterator = json_object_iter(json)
      while let current = iterator {
        if let key = json_object_iter_key(current) {
          members[String(cString: key)] = WalkedJSON(json_object_iter_value(current))
        }
        iterator = json_object_iter_next(json, current)
      }
      self = .object(members)
    default: self = .null
    }
  }

  /// What a file holds.
  init(file path: String) throws {
    guard let json = json_load_file(path, 0, nil) else { throw RemoraError(.parse, path) }
    defer { json_decref(json) }
    self.init(json)
  }

  /// The records of packaged data by their ids.
  static func records(inFile path: String) throws -> [String: WalkedJSON] {
    guard case .object(let members) = try WalkedJSON(file: path), case .array(let records)? = members["data"] else {
      return [:]
    }
    var byID: [String: WalkedJSON] = [:]
    for record in records {
      guard case .object(let fields) = record, case .string(let id)? = fields["id"] else { continue }
      byID[id] = record
    }
    return byID
  }

  /// The canonical text, by the rules of canonicaljson-rs; doubles are left to the rows of its own tests.
  var canonical: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .double: return "a double"
    case .string(let text): return Self.quoted(text)
    case .array(let elements): return "[\(elements.map(\.canonical).joined(separator: ","))]"
    case .object(let members):
      let sorted = members.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
      return "{\(sorted.map { "\(Self.quoted($0.key)):\($0.value.canonical)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let short: [UInt16: String] = [
      8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: "\\\"", 92: "\\\\",
    ]
    let units = text.utf16.map { unit -> String in
      if let escape = short[unit] { return escape }
      if (0x20..<0x7F).contains(unit) { return String(UnicodeScalar(UInt8(unit))) }
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(units.joined())\""
  }

  /// Whether a value of an image reads the same, member by member.
  func isSame(as value: Value) -> Bool {
    switch self {
    case .null: return value.type == .null
    case .bool(let flag): return value.bool == flag
    case .int(let number): return value.type == .int && value.int == number
    case .double(let number): return value.type == .double && value.double == number
    case .string(let text): return value.string.map { $0.elementsEqual(text.utf8) } ?? false
    case .array(let elements):
      guard value.type == .array, value.count == elements.count else { return false }
      return elements.indices.allSatisfy { index in value.element(at: index).map(elements[index].isSame) ?? false }
    case .object(let members):
      guard value.type == .object, value.count == members.count else { return false }
      return members.allSatisfy { name, member in
        name.withBytes { value.member(named: $0) }.map(member.isSame) ?? false
      }
    }
  }
}
