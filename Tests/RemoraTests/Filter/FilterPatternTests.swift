// SPDX-License-Identifier: Apache-2.0
//
// regExpMatch: what its patterns match, what they refuse, and that none takes for ever.

import Testing

@testable import Remora

@Suite("Regular expressions in filters")
struct FilterPatternTests {
  /// A pattern, a text, and the match with its groups as JSON, or "null", or "error".
  struct Case: Sendable, CustomTestStringConvertible {
    let pattern: String
    let text: String
    let match: String
    let flags: String
    var testDescription: String { "\(pattern) on \(text)" }

    init(_ pattern: String, _ text: String, _ match: String, _ flags: String = "") {
      (self.pattern, self.text, self.match, self.flags) = (pattern, text, match, flags)
    }
  }

  @Test(
    "a regular expression matches as in JavaScript",
    arguments: [
      Case("^foo(.+?)$", "foobar", #"["foobar","bar"]"#), Case("^foo(.+?)$", "FOObar", #"["FOObar","bar"]"#, "i"),
      Case("^foo(.+?)$", "F00bar", "null", "i"), Case("b", "abc", #"["b"]"#), Case("", "abc", #"[""]"#),
      Case("a|ab", "ab", #"["a"]"#),
      Case("(a)|(b)", "b", #"["b",null,"b"]"#), Case("a*", "aaab", #"["aaa"]"#), Case("a*?b", "aab", #"["aab"]"#),
      Case("a{2}", "aaa", #"["aa"]"#), Case("a{2,}", "aaaa", #"["aaaa"]"#), Case("a{1,2}?", "aaa", #"["a"]"#),
      Case("a{0}", "a", #"[""]"#),
      Case("a{,2}", "a{,2}", #"["a{,2}"]"#), Case("[a-c]+", "xxabcd", #"["abc"]"#),
      Case("[^a-c]+", "abxyc", #"["xy"]"#),
      Case(#"[\d.-]+"#, "v1.2-3", #"["1.2-3"]"#), Case(#"[^\W_]+"#, "_ab_", #"["ab"]"#), Case("[]", "a", "null"),
      Case("[^]", "a", #"["a"]"#),
      Case("[a-]", "-", #"["-"]"#), Case(#"\bfoo\b"#, "a foo b", #"["foo"]"#), Case(#"\Boo"#, "foo", #"["oo"]"#),
      Case(#"\w+\s\w+"#, "a b", #"["a b"]"#),
      Case("a.c", "a\nc", "null"), Case("a.c", "a\nc", "[\"a\\nc\"]", "s"), Case("^b$", "a\nb\nc", "null"),
      Case("^b$", "a\nb\nc", #"["b"]"#, "m"),
      Case(#"\x41\u0042"#, "AB", #"["AB"]"#), Case("(?:ab)+(c)", "ababc", #"["ababc","c"]"#),
      Case("(a*)*", "b", #"["",null]"#),
      Case("(a|b)*c", "abac", #"["abac","a"]"#), Case("(?:)*x", "x", #"["x"]"#),
      Case("é.", "xé😀", "[\"\\u00e9\\ud83d\\ude00\"]"),
      Case("[A-Z]+", "abc", #"["abc"]"#, "i"), Case("[^a]", "A", "null", "i"), Case("(a?)?b", "ab", #"["ab","a"]"#),
    ])
  func matches(one: Case) throws { #expect(try match(one) == one.match) }

  @Test(
    "an invalid or unsupported regular expression is an error",
    arguments: [
      "(", ")", "a)", "[", "[b-a]", "*", "a**", "a{3,2}", "{1}", "(?=a)", "(?!a)", "(?<=a)", "(?<n>a)", #"(a)\1"#,
      #"\k<n>"#, #"\p{L}"#, "\\",
      #"\xZZ"#, "^*", "a{2001}", "(a{100}){100}", "((?:){9999}){9999}",
    ])
  func refusals(pattern: String) {
    #expect(throws: FilterError.self) { try match(Case(pattern, "a", "")) }
  }

  @Test("an unknown flag of a regular expression is an error")
  func flags() {
    #expect(throws: FilterError.self) { try match(Case("a", "a", "", "g")) }
  }

  @Test("matching does not take exponential time with a malicious regular expression")
  func catastrophes() throws {
    let text = String(repeating: "a", count: 1000)
    for pattern in ["(a+)+b", "(a|aa)+b", "(a*)*b", "(a|a?)+b", "(.*)*(.*)*b"] {
      #expect(try match(Case(pattern, text, "null")) == "null", "\(pattern)")
    }
  }

  @Test("a very long regular expression search ends at the limit of evaluation steps")
  func limit() {
    let error = #expect(throws: FilterError.self) {
      try match(Case("a.*b.*c.*d", String(repeating: "abc", count: 5000), ""))
    }
    #expect(error?.isLimit == true)
  }

  private func match(_ one: Case) throws -> String {
    var budget = FilterBudget()
    return text(
      of: try FilterPattern(Array(one.pattern.utf8), flags: Array(one.flags.utf8)).match(Array(one.text.utf8), &budget))
  }
}
