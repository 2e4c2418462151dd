// SPDX-License-Identifier: Apache-2.0
//
// Canonical JSON, byte for byte.

import Testing

@testable import Remora

@Suite("Canonical JSON (the text that signatures cover)")
struct CanonicalTextTests {
  @Test(
    "each number has exactly one canonical form",
    arguments: [
      ("0", "0"), ("-0", "0"), ("9223372036854775807", "9223372036854775807"),
      ("-9223372036854775808", "-9223372036854775808"), ("1.0", "1E0"), ("-0.0", "-0E0"), ("100.0", "1E2"),
      ("0.00099", "9.9E-4"), ("123456789.123456789", "1.2345678912345679E8"), ("5e-324", "5E-324"),
      ("1.7976931348623157e308", "1.7976931348623157E308"), ("1e21", "1E21"), ("1e-999", "0E0"), ("10.5", "1.05E1"),
      ("736588015240208.25", "7.365880152402083E14"), ("-736588015240208.25", "-7.365880152402083E14"),
      ("736588015240208.75", "7.365880152402088E14"), ("1125899906842624.25", "1.1258999068426243E15"),
      ("281474976710656.0625", "2.8147497671065606E14"),
      ("1e23", "1E23"), ("9007199254740993.0", "9.007199254740992E15"),
      ("5.684341886080802e-14", "5.684341886080802E-14"),
    ])
  func numbers(input: String, expected: String) throws {
    #expect(try canonical(input) == expected)
  }

  @Test(
    "canonical strings escape everything outside printable ASCII",
    arguments: [
      (#""a/b""#, #""a/b""#), (#""\u0000""#, #""\u0000""#), (#""\b\t\n\f\r\"\\""#, #""\b\t\n\f\r\"\\""#),
      ("\"\u{7F}\"", #""\u007f""#), ("\"é中\"", #""\u00e9\u4e2d""#), ("\"😀\"", #""\ud83d\ude00""#),
      ("\"\u{2028}\"", #""\u2028""#), ("\"\u{FFFF}\"", #""\uffff""#), ("\"\u{10FFFF}\"", #""\udbff\udfff""#),
    ])
  func strings(input: String, expected: String) throws {
    #expect(try canonical(input) == expected)
  }

  @Test("members of canonical JSON are sorted by code point, and nulls are kept")
  func objects() throws {
    #expect(
      try canonical(#"{"\ud83d\ude00":1,"\uffee":2,"a":null,"A":{},"10":[],"2":[{}],"":0}"#)
        == #"{"":0,"10":[],"2":[{}],"A":{},"a":null,"\uffee":2,"\ud83d\ude00":1}"#)
  }

  @Test("a special character is escaped at every position of a string")
  func specials() throws {
    let specials = [
      ("\\\"", "\\\""), ("\\\\", "\\\\"), ("\\u001f", "\\u001f"), ("\u{7F}", "\\u007f"), ("é", "\\u00e9"),
    ]
    for (written, expected) in specials {
      for before in 0..<18 {
        for after in [0, 1, 9] {
          let (head, tail) = (String(repeating: "a", count: before), String(repeating: "b", count: after))
          #expect(try canonical("\"\(head)\(written)\(tail)\"") == "\"\(head)\(expected)\(tail)\"")
        }
      }
    }
  }

  @Test("integers of every length are written unchanged")
  func integers() throws {
    for text in ["0", "-1", "\(Int64.max)", "\(Int64.min)"] { #expect(try canonical(text) == text) }
    var power: Int64 = 1
    for _ in 0..<19 {
      for number in [power, power - 1, -power] { #expect(try canonical("\(number)") == "\(number)") }
      power = power.multipliedReportingOverflow(by: 10).partialValue
    }
  }

  @Test("the canonical text of a nested value is a part of the text of the value that contains it")
  func slices() throws {
    let snapshot = try makeSnapshot(#"{"k":{"a":[{"x":"]}\"","y":[1,[2]]},3]}}"#)
    let value = try #require(snapshot.value("k", "/a/0"))
    let text = try value.withCanonicalText { String(decoding: $0, as: UTF8.self) }
    #expect(text == #"{"x":"]}\"","y":[1,[2]]}"#)
    withExtendedLifetime(snapshot) {}
  }
}
