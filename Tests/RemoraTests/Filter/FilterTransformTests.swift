// SPDX-License-Identifier: Apache-2.0
//
// What stands behind a `|`: values, and arguments that do not fit.

import Testing

@testable import Remora

@Suite("Transforms in filter expressions")
struct FilterTransformTests {
  typealias Case = FilterLanguageTests.Case

  @Test(
    "a date is converted to milliseconds since 1970, in UTC if it has no time zone",
    arguments: [
      Case("\"1970-01-01\"|date", "0"), Case("\"2016-03-22\"|date", "1458604800000"),
      Case("\"2016\"|date", "1451606400000"),
      Case("\"2016-02\"|date", "1454284800000"), Case("\"2016-02-29T12:30\"|date", "1456749000000"),
      Case("\"2016-02-29T12:30:15.25Z\"|date", "1456749015250"),
      Case("\"2016-02-29 12:30:15+01:30\"|date", "1456743615000"),
      Case("\"1969-12-31T23:59:59.999Z\"|date", "-1"), Case("\"0000-01-01\"|date", "-62167219200000"),
      Case("\"9999-12-31T24:00\"|date", "253402300800000"), Case("5|date", "5"), Case("\"2015-02-29\"|date", "error"),
      Case("\"2016-13-01\"|date", "error"), Case("\"2016-1-1\"|date", "error"), Case("\"2016-01-01T1\"|date", "error"),
      Case("\"2016-01-01T24:01\"|date", "error"), Case("\"2016-01-01T10:00X\"|date", "error"),
      Case("\"\"|date", "error"),
      Case("\"2016-01-01T10:00:00.\"|date", "error"), Case("null|date", "error"), Case("\"yesterday\"|date", "error"),
    ])
  func dates(one: Case) { one.check() }

  @Test(
    "transforms return the keys, values, length and elements of arrays, objects and strings",
    arguments: [
      Case("{b: 1, a: 2}|keys", #"["a","b"]"#), Case("[7, 8]|keys", #"["0","1"]"#), Case("5|keys", "null"),
      Case("{b: 1, a: [2]}|values", "[[2],1]"), Case("[7, 8]|values", "[7,8]"), Case("5|values", "null"),
      Case("\"ab\"|values", "null"),
      Case("[1, null, {}]|length", "3"), Case("\"abc\"|length", "null"), Case("[]|length", "0"),
      Case("[1, 2]|last", "2"),
      Case("[]|last", "null"), Case("1|last", "null"),
      Case("[{a: 1}, {b: 2}, 3]|mapToProperty(\"a\")", "[1,null,null]"),
      Case("5|mapToProperty(\"a\")", "null"), Case("[]|mapToProperty", "error"), Case("5 intersect [5]", "null"),
      Case("a intersect [5]", "[5]", #"{"a":[4,5]}"#), Case("[[1], \"a\", 2] intersect [\"a\", [1]]", #"[[1],"a"]"#),
      Case("1|keys|length", "null"), Case("{a: [1, 2]}.a|last + 1", "3"), Case("[1]|none", "error"),
    ])
  func collections(one: Case) { one.check() }

  @Test(
    "versionCompare needs two strings",
    arguments: [
      Case("\"1\"|versionCompare(\"2\")", "-1"), Case("\"1\"|versionCompare", "error"),
      Case("1|versionCompare(\"1\")", "error"),
      Case("null|versionCompare(\"1\") || true", "true"), Case("\"1\"|versionCompare(2)", "error"),
      Case("\"2147483647+\"|versionCompare(\"1\")", "error"), Case("\"*\"|versionCompare(\"2147483646\")", "1"),
      Case("\"\"|versionCompare(\"0\")", "0"), Case("\"1..2\"|versionCompare(\"1.0.2\")", "0"),
    ])
  func versions(one: Case) { one.check() }

  @Test("any two versions compare in the order that Mozilla documents, in both directions")
  func versionOrder() throws {
    let order = [
      ["1.0pre1"], ["1.0pre2"], ["1.0", "1.0.0", "1.0.0.0"], ["1.1pre", "1.1pre0", "1.0+"], ["1.1pre1a"], ["1.1pre1"],
      ["1.1pre10a"], ["1.1pre10"],
    ]
    for (rank, lefts) in order.enumerated() {
      for (otherRank, rights) in order.enumerated() {
        for (left, right) in lefts.flatMap({ left in rights.map { (left, $0) } }) {
          let expected = (rank - otherRank).signum()
          #expect(evaluate("\"\(left)\"|versionCompare(\"\(right)\")") == "\(expected)", "\(left) \(right)")
        }
      }
    }
  }

  @Test("the preference transforms read the preferences that the program set")
  func preferences() {
    let preferences = #"{"a.b":7,"c":false,"n":null}"#
    func check(_ expression: String, _ value: String) {
      #expect(evaluate(expression, preferences: preferences) == value, "\(expression)")
    }
    check("\"a.b\"|preferenceValue", "7")
    check("\"a.b\"|preferenceValue(5)", "7")
    check("\"c\"|preferenceValue(true)", "false")
    check("\"x\"|preferenceValue", "null")
    check("\"x\"|preferenceValue(5)", "5")
    check("\"c\"|preferenceExists && \"c\"|preferenceIsUserSet", "true")
    check("\"x\"|preferenceExists || \"x\"|preferenceIsUserSet", "false")
    #expect(evaluate("5|preferenceValue").hasPrefix("error: "))
  }

  @Test(
    "the sampling transforms return the same results as Firefox",
    arguments: [
      Case("[\"test-1\"]|stableSample(0.5)", "true"), Case("[\"test-4\"]|stableSample(0.5)", "false"),
      Case("[\"test-1\"]|bucketSample(0, 5, 10)", "true"), Case("[\"test-4\"]|bucketSample(0, 5, 10)", "false"),
      Case("[\"test\"]|stableSample(1)", "true"), Case("[\"test\"]|stableSample(0)", "false"),
      Case("[\"test-4\"]|bucketSample(5, 5, 10)", "true"), Case("[\"test-4\"]|bucketSample(15, 5, 10)", "true"),
      Case("[\"test-1\"]|bucketSample(5, 10, 10)", "true"), Case("[\"test-1\"]|bucketSample(5, 5, 10)", "false"),
      Case("1|stableSample(1.5)", "error"), Case("1|stableSample(-1)", "error"), Case("1|stableSample", "error"),
      Case("1|bucketSample(0, 1, 0)", "error"), Case("1|bucketSample(-1, 1, 10)", "error"),
      Case("1|bucketSample(0, 1)", "error"),
    ])
  func samples(one: Case) { one.check() }

  @Test("the SHA-256 digest equals that of OpenSSL for every length near the block size")
  func hashes() throws {
    try LoadedLibcrypto.require()
    for length in Array(0...130) + [1000] {
      let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      #expect(try sha256(message) == MessageDigest.sha256(message), "\(length) bytes")
    }
  }

  @Test(
    "numbers are converted to text as in JavaScript",
    arguments: [
      (0.0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (100, "100"), (0.1, "0.1"), (1e21, "1e+21"),
      (1e20, "100000000000000000000"),
      (1.2345678901234568e20, "123456789012345680000"), (1.5e300, "1.5e+300"), (1e-6, "0.000001"), (1e-7, "1e-7"),
      (1.25e-10, "1.25e-10"), (0.001_5, "0.0015"), (.leastNonzeroMagnitude, "5e-324"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ] as [(Double, String)])
  func numberTexts(number: Double, text: String) { #expect(javaScriptText(of: number) == text) }
}
