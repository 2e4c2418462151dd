// SPDX-License-Identifier: Apache-2.0
//
// The rows of other projects that Remora means to answer differently; Tests/Conformance.md has them with the reasons.

/// A row and what Remora makes of it.
struct FilterDifference: Sendable {
  let source: String
  let expression: String
  /// How the value, or the error, begins.
  let value: String

  init(_ source: String, _ expression: String, _ value: String) {
    self.source = source
    self.expression = expression
    self.value = value
  }

  static let all: [FilterDifference] = [
    FilterDifference("jexl-rs", #"'T_T'|lower"#, "error: "),
    FilterDifference("mozjexl+Jexl", #"foo|half + 3"#, "error: "),
    FilterDifference("mozjexl+Jexl", #""hello"|toCase({case:"upper"})"#, "error: "),
    FilterDifference("pyjexl", #"4|foo"#, "error: "),
    FilterDifference("mozjexl+Jexl", #""Hello" + (4+4) + "Wo\"rld""#, "error: "),
    FilterDifference("mozjexl+Jexl", #""foo".length + {foo: "bar"}.foo"#, "error: "),
    FilterDifference("mozjexl+Jexl", #"1*!!true-2"#, "error: "),
    FilterDifference("mozjexl+Jexl", #"6+x -  -17.55*y<= !foo.bar["baz\"foz"]"#, "error: "),
    FilterDifference("mozjexl+Jexl", #""foo".length"#, "null"),
    FilterDifference("mozjexl+Jexl", #"("foo" + "bar").length"#, "null"),
    FilterDifference("mozjexl+Jexl", #"foo.bar.tek.hello"#, "null"),
    FilterDifference("mozjexl", #"foo.bar[.size > 1].baz"#, "error: "),
    FilterDifference("pyjexl", #"true && 1/0"#, "null"),
    FilterDifference("firefox-filters", #"1"#, "1"),
    FilterDifference("firefox-filters", #"[42]"#, "[42]"),
    FilterDifference("firefox-filters", #"(["a", "b"] intersect ["a", 1, 4]) == "a""#, "false"),
  ]

  /// The page that lists them.
  static let page = "\(#filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" })/Tests/Conformance.md"

  static func of(_ row: FilterRow) -> FilterDifference? {
    all.first { $0.expression == row.expression && $0.source == row.source }
  }

  /// The beginning of its line in the page.
  var line: String {
    let escaped = expression.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    return "| `\(escaped)` | row of \(source) |"
  }
}
