// SPDX-License-Identifier: Apache-2.0
//
// Which records of an image are hidden, how often expressions are looked at, and what the host is told.

import Testing

@testable import Remora

@Suite("Filters of records")
struct RecordFilterTests {
  private func pass(
    _ json: String, _ context: String = "{}", _ filter: inout RecordFilter
  ) throws -> (hidden: [String], pass: FilterPass) {
    let image = try makeImage(json)
    let entries = try layEntries([], over: image)
    let pass = filter.evaluate(entries, member: collectionFilterMember, in: try FilterContext(json: context))
    return withExtendedLifetime(image) {
      (pass.hidden.map { String(decoding: entries[$0].entry.key, as: UTF8.self) }, pass)
    }
  }

  @Test("a record is visible only if its filter is true, or if the filter is blank, null or missing")
  func truth() throws {
    var filter = RecordFilter()
    let json = """
      {"a":{"filter_expression":"true"},"b":{"filter_expression":"false"},"c":{"filter_expression":"1"},\
      "d":{"filter_expression":"'yes'"},"e":{"filter_expression":" \\t\\n"},"f":{"filter_expression":""},\
      "g":{"filter_expression":null},"h":{},"i":{"filter_expression":"null"},"j":{"filter_expression":"[true]"}}
      """
    #expect(try pass(json, &filter).hidden == ["b", "c", "d", "i", "j"])
  }

  @Test("a single expression is evaluated like the filter of a record, but a failure is an error")
  func single() throws {
    #expect(try RecordFilter.matches("env.locale == 'de'", inContext: #"{"locale":"de"}"#))
    #expect(try !RecordFilter.matches("env.locale == 'de'", inContext: nil))
    #expect(try RecordFilter.matches(" ", inContext: nil) && !RecordFilter.matches("1", inContext: "{}"))
    for (expression, context, parameter) in [
      ("x", nil, "expression"), ("(", nil, "expression"), (String(repeating: "x", count: 1 << 20), nil, "expression"),
      ("true", "[]", "context_json"), ("true", #"{"os":1}"#, "context_json"),
    ] {
      let error = #expect(throws: RemoraError.self) { try RecordFilter.matches(expression, inContext: context) }
      #expect(error?.code == .invalidArgument && error?.parameter == parameter[...])
    }
  }

  @Test("a filter_expression that is not a string is ignored, and logged once")
  func strange() throws {
    var filter = RecordFilter()
    let json = #"{"a":{"filter_expression":5},"b":{"filter_expression":["x"]},"c":{"filter_expression":false},"d":7}"#
    let (hidden, pass) = try pass(json, &filter)
    #expect(hidden.isEmpty)
    #expect(pass.notes == [.ignored(record: "a", type: "an integer", others: 2)])
  }

  @Test("records whose filter fails are hidden and counted, and each failing expression is logged once")
  func failures() throws {
    var filter = RecordFilter()
    let json = #"{"a":{"filter_expression":"x"},"b":{"filter_expression":"x"},"c":{"filter_expression":"("},"d":{}}"#
    let (hidden, first) = try pass(json, &filter)
    #expect(hidden == ["a", "b", "c"])
    #expect(first.failures == 3)
    let notes = first.notes.map { note in
      guard case .failed(let record, let error) = note else { return "" }
      return "\(record): \(error.message)"
    }
    #expect(notes == ["a: x is not defined", "c: the expression ends too early"])
    let (_, second) = try pass(json, #"{"locale":"de"}"#, &filter)
    #expect(second.notes.isEmpty)
    #expect(second.failures == 3)
  }

  @Test("an expression that many records share is parsed once, and freed with the last of these records")
  func cache() throws {
    var filter = RecordFilter()
    let members = (0..<500).map { #""k\#($0)":{"filter_expression":"env.locale == 'l\#($0 % 5)'"}"# }
    let json = "{\(members.joined(separator: ","))}"
    #expect(try pass(json, #"{"locale":"l1"}"#, &filter).hidden.count == 400)
    #expect(filter.count == 5)
    #expect(try pass(json, #"{"locale":"l7"}"#, &filter).hidden.count == 500)
    #expect(try pass("{}", &filter).hidden.isEmpty)
    #expect(filter.count == 0)
  }

  private func pass(_ json: String, _ filter: inout RecordFilter) throws -> (hidden: [String], pass: FilterPass) {
    try pass(json, "{}", &filter)
  }
}
