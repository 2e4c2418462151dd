// SPDX-License-Identifier: Apache-2.0
//
// Documents that lost their keys, or violate a schema: refused before anything is stored.

import Testing

@testable import Remora

@Suite("The shape and the schema of fetched data")
struct DocumentShapeTests {
  /// Settings of which every version with keys becomes live at once.
  private func settings(
    _ stage: SettingsStage, keys: Int32 = 0, percent: Int32 = 0, required: [String] = [], schema: String? = nil
  ) throws -> OpenSource {
    try stage.open {
      $0.activation = .immediate
      try? $0.opening.shape.set(leastKeys: keys, percent: percent)
      $0.opening.shape.set(requiredKeys: required)
      $0.opening.shape.schema = try? schema.map { try Schema(json: Array($0.utf8)) }
    }
  }

  @Test("a document with fewer keys than min_keys is refused, unless the refresh is forced")
  func leastKeys() throws {
    let stage = try SettingsStage()
    let handle = try settings(stage, keys: 2)
    stage.say(#"{"a":1,"b":2}"#)
    #expect(handle.refresh().outcome == .updated)
    stage.say(#"{"a":3,"b":null}"#)
    let result = handle.refresh()
    #expect((result.outcome, result.error?.code) == (.refused, .schema))
    #expect(result.error?.message == "the document has 1 key, but min_keys is 2")
    #expect(handle.keys == ["a", "b"])
    #expect(try handle.source.refresh(RefreshManner(isForced: true), timeoutMs: -1).outcome == .updated)
  }

  @Test(
    "min_keys_percent limits how far a document may shrink; 100 allows no shrinking",
    arguments: [(100, 9, false), (100, 10, true), (50, 5, true), (50, 4, false)])
  func leastPercent(percent: Int32, count: Int, isAccepted: Bool) throws {
    let stage = try SettingsStage()
    let handle = try settings(stage, percent: percent)
    let document = { (count: Int, value: Int) in
      "{\((0..<count).map { #""k\#($0)":\#(value)"# }.joined(separator: ","))}"
    }
    stage.say(document(10, 1))
    #expect(handle.refresh().outcome == .updated)
    stage.say(document(count, 2))
    #expect(handle.refresh().outcome == (isAccepted ? .updated : .refused))
  }

  @Test("a document without a required key is refused, and null counts as missing", arguments: ["{}", #"{"x":null}"#])
  func requiredKeys(document: String) throws {
    let stage = try SettingsStage()
    let handle = try settings(stage, required: ["x"])
    stage.say(document)
    #expect(handle.refresh().error?.message == "the document has no key x, which required_keys lists")
    stage.say(#"{"x":0}"#)
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("a schema of settings describes the dictionary, also in a forced refresh")
  func dictionary() throws {
    let stage = try SettingsStage()
    let schema =
      #"{"required":["port"],"properties":{"port":{"maximum":65535}},"additionalProperties":{"type":"string"}}"#
    let handle = try settings(stage, schema: schema)
    let problems = [
      (#"{}"#, "the dictionary is not valid: the value violates #/required"),
      (#"{"port":70000}"#, "the dictionary is not valid: the value at /port violates #/properties/port/maximum"),
      (#"{"port":80,"a":1}"#, "the dictionary is not valid: the value at /a violates #/additionalProperties/type"),
    ]
    for (document, problem) in problems {
      stage.say(document)
      for isForced in [false, true] {
        let error = try handle.source.refresh(RefreshManner(isForced: isForced), timeoutMs: -1).error
        #expect((error?.code, error?.message) == (.schema, problem))
      }
    }
    stage.say(#"{"port":80,"a":"1","b":null}"#)
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("one record that violates the schema refuses the whole collection, and unchanged records are not checked again")
  func records() throws {
    let scene = try Scene()
    scene.server.put("good", #""v":1"#, at: 1000)
    let schema = try Schema(json: Array(#"{"required":["v"],"properties":{"v":{"type":"integer"}}}"#.utf8))
    let handle = try scene.open { $0.opening.shape.schema = schema }
    #expect(handle.refresh().outcome == .updated)
    scene.server.put("bad", #""v":"1""#, at: 2000)
    let result = handle.refresh()
    #expect((result.outcome, result.error?.code) == (.refused, .schema))
    #expect(result.error?.message == "the record bad is not valid: the value at /v violates #/properties/v/type")
    #expect(handle.keys == ["good"])
    scene.server.put("bad", #""v":2"#, at: 3000)
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("a schema of a bundle describes its elements")
  func elements() throws {
    let stage = try BundleTests.Stage()
    let schema = try Schema(json: Array(#"{"properties":{"namespace":{"maxLength":1}}}"#.utf8))
    let handle = try stage.open { $0.opening.shape.schema = schema }
    stage.publish(1, bundleElement("a"), bundleElement("bb"))
    #expect(handle.refresh().error?.message.hasPrefix("the namespace bb is not valid") == true)
    stage.publish(1, bundleElement("a"))
    #expect(handle.refresh().outcome == .updated)
  }

  @Test("a seed that violates the schema is not used")
  func seed() throws {
    let directory = try TemporaryDirectory()
    let server = try SignedServer.onOwnHost()
    server.put("a", #""v":1"#, at: 1000)
    let first = try Scene(in: try TemporaryDirectory(), server: server)
    let source = try first.open()
    source.refresh()
    let accepted = try #require(AcceptedImage(try source.source.acquire().base, acceptedBefore: try server.dialect()))
    try Seeds().save(accepted, in: StorageDirectory.open(path: directory.path("storage")))
    let schema = try Schema(json: Array(#"{"required":["w"]}"#.utf8))
    let scene = try Scene(in: directory, server: server)
    let handle = try scene.open { $0.opening.shape.schema = schema }
    #expect(handle.keys.isEmpty)
    #expect(try handle.source.info().storageError?.code == .schema)
    withExtendedLifetime(scene) {}
  }

  @Test("limits that make no sense are refused by the name of the option")
  func wrongLimits() {
    var shape = DocumentShape()
    for (keys, percent, name) in [(-1, 0, "min_keys"), (0, 101, "min_keys_percent"), (0, -1, "min_keys_percent")] {
      let error = #expect(throws: RemoraError.self) { try shape.set(leastKeys: Int32(keys), percent: Int32(percent)) }
      #expect(error?.parameter ?? "" == name)
    }
  }
}
