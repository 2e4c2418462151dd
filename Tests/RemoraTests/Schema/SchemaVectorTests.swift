// SPDX-License-Identifier: Apache-2.0
//
// The JSON Schema Test Suite: every value is judged as the suite says, and a schema that needs what is not supported is
// refused by the name of the keyword.

import Testing

@testable import Remora

@Suite("Test vectors of JSON Schema", .vectors)
struct SchemaVectorTests {
  static let files = Vectors.names(in: "json-schema").filter { $0.hasSuffix(".json") }

  @Test("the vector files have at least 757 values")
  func complete() throws {
    #expect(try Self.files.map { try results(of: $0).judged + results(of: $0).refused }.reduce(0, +) >= 757)
  }

  @Test("the values of a vector file are judged as the suite says", arguments: files)
  func judged(file: String) throws {
    let results = try results(of: file)
    #expect(results.wrong == [])
  }

  @Test("few schemas of the suite are refused, and each for a keyword or reference that is not supported")
  func refused() throws {
    let all = try Self.files.map { try results(of: $0) }
    for results in all { #expect(results.refusals.allSatisfy { $0.contains("supported") }) }
    #expect(all.map(\.refused).reduce(0, +) <= 60)
  }

  private struct Results {
    var judged = 0
    var refused = 0
    var refusals: [String] = []
    var wrong: [String] = []
  }

  private func results(of file: String) throws -> Results {
    let snapshot = try makeSnapshot("{\"k\":\(Vectors.text("json-schema/\(file)"))}")
    var results = Results()
    try withExtendedLifetime(snapshot) {
      let groups = try #require(snapshot.value("k"))
      for index in 0..<groups.count { try judge(#require(groups.element(at: index)), into: &results) }
    }
    return results
  }

  private func judge(_ group: Value, into results: inout Results) throws {
    let tests = try #require(group.member("tests"))
    let text = try #require(group.member("schema")).withCanonicalText { Array($0) }
    let schema: Schema
    do throws(RemoraError) { schema = try Schema(json: text) } catch {
      results.refused += tests.count
      results.refusals.append(error.message)
      return
    }
    for index in 0..<tests.count {
      let test = try #require(tests.element(at: index))
      let violation = try schema.violation(of: #require(test.member("data")))
      results.judged += 1
      guard (violation == nil) != test.member("valid")?.bool else { continue }
      let names = [group, test].map {
        $0.member("description")?.string.map { String(decoding: $0, as: UTF8.self) } ?? ""
      }
      results.wrong.append("\(names.joined(separator: ": ")): \(violation ?? "valid")")
    }
  }
}
