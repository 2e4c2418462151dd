// SPDX-License-Identifier: Apache-2.0
//
// Expressions and contexts as texts, and values as JSON.

import Testing

@testable import Remora

/// A value as JSON text, or "error: " and why there is none.
func evaluate(_ expression: String, _ context: String = "{}", preferences: String = "{}") -> String {
  do {
    return try text(of: value(of: expression, context, preferences: preferences))
  } catch let error as FilterError {
    return "error: \(error.message)"
  } catch {
    return "\(error)"
  }
}

/// The value of an expression; `context` has what it can name.
func value(of expression: String, _ context: String = "{}", preferences: String = "{}") throws -> FilterValue {
  let tree = try FilterParser.parse(Array(expression.utf8))
  let context = FilterContext(identifiers: try filterValue(context), preferences: try filterValue(preferences))
  return try FilterEvaluator.evaluate(tree, in: context)
}

/// The value of a JSON text.
func filterValue(_ json: String) throws -> FilterValue {
  let snapshot = try makeSnapshot("{\"k\":\(json)}")
  return try withExtendedLifetime(snapshot) { FilterValue(try #require(snapshot.value("k"))) }
}

/// A value as JSON; whole numbers without a point, whether they are integers or not.
func text(of value: FilterValue) -> String {
  switch value {
  case .null: "null"
  case .bool(let bool): "\(bool)"
  case .int(let int): "\(int)"
  case .number(let number): javaScriptText(of: number)
  case .string(let bytes): WalkedJSON.string(String(decoding: bytes, as: UTF8.self)).canonical
  case .array(let items): "[\(items.map { text(of: $0) }.joined(separator: ","))]"
  case .object(let members):
    "{\(members.map { "\"\(String(decoding: $0.name, as: UTF8.self))\":\(text(of: $0.value))" }.joined(separator: ","))}"
  }
}
