// SPDX-License-Identifier: Apache-2.0
//
// Expressions of other projects have the values that these expect, but where Tests/Conformance.md says otherwise.

import Testing

@testable import Remora

@Suite("Test vectors of filter expressions", .vectors)
struct FilterVectorTests {
  @Test("the vector files have at least 190 filter expressions and 18 comparisons of versions")
  func complete() {
    #expect(FilterRow.all.count >= 190)
    #expect(VersionRow.all.count >= 18)
  }

  @Test(
    "an expression has the value that the reference client expects, or that Tests/Conformance.md lists",
    arguments: FilterRow.all)
  func row(row: FilterRow) {
    let actual = evaluate(row.expression, row.context)
    let difference = FilterDifference.of(row)
    #expect(row.isMet(by: actual) == (difference == nil), "\(row.expression): \(actual), expected \(row.expected)")
    if let difference { #expect(actual.hasPrefix(difference.value), "\(row.expression): \(actual)") }
  }

  @Test("every difference from the reference client has a test vector, and is listed in Tests/Conformance.md")
  func differences() throws {
    let page = String(decoding: try readFile(FilterDifference.page, limit: 1 << 20), as: UTF8.self)
    for difference in FilterDifference.all {
      #expect(FilterRow.all.contains { FilterDifference.of($0)?.line == difference.line }, "\(difference.expression)")
      #expect(page.contains("\n\(difference.line)"), "\(difference.expression)")
    }
    let listed = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("| row of ") }
    #expect(listed.count == FilterDifference.all.count)
  }

  @Test("each pair of versions in the vectors has the expected order, in both directions", arguments: VersionRow.all)
  func versions(row: VersionRow) throws {
    guard let expected = row.expected else {
      #expect(throws: FilterError.self) { try compareMozillaVersions(Array(row.a.utf8), Array(row.b.utf8)) }
      return
    }
    #expect(try compareMozillaVersions(Array(row.a.utf8), Array(row.b.utf8)) == expected)
    #expect(try compareMozillaVersions(Array(row.b.utf8), Array(row.a.utf8)) == -expected)
  }
}

/// A row of rows.json.
struct FilterRow: Sendable, CustomTestStringConvertible {
  let source: String
  let expression: String
  /// JSON.
  let context: String
  /// JSON: the value, `{"$error":…}` or `{"$undefined":true}`; "included" or "hidden" for a filter.
  let expected: String

  var testDescription: String { expression }

  static let all: [FilterRow] = rows("rows.json").compactMap { row in
    guard let expression = row["expression"]?.text, let source = row["source"]?.text else { return nil }
    let expected: String
    if case .bool(let isIncluded)? = row["included"] {
      expected = isIncluded ? "included" : "hidden"
    } else {
      guard case .object(let wanted)? = row["expected"], let value = wanted["value"] ?? row["expected"] else {
        return nil
      }
      expected = value.json
    }
    return FilterRow(source: source, expression: expression, context: row["context"]?.json ?? "{}", expected: expected)
  }

  func isMet(by actual: String) -> Bool {
    switch expected {
    case "included": actual == "true"
    case "hidden": actual != "true"
    case _ where expected.hasPrefix("{\"$error\""): actual.hasPrefix("error: ")
    case _ where expected.hasPrefix("{\"$undefined\""): actual == "null"
    default: actual == expected
    }
  }
}

/// A row of version_compare.json; nil is an error.
struct VersionRow: Sendable {
  let a: String
  let b: String
  let expected: Int?

  static let all: [VersionRow] = rows("version_compare.json").compactMap { row in
    guard let a = row["a"]?.text, let b = row["b"]?.text, let expected = row["expected"] else { return nil }
    if case .int(let order) = expected { return VersionRow(a: a, b: b, expected: Int(order)) }
    return VersionRow(a: a, b: b, expected: nil)
  }
}

/// The rows of a file, as jansson alone reads them; none without the vectors.
private func rows(_ file: String) -> [[String: WalkedJSON]] {
  guard Vectors.folder != nil, case .array(let rows)? = try? WalkedJSON(file: Vectors.path("jexl/\(file)")) else {
    return []
  }
  return rows.compactMap { row in
    guard case .object(let members) = row else { return nil }
    return members
  }
}

extension WalkedJSON {
  fileprivate var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// JSON text, members sorted.
  fileprivate var json: String {
    switch self {
    case .double(let number): javaScriptText(of: number)
    case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
    case .object(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\(Self.string($0.key).canonical):\($0.value.json)" }.joined(separator: ","))}"
    default: canonical
    }
  }
}
