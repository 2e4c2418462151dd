// SPDX-License-Identifier: Apache-2.0
//
// What expressions mean: the dialect of docs/filters.md, case by case.

import Testing

@testable import Remora

@Suite("Language of filter expressions")
struct FilterLanguageTests {
  /// An expression, and its value as JSON; "error" for any failure.
  struct Case: Sendable, CustomTestStringConvertible {
    let expression: String
    let value: String
    var context = "{}"
    var testDescription: String { expression }

    init(_ expression: String, _ value: String, _ context: String = "{}") {
      (self.expression, self.value, self.context) = (expression, value, context)
    }

    func check() {
      let actual = evaluate(expression, context)
      #expect(value == "error" ? actual.hasPrefix("error: ") : actual == value, "\(expression): \(actual)")
    }
  }

  @Test(
    "operators have the documented precedence, and associate from left to right",
    arguments: [
      Case("2^3^2", "64"), Case("2 + 3 * 4 - 1", "13"), Case("2 * 3 ^ 2", "18"), Case("7 % 4 * 2", "6"),
      Case("-2^2", "4"), Case("1 - -1", "2"), Case("- - 1", "1"), Case("!!1", "true"),
      Case("!a.b", "true", #"{"a":{}}"#),
      Case("1 < 2 == true", "true"), Case("1 == 1 == true", "true"), Case("true || false && false", "false"),
      Case("(1 + 2) * 3", "9"), Case("1 + (2 * 3) + 4", "11"), Case("2 * (1 + 1) ^ 2", "8"),
      Case("[1, 2] intersect [2] == [2]", "true"),
    ])
  func levels(one: Case) { one.check() }

  @Test(
    "the conditional operator has the lowest precedence, and evaluates only one branch",
    arguments: [
      Case("1 == 1 ? 2 : 3", "2"), Case("0 ? 1 : 0 ? 2 : 3", "3"), Case("1 ? 0 ? 4 : 5 : 6", "5"),
      Case("true || false ? 1 : 2", "1"), Case("1 ? 2 : 3 + 4", "2"), Case("0 ?: 7", "7"), Case("5 ?: x", "5"),
      Case("x ?: 7", "7"), Case("x ? 1 : 2", "2"), Case("null ? 1 : 2", "2"), Case("1 ? x : 2", "error"),
      Case("1 ?", "error"), Case("1 ? 2", "error"), Case("1 ? 2 :", "error"),
    ])
  func conditionals(one: Case) { one.check() }

  @Test(
    "if the left operand fails, the operator || evaluates to its right operand, and the operator && fails",
    arguments: [
      Case("x || 1", "1"), Case("x && 1", "error"), Case("1 || x", "1"), Case("0 && x", "0"), Case("0 || x", "error"),
      Case("x == 1 || true", "true"), Case("(x + 1) * 2 || true", "true"), Case("!x", "error"), Case("[x] || 1", "1"),
      Case("1 + x", "error"), Case("(1|none) || 2", "2"),
    ])
  func failures(one: Case) { one.check() }

  @Test(
    "operands of an expression are not converted to another type",
    arguments: [
      Case("\"5\" == 5", "false"), Case("\"5\" != 5", "true"), Case("1 == true", "false"),
      Case("null == false", "false"),
      Case("\"a\" + 1", "error"), Case("true < false", "error"), Case("null < 1", "error"), Case("[] + []", "error"),
      Case("\"a\" - \"b\"", "error"), Case("-\"1\"", "error"), Case("\"b\" > \"a\"", "true"),
      Case("\"Z\" < \"a\"", "true"),
      Case("\"é\" == \"e\u{301}\"", "false"), Case("\"ab\" + 'c'", "\"abc\""), Case("null == null", "true"),
      Case("{a: 1} == {a: 1}", "true"), Case("{a: 1} == {a: 2}", "false"), Case("[1, [2]] == [1, [2]]", "true"),
      Case("[1] == [1, 2]", "false"),
    ])
  func types(one: Case) { one.check() }

  @Test(
    "numbers are doubles, are equal within a millionth, and are null if they are not finite",
    arguments: [
      Case("0.1 + 0.2 == 0.3", "true"), Case("1 == 1.0000005", "true"), Case("1 == 1.00001", "false"),
      Case("1e3", "1000"), Case("1.5E-1", "0.15"), Case(".5", "0.5"), Case("1e+2", "100"), Case("1 / 0", "null"),
      Case("0 / 0", "null"), Case("5 % 0", "null"), Case("10 ^ 400", "null"), Case("1 / 0 == null", "true"),
      Case("-7 // 2", "-4"), Case("-7 % 2", "-1"), Case("1e400", "error"), Case("0x10", "error"),
      Case("1_000", "error"),
      Case("1e", "error"), Case("5.", "error"), Case("9223372036854775807 + 1", "9223372036854776000"),
    ])
  func numbers(one: Case) { one.check() }

  @Test(
    "in a string, a backslash escapes only the quote and the backslash",
    arguments: [
      Case(#"'a\'b'"#, #""a'b""#), Case(#""a\"b""#, #""a\"b""#), Case(#""a\\b""#, #""a\\b""#),
      Case(#""a\nb""#, #""a\\nb""#),
      Case(#""a'b""#, #""a'b""#), Case(#""a"#, "error"), Case(#""a\""#, "error"),
      Case("'é😀'", "\"\\u00e9\\ud83d\\ude00\""),
      Case(#"'\\' + '\''"#, #""\\'""#),
    ])
  func strings(one: Case) { one.check() }

  @Test(
    "a path selects members and elements, and is null if they do not exist",
    arguments: [
      Case("a.b.c", "1", #"{"a":{"b":{"c":1}}}"#), Case("a.x.y.z", "null", #"{"a":{}}"#),
      Case("a[\"b\"]", "1", #"{"a":{"b":1}}"#),
      Case("a[1]", "2", #"{"a":[1,2]}"#), Case("a[1.9]", "2", #"{"a":[1,2]}"#), Case("a[2]", "null", #"{"a":[1,2]}"#),
      Case("a[null]", "error", #"{"a":[1]}"#), Case("[1, 2][0 - 5]", "1"), Case("a[-1]", "1", #"{"a":[1,2]}"#),
      Case("a[-0.5]", "1", #"{"a":[1,2]}"#), Case("[][0 - 1]", "null"), Case("a.nope[0 - 1]", "null", #"{"a":{}}"#),
      Case("\"text\"[0 - 1]", "null"), Case("a[0 - 1e300]", "1", #"{"a":[1]}"#),
      Case("a[1e300]", "null", #"{"a":[1]}"#),
      Case("a.b", "null", #"{"a":"text"}"#), Case("\"text\"[0]", "null"), Case("{a: {b: 2}}.a.b", "2"),
      Case("[1, 2, 3,][2]", "3"), Case("{a: 1, a: 2}", "error"), Case("{}", "{}"), Case("[]", "[]"),
      Case("a.5", "error", "{}"),
      Case("true.x", "null"), Case("a.true", "1", #"{"a":{"true":1}}"#), Case("ä.ö", "1", #"{"ä":{"ö":1}}"#),
      Case("$a_1", "1", #"{"$a_1":1}"#),
    ])
  func paths(one: Case) { one.check() }

  @Test(
    "an expression in brackets after an array selects the elements for which the expression is true",
    arguments: [
      Case("a[.n > 1]|length", "2", #"{"a":[{"n":1},{"n":2},{"n":3},{},{"n":"x"},7]}"#),
      Case("a[.n > 1 && .on].n", "null", #"{"a":[{"n":2,"on":true}]}"#),
      Case("a[.n > 1 && .on][0].n", "2", #"{"a":[{"n":2,"on":true},{"n":3}]}"#),
      Case("a[.b[.c == 1]|length == 1]|length", "1", #"{"a":[{"b":[{"c":1}]},{"b":[]}]}"#),
      Case("a[.n == b]|length", "1", #"{"a":[{"n":1},{"n":2}],"b":2}"#), Case("a[.n]", "error", #"{"a":{"n":1}}"#),
      Case(".n", "error"), Case("[.n]", "error"), Case("(.n)", "error"),
    ])
  func elements(one: Case) { one.check() }

  @Test(
    "a condition in brackets leaves out the array elements to which an operator or transform cannot be applied",
    arguments: [
      Case("a[.n > \"x\"]|length", "0", #"{"a":[{"n":1},{}]}"#), Case("a[1 < .n]|length", "1", #"{"a":[{"n":2},{}]}"#),
      Case("a[-.n < 0]|length", "1", #"{"a":[{"n":2},{}]}"#),
      Case("a[.v|versionCompare(\"2\") < 0]|length", "1", #"{"a":[{"v":"1"},{},{"v":7}]}"#),
      Case("a[.v|versionCompare(\"2\") < 0]|length", "0", #"{"a":[]}"#),
      Case("a[.b[.c == 1]|length == 1]|length", "1", #"{"a":[{"b":[{"c":1}]},{}]}"#), Case("[][.n == 1]", "[]"),
    ])
  func failuresOfElements(one: Case) { one.check() }

  @Test(
    "an error in brackets that does not depend on an element fails the whole filter, even if the array is empty",
    arguments: [
      Case("a[.n == x]|length == 0", "error", #"{"a":[{"n":1}]}"#), Case("a[.n == x]", "error", #"{"a":[]}"#),
      Case("a[.n == 1 + \"x\"]", "error", #"{"a":[{"n":1}]}"#), Case("a[.n == (1|none)]", "error", #"{"a":[{"n":1}]}"#),
      Case("a[.n > 1 && .m == x]", "error", #"{"a":[{"n":2}]}"#),
      Case("a[.n > 1 && .m == 1 + \"x\"]", "error", #"{"a":[{"n":2}]}"#),
      Case("a[.n == x] || 7", "7", #"{"a":[{"n":1}]}"#), Case("a[.n == x || true]|length", "1", #"{"a":[{"n":1}]}"#),
      Case("a[.b[.c == x] || true]|length", "2", #"{"a":[{"b":[{"c":1}]},{}]}"#),
      Case("a[(.b[.c == x] || true) && .n == 1]|length", "1", #"{"a":[{"b":[{"n":9}],"n":1}]}"#),
    ])
  func failuresOfConditions(one: Case) { one.check() }

  @Test(
    "a comment in an expression ends at the end of its line",
    arguments: [
      Case("1 # one", "1"), Case("# first\n1 + # second\r\n 2", "3"), Case("1 #", "1"), Case("\"#\" # \"", "\"#\""),
      Case("# nothing", "error"), Case("1 # é\n+ 1", "2"), Case("a#b\n.c", "1", #"{"a":{"c":1}}"#),
    ])
  func comments(one: Case) { one.check() }

  @Test(
    "true, false, null and in are reserved words, and are also allowed as member names",
    arguments: [
      Case("a.in", "1", #"{"a":{"in":1}}"#), Case("a.null", "1", #"{"a":{"null":1}}"#),
      Case("{true: 1}.true", "1"), Case("{in: 1, intersect: 2}[\"intersect\"]", "2"), Case("in", "error"),
      Case("true", "true", #"{"true":1}"#), Case("undefined", "error"), Case("a.x == undefined", "error", #"{"a":{}}"#),
      Case("NULL", "error"),
    ])
  func reservedWords(one: Case) { one.check() }

  @Test(
    "the in operator searches strings, arrays and objects",
    arguments: [
      Case("\"b\" in \"abc\"", "true"), Case("\"\" in \"abc\"", "true"), Case("\"abcd\" in \"abc\"", "false"),
      Case("\"aab\" in \"aaaab\"", "true"), Case("\"abac\" in \"ababac\"", "true"), Case("1 in [1, 2]", "true"),
      Case("3 in a", "false", #"{"a":[3]}"#), Case("3 in a", "true", #"{"a":[3.0]}"#), Case("\"a\" in {a: 1}", "true"),
      Case("1 in 2", "false"), Case("1 in \"1\"", "error"), Case("1 in {a: 1}", "error"), Case("[1] in [[1]]", "true"),
    ])
  func membership(one: Case) { one.check() }

  @Test(
    "an invalid expression is an error",
    arguments: [
      "", "()", "1 2", "a =", "a = b", "a === b", "a & b", "a b", "a.", "a[", "a[]", "a|", "a|b(", "a|b(1", "[,]",
      "{a}", "{a:}", "{1: 2}", "in", "a in", "1 +", "* 2", "(1", "1)", "]", "}", ":", "?", "#", "a;b", "@", "\u{1}",
      "`a`",
      "a ! b", "a.(b)", "a..b",
    ])
  func syntax(expression: String) {
    #expect(evaluate(expression, #"{"a":1,"b":2}"#).hasPrefix("error: "), "\(expression)")
  }

  @Test("white space of every kind may stand between tokens")
  func space() {
    #expect(evaluate("\u{FEFF}1\u{A0}+\t\n\r\u{B}\u{C}\u{2028}\u{3000}2 ") == "3")
  }
}
