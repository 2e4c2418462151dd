// SPDX-License-Identifier: Apache-2.0
//
// The text forms of a root pin.

import Testing

@testable import Remora

@Suite("Root certificate pins (SHA-256 fingerprints)")
struct RootPinTests {
  private static let plain = "c8a80e9afaef4e219b6fb5d7a71d0f101223bac5001ac28f9b0d43dc59a106db"

  @Test("a root pin can be written with upper-case or lower-case digits, with and without colons")
  func forms() throws {
    let colons = RootPin.production.description
    #expect(colons.hasPrefix("C8:A8:0E:9A:"))
    for text in [Self.plain, Self.plain.uppercased(), colons, colons.lowercased()] {
      #expect(try RootPin(hex: text) == .production)
    }
  }

  @Test("the built-in root pins equal those of the reference client")
  func builtIn() {
    #expect(
      RootPin.production.description == "C8:A8:0E:9A:FA:EF:4E:21:9B:6F:B5:D7:A7:1D:0F:10:"
        + "12:23:BA:C5:00:1A:C2:8F:9B:0D:43:DC:59:A1:06:DB")
    #expect(
      RootPin.nonProduction.description == "3C:01:44:6A:BE:90:36:CE:A9:A0:9A:CA:A3:A5:20:AC:"
        + "62:8F:20:A7:AE:32:CE:86:1C:B2:EF:B7:0F:A0:C7:45")
  }

  @Test(
    "an invalid root pin is an invalid argument, and the error names the option",
    arguments: [
      "", ":", String(plain.dropLast()), plain + "0", plain + ":", ":" + plain, plain + "00", " " + plain,
      "c:8a80e9afaef4e219b6fb5d7a71d0f101223bac5001ac28f9b0d43dc59a106db",
      "c8::a80e9afaef4e219b6fb5d7a71d0f101223bac5001ac28f9b0d43dc59a106db",
      "g8a80e9afaef4e219b6fb5d7a71d0f101223bac5001ac28f9b0d43dc59a106db",
      "c8-a8-0e-9a", String(repeating: "0", count: 100_000),
    ])
  func malformed(text: String) {
    let error = #expect(throws: RemoraError.self) { try RootPin(hex: text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("root_sha256 ") == true)
  }
}
