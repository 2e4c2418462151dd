// SPDX-License-Identifier: Apache-2.0
//
// What a monitor may say, and what is made of it: nobody signs it, so an entry that makes no sense is left out.

import Testing

@testable import Remora

@Suite("Decoding of the server's list of collections and their timestamps")
struct MonitorDecoderTests {
  private func decode(_ text: String) throws(RemoraError) -> [String: Int64] {
    try list(text).versions
  }

  private func list(_ text: String) throws(RemoraError) -> MonitorList {
    try Array(text.utf8).withBytes { bytes throws(RemoraError) in try decodeMonitorChanges(bytes) }
  }

  private func entry(_ bucket: String, _ collection: String, _ timestamp: String) -> String {
    #"{"id":"x","host":"h","bucket":\#(bucket),"collection":\#(collection),"last_modified":\#(timestamp)}"#
  }

  @Test("timestamps are found by bucket and collection, whatever the order of the entries in the list")
  func entries() throws {
    let changes = [entry(#""main""#, #""a""#, "5"), entry(#""main-preview""#, #""a""#, "7")].joined(separator: ",")
    let expected: [String: Int64] = ["main/a": 5, "main-preview/a": 7]
    #expect(try decode(#"{"changes":[\#(changes)],"timestamp":9,"metadata":{}}"#) == expected)
    #expect(try decode(#"{"more":[{}],"changes":[\#(changes)]}"#) == expected)
    #expect(try decode(#"{"changes":[]}"#) == [:])
  }

  @Test("if the list has several entries for one collection, the highest timestamp is used")
  func twice() throws {
    let changes = ["5", "7", "6"].map { entry(#""main""#, #""a""#, $0) }.joined(separator: ",")
    #expect(try decode(#"{"changes":[\#(changes)]}"#) == ["main/a": 7])
  }

  @Test(
    "an invalid entry of the list of collections is ignored with a warning, and the others are used",
    arguments: [
      "1", "null", "[]", "{}", #"{"bucket":"main","collection":"a"}"#,
      #"{"bucket":"main","collection":1,"last_modified":5}"#, #"{"bucket":null,"collection":"a","last_modified":5}"#,
      #"{"bucket":"main","collection":"a","last_modified":"5"}"#,
      #"{"bucket":"main","collection":"a","last_modified":5.5}"#,
      #"{"bucket":"main","collection":"a","last_modified":9223372036854775808}"#,
      #"{"bucket":"main","collection":"a","last_modified":1\#(String(repeating: "0", count: 400))}"#,
      #"{"bucket":"main","collection":"a","last_modified":5,"last_modified":6}"#, #"{"bucket":x}"#,
      "18446744073709551616",
    ])
  func leftOut(change: String) throws {
    let other = entry(#""main""#, #""b""#, "5")
    for (text, index) in [("\(change),\(other)", 0), ("\(other) , \(change) ", 1)] {
      let list = try list(#"{"changes":[\#(text)],"timestamp":9}"#)
      #expect(list.versions == ["main/b": 5])
      #expect(list.warnings.count == 1)
      #expect(list.warnings.first?.contains(" /changes/\(index) is ignored") == true)
    }
  }

  @Test("the tombstone of a deleted entry in the list of collections is ignored without a warning")
  func tombstone() throws {
    #expect(try list(#"{"changes":[{"id":"x","deleted":true}]}"#).warnings.isEmpty)
  }

  @Test(
    "a list of collections that is not JSON, or has no array of changes, is refused",
    arguments: [
      ("", .parse), ("<html>", .parse), (#"{"changes":[]} x"#, .parse), ("[]", .format), ("{}", .format),
      (#"{"changes":{}}"#, .format), (#"{"changes":null}"#, .format), (#"{"changes":[],"changes":[]}"#, .parse),
    ] as [(String, RemoraError.Code)])
  func refused(text: String, code: RemoraError.Code) {
    let error = #expect(throws: RemoraError.self) { try decode(text) }
    #expect(error?.code == code)
  }
}
