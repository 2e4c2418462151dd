// SPDX-License-Identifier: Apache-2.0
//
// External text in messages and log lines.

import Testing

@testable import Remora

@Suite("External text in messages")
struct PrintableTests {
  @Test(
    "a character that is invisible or changes how a line is displayed is escaped",
    arguments: [
      0x00, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x061C, 0x180E, 0x200B, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029,
      0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF, 0xFFF9, 0xE0041,
    ] as [UInt32])
  func hidden(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    #expect(printable("a\(Character(scalar))b") == "a\\u{\(String(value, radix: 16))}b")
  }

  @Test("letters, marks and symbols of any script are kept")
  func kept() {
    for text in ["", "plain ~", "é中😀", "\u{A0}", "a\u{301}", "العربية", "❤\u{FE0F}", "\u{FFFD}"] {
      #expect(Array(printable(text).utf8) == Array(text.utf8))
    }
  }
}
