// SPDX-License-Identifier: Apache-2.0
//
// A JSON value as a Swift value, for programs that do not know its type, and for overrides.

internal import Remora

/// A JSON value. Numbers that have no fraction in the document are integers.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The boolean; nil for any other value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer, also of a double that is exactly an integer; nil for any other value.
  public var int: Int? {
    switch self {
    case .int(let value): Int(exactly: value)
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The double, or an integer that a double represents exactly; nil for any other value.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(exactly: value)
    default: nil
    }
  }

  /// The string; nil for any other value.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The elements of an array; nil for any other value.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The members of an object; nil for any other value.
  public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

  /// The member of an object with this name; nil if the member does not exist, or for any other value.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// The element of an array at this index; nil if the element does not exist, or for any other value.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue {
  /// Copies a value of an image.
  init(_ value: Remora.Value) {
    switch value.type {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .int: self = .int(value.int ?? 0)
    case .double: self = .double(value.double ?? 0)
    case .string: self = .string(value.text ?? "")
    case .array: self = .array((0..<value.count).compactMap { value.element(at: $0).map(JSONValue.init) })
    case .object:
      var members: [String: JSONValue] = [:]
      for index in 0..<value.count {
        guard let (name, member) = value.member(at: index) else { continue }
        members[String(decoding: name, as: UTF8.self)] = JSONValue(member)
      }
      self = .object(members)
    }
  }
}

extension Value {
  /// The string; nil for any other value.
  var text: String? { string.map { String(decoding: $0, as: UTF8.self) } }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Dictionary(members) { _, last in last })
  }
}
