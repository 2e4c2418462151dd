// SPDX-License-Identifier: Apache-2.0
//
// Experiments as settings bring them: both shapes, and everything that is not as it must be.

import Testing

@testable import Remora

@Suite("Experiments (entries of the list 'experiments' in settings)")
struct ExperimentTests {
  /// "name=variant trackable [settings]" of each.
  private func read(_ json: String) throws -> [String] {
    let snapshot = try makeSnapshot(#"{"experiments":\#(json)}"#)
    var found: [String] = []
    Experiments(of: snapshot.reader.pointee)?.forEach { experiment in
      let settings = experiment.settings.map { value in
        (0..<value.count).compactMap { value.element(at: $0)?.string.map { String(decoding: $0, as: UTF8.self) } }
      }
      let name = String(decoding: experiment.name, as: UTF8.self)
      let variant = String(decoding: experiment.variant, as: UTF8.self)
      found.append("\(name)=\(variant) \(experiment.trackable) \(settings ?? ["none"])")
      return true
    }
    return withExtendedLifetime(snapshot) { found }
  }

  private func warnings(_ json: String, root: String? = nil) throws -> [String] {
    var options = SettingsOptions()
    options.rootKey = root
    let dialect = try options.dialect()
    let text = root.map { #"{"\#($0)":{"experiments":\#(json)}}"# } ?? #"{"a":1,"experiments":\#(json)}"#
    return try Array(text.utf8).withBytes { bytes throws(RemoraError) in try dialect.decode(bytes) }.warnings
  }

  @Test("experiments are read from an array in its order, or from an object sorted by name")
  func shapes() throws {
    let items = #"[{"name":"b","variant":"v","trackable":1.5,"settings":["x","y"],"more":{}},{"name":"a"}]"#
    #expect(try read(items) == [#"b=v 1.5 ["x", "y"]"#, #"a= 0.0 ["none"]"#])
    #expect(try warnings(items) == [])
    let named = #"{"b":{"variant":"v","settings":[]},"a":{"name":"other","trackable":2,"variant":null}}"#
    #expect(try read(named) == [#"a= 2.0 ["none"]"#, "b=v 0.0 []"])
    #expect(try warnings(named) == [])
    for nothing in ["[]", "{}", "null"] {
      #expect(try read(nothing) == [])
      #expect(try warnings(nothing) == [])
    }
    let without = try makeSnapshot("{}")
    #expect(Experiments(of: without.reader.pointee) == nil)
  }

  @Test(
    "an invalid experiment is ignored with a warning that names its place, and valid experiments are used",
    arguments: [
      ("7", [], "in the settings document, /experiments is an integer, neither an array nor an object"),
      (
        #"[1,{"name":"a"}]"#, [#"a= 0.0 ["none"]"#],
        "in the settings document, /experiments/0 is an integer, not an object"
      ),
      (
        #"[{"variant":"v"},{"name":"a"}]"#, [#"a= 0.0 ["none"]"#],
        "in the settings document, /experiments/0 has no name"
      ),
      (#"[{"name":""}]"#, [], "in the settings document, /experiments/0 has no name"),
      (#"[{"name":"a\u0000"}]"#, [], "in the settings document, /experiments/0 has no name"),
      (#"[{"name":1}]"#, [], "in the settings document, /experiments/0 has no name"),
      (
        #"[{"name":"a","variant":"1"},{"name":"a","variant":"2"}]"#, [#"a=1 0.0 ["none"]"#],
        "in the settings document, /experiments/1 has the name of an earlier experiment"
      ),
      (#"[{"name":"a","variant":1}]"#, [#"a= 0.0 ["none"]"#], "/experiments/0/variant is not a string"),
      (#"[{"name":"a","trackable":"1"}]"#, [#"a= 0.0 ["none"]"#], "/experiments/0/trackable is not a number"),
      (
        #"[{"name":"a","trackable":9007199254740993}]"#, [#"a= 0.0 ["none"]"#],
        "/experiments/0/trackable is not a number"
      ),
      (#"[{"name":"a","settings":"x"}]"#, [#"a= 0.0 ["none"]"#], "/experiments/0/settings is not an array of strings"),
      (
        #"[{"name":"a","settings":["x",1]}]"#, [#"a= 0.0 ["none"]"#],
        "/experiments/0/settings is not an array of strings"
      ),
      (#"{"a/b":{"variant":true}}"#, [#"a/b= 0.0 ["none"]"#], "/experiments/a~1b/variant is not a string"),
      (#"{"a":"v"}"#, [], "/experiments/a is a string, not an object"),
    ] as [(String, [String], String)])
  func unusable(json: String, found: [String], warning: String) throws {
    #expect(try read(json) == found)
    let warnings = try warnings(json)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains(warning) == true, "\(warnings)")
  }

  @Test("each warning names the place of an invalid experiment, and at most 100 are logged")
  func places() throws {
    #expect(try warnings("[1]", root: "a/b").first?.hasPrefix("in the settings document, /a~1b/experiments/0 ") == true)
    let many = try warnings("[\(Array(repeating: "1", count: 150).joined(separator: ","))]")
    #expect(many.count == 100)
    #expect(many.last == "the settings document has 51 further warnings, which are not logged")
  }

  @Test("an experiment is found by its name; if several have that name, the first one is returned")
  func named() throws {
    let snapshot = try makeSnapshot(
      #"{"experiments":[{"name":"a","variant":"1"},{"name":"b","variant":"2"},{"name":"a","variant":"3"}]}"#)
    let experiments = try #require(Experiments(of: snapshot.reader.pointee))
    func variant(_ name: String) -> String? {
      name.withBytes { experiments.named($0) }.map { String(decoding: $0.variant, as: UTF8.self) }
    }
    #expect([variant("a"), variant("b"), variant("c"), variant("")] == ["1", "2", nil, nil])
    withExtendedLifetime(snapshot) {}
  }
}
