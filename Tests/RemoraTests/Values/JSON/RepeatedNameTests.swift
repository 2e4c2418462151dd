// SPDX-License-Identifier: Apache-2.0
//
// Member names that an object has twice, inside a value that is parsed at once.

import Testing

@testable import Remora

@Suite("Repeated member names")
struct RepeatedNameTests {
  private func parse(_ json: String) throws {
    try Array(json.utf8).withBytes { _ = try ParsedJSON(text: $0, named: "the test document") }
  }

  @Test(
    "a value with an object that has a name twice, at any depth, is refused",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"":1,"":{}}"#, #"{"a":{},"a":{}}"#, #"{"a":{"b":1},"a":{"b":1}}"#,
      #"[{"a":[],"a":[1,2,3]}]"#, #"{"x":[{"b":[],"c":[1,2],"b":{}}]}"#, #"{"a":{"b":{"c":1,"c":{"d":2}}}}"#,
      #"[[],{"a":{"a":1}},{"a":[],"a":[{}]}]"#, #"{"a":"}","b":",","a":"{"}"#,
    ])
  func repeated(json: String) {
    let error = #expect(throws: RemoraError.self) { try parse(json) }
    #expect(error?.code == .parse)
    #expect(error?.message.contains("duplicate object key") == true)
  }

  @Test(
    "a value whose objects have equal names, each once, is accepted",
    arguments: [
      #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":[],"b":{},"c":[[],{}]}"#, #"{"a":",,{[","b":"\",{"}"#,
      "[]",
      "{}", "[[[]]]", "1", #""a""#, #"{ "a" : [ 1 , 2.5 , { } ] , "b" : null }"#,
    ])
  func different(json: String) throws { try parse(json) }
}
