// SPDX-License-Identifier: Apache-2.0
//
// The host's JSON as the environment of expressions.

import Testing

@testable import Remora

@Suite("Attributes of the program in filter expressions")
struct FilterContextTests {
  private func evaluate(_ expression: String, _ json: String) throws -> String {
    text(of: try FilterEvaluator.evaluate(FilterParser.parse(Array(expression.utf8)), in: FilterContext(json: json)))
  }

  @Test("an expression reads the program's attributes by the names that the reference client uses")
  func names() throws {
    let json = """
      {"app_id":"org.x","app_version":"1.2","channel":"beta","locale":"de","os":"Linux","os_version":"6","form_factor":"phone",\
      "country":"AT"}
      """
    let environment = try evaluate("env", json)
    #expect(
      environment == """
        {"appinfo":{"ID":"org.x","OS":"Linux","os":{"name":"Linux","version":"6"}},"channel":"beta","country":"AT",\
        "formFactor":"phone","locale":"de",\
        "os":{"isLinux":true,"isMac":false,"isWindows":false,"name":"Linux","version":"6"},"version":"1.2"}
        """)
  }

  @Test("an attribute that was not set is null in an expression, without an error")
  func missing() throws {
    for name in [
      "version", "channel", "locale", "country", "formFactor", "os.name", "os.version", "appinfo.ID", "appinfo.OS",
      "x.y",
    ] {
      #expect(try evaluate("env.\(name)", "{}") == "null", "\(name)")
      #expect(try evaluate("env.\(name)", #"{"app_version":null,"os":null}"#) == "null", "\(name)")
    }
  }

  @Test("a custom member of the context is used unchanged, even if a standard attribute has the same name")
  func others() throws {
    let json = #"{"app_version":"1","version":"2","plan":"pro","n":3.5,"list":["a"],"os":"Linux","custom":{"x":1}}"#
    #expect(
      try evaluate("[env.version, env.plan, env.n, env.list, env.os.name, env.custom.x]", json)
        == #"["2","pro",3.5,["a"],"Linux",1]"#)
    #expect(try evaluate("env.app_version", json) == "null")
  }

  @Test(
    "an expression can ask for the operating system with the names of Firefox",
    arguments: [
      ("Windows", "[true,false,false]"), ("WINNT", "[true,false,false]"), ("Darwin", "[false,true,false]"),
      ("macOS", "[false,true,false]"), ("linux", "[false,false,true]"), ("Android", "[false,false,false]"),
    ])
  func operatingSystem(name: String, expected: String) throws {
    let names = "[env.os.isWindows, env.os.isMac, env.os.isLinux]"
    #expect(try evaluate(names, #"{"os":"\#(name)"}"#) == expected)
    #expect(try evaluate(names, "{}") == "[null,null,null]")
  }

  @Test("a custom appinfo adds its members to the standard ones, and replaces those of the same name")
  func applicationInfo() throws {
    let json = #"{"os":"Linux","app_id":"a","appinfo":{"ID":"b","name":"Host","zone":1}}"#
    #expect(
      try evaluate("env.appinfo", json) == #"{"ID":"b","OS":"Linux","name":"Host","os":{"name":"Linux"},"zone":1}"#)
    #expect(try evaluate("env.appinfo", #"{"os":"Linux","appinfo":"x"}"#) == #""x""#)
  }

  @Test("preferences of the program can be read only with the transforms preferenceValue and preferenceExists")
  func preferences() throws {
    let json = #"{"preferences":{"a.b":1}}"#
    #expect(try evaluate(#"["a.b"|preferenceValue, "x"|preferenceExists, env.preferences]"#, json) == "[1,false,null]")
  }

  @Test(
    "an error about an invalid context is a complete sentence",
    arguments: [
      ("", "json cannot be used"), ("[]", "not a JSON object"), ("\"x\"", "not a JSON object"),
      ("{", "incomplete JSON"),
      ("{}x", "expected the end"),
      (#"{"a":1,"a":2}"#, "the member a twice"), (#"{"a":{"b":1,"b":2}}"#, "not JSON"),
      (#"{"app_id":5}"#, #"the member "app_id" of the context is a number, not a string"#),
      (#"{"os":{"name":"x"}}"#, #"the member "os" of the context is an object, not a string"#),
      (#"{"preferences":[]}"#, #"the member "preferences" of the context is an array, not an object"#),
      (#"{"n":1e999}"#, "not JSON"),
    ])
  func refusals(json: String, words: String) {
    let error = #expect(throws: RemoraError.self) { try FilterContext(json: json) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test("a context that is nested too deeply or too long is refused")
  func limits() {
    let nested = { (levels: Int) in
      #"{"a":\#(String(repeating: "[", count: levels))\#(String(repeating: "]", count: levels))}"#
    }
    #expect(throws: Never.self) { try FilterContext(json: nested(63)) }
    for levels in [64, 100_000] {
      let error = #expect(throws: RemoraError.self) { try FilterContext(json: nested(levels)) }
      #expect(error?.code == .invalidArgument)
    }
    let long = #"{"a":"\#(String(repeating: "x", count: FilterContext.maximumLength))"}"#
    let error = #expect(throws: RemoraError.self) { try FilterContext(json: long) }
    #expect(error?.code == .invalidArgument)
  }
}
