// SPDX-License-Identifier: Apache-2.0

/// The JSON types; raw values are those of an image and of the C header.
package enum ValueType: UInt8, Sendable {
  case null = 1
  case bool, int, double, string, array, object

  /// The type's name in messages, with its article.
  package var name: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .int: "an integer"
    case .double: "a double"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The type's name for programs.
  package var word: StaticString {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .int: "int"
    case .double: "double"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}
