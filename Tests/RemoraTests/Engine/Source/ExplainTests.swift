// SPDX-License-Identifier: Apache-2.0
//
// Why a read returns its value: which layers have it, which one wins, and why there is none.

import Testing

@testable import Remora

@Suite("Explanations (why a key has its value)")
struct ExplainTests {
  let scene: Scene

  init() throws {
    scene = try Scene()
    scene.server.put("a", #""v":1,"o":{"x":1}"#, at: 1000)
  }

  private func explain(_ handle: OpenSource, _ key: String, _ pointer: String = "") throws -> Explanation {
    try handle.source.explain(Array(key.utf8), Array(pointer.utf8))
  }

  /// The layers, with a star before the one that wins: "*override=7 live=1".
  private func layers(_ explanation: Explanation) -> String {
    explanation.layers.map { layer in
      let value = layer.value.map { String(decoding: $0, as: UTF8.self) } ?? "-"
      return "\(layer.wins ? "*" : "")\(layer.kind.rawValue)=\(value)"
    }.joined(separator: " ")
  }

  @Test("an override wins over the live value, at its place, above it and inside it")
  func overrides() throws {
    let handle = try scene.open()
    handle.refresh()
    #expect(try layers(explain(handle, "a", "/v")) == "*live=1")
    try handle.set("a", "/v", "7")
    let explanation = try explain(handle, "a", "/v")
    #expect(layers(explanation) == "*override=7 live=1")
    #expect(explanation.value == Array("7".utf8) && explanation.type == .int && explanation.reason == nil)
    #expect(try layers(explain(handle, "a", "/o")) == #"*live={"x":1}"#)
    try handle.set("a", "/o", #"{"y":2}"#)
    #expect(try layers(explain(handle, "a", "/o/y")) == "*override=2")
    let whole = try #require(explain(handle, "a").layers.first)
    #expect(whole.value == Array(#"{"o":{"y":2},"v":7}"#.utf8) && whole.reason == "at /o, /v")
  }

  @Test("staged and packaged data are layers that do not win, and data in storage has its version, age and signature")
  func staged() throws {
    let packaged = PackagedData.bytes(Array(#"{"data":[{"id":"a","last_modified":1,"v":0}],"timestamp":1}"#.utf8))
    let handle = try scene.open {
      $0.activation = .manual
      $0.packaged = packaged
    }
    #expect(try layers(explain(handle, "a", "/v")) == "*packaged=0")
    handle.refresh()
    #expect(try layers(explain(handle, "a", "/v")) == "*packaged=0 staged=1")
    _ = try handle.source.activate()
    let live = try #require(explain(handle, "a", "/v").layers.first)
    #expect(live.wins && live.image?.version == 1000 && live.image?.isVerified == true)
    #expect(try layers(explain(handle, "a", "/v")) == "*live=1 packaged=0")
  }

  @Test("a key that a filter or null hides has the layer hidden, with the expression")
  func hidden() throws {
    scene.server.put("b", #""filter_expression":"env.version == \"9\"""#, at: 2000)
    scene.server.put("c", #""filter_expression":"1 +""#, at: 3000)
    let handle = try scene.open()
    handle.refresh()
    let explanation = try explain(handle, "b")
    #expect(layers(explanation).hasPrefix("*hidden=- live={"))
    #expect(explanation.value == nil && explanation.reason == "the key is hidden")
    #expect(
      explanation.layers.first?.reason
        == #"filter_expression is not true in the context of the client: env.version == "9""#)
    #expect(try explain(handle, "c").layers.first?.reason?.hasPrefix("filter_expression cannot be evaluated: ") == true)
    try handle.set("a", "", "null")
    #expect(try explain(handle, "a").layers.map(\.kind) == [.override, .hidden, .live])
  }

  @Test(
    "an explanation without a value says why",
    arguments: [
      ("none", "", "the key does not exist"), ("a", "/none", "the value is an object without the member none"),
      ("a", "/v/x/y", "the value at /v is an integer, so it has no member x"), ("a", "/n", "the value is null"),
    ])
  func reasons(key: String, pointer: String, reason: String) throws {
    let handle = try scene.open()
    #expect(try explain(handle, key, pointer).reason == "the source has no data")
    scene.server.put("a", #""v":1,"n":null"#, at: 2000)
    handle.refresh()
    #expect(try explain(handle, key, pointer).reason == reason)
  }

  @Test("a member that the default bundle adds to a fetched namespace has the layer of the default bundle")
  func inherited() throws {
    let stage = try BundleTests.Stage()
    let handle = try stage.open {
      $0.defaultBundle = Array("[\(bundleElement("a", #","limit":7"#)),{\"namespace\":\"b\",\"q\":1}]".utf8)
    }
    stage.publish(1, bundleElement("a", #","limit":null"#), bundleElement("b"))
    handle.refresh()
    #expect(try layers(explain(handle, "a", "/limit")) == "live=null *default=7")
    #expect(try layers(explain(handle, "b", "/q")) == "*default=1")
    try handle.set("a", "/limit", "null")
    #expect(try layers(explain(handle, "a", "/limit")) == "*override=null live=null default=7")
  }

  @Test("a malformed pointer is an invalid argument")
  func malformed() throws {
    let handle = try scene.open()
    #expect(code { _ = try explain(handle, "a", "v") } == .invalidArgument)
  }

  @Test("the JSON of an explanation has stable members, and its screen fits into 80 columns")
  func forms() throws {
    let handle = try scene.open()
    scene.server.put("a", #""v":"\#(String(repeating: "ä\\u001b", count: 300))""#, at: 2000)
    handle.refresh()
    try handle.set("a", "/v", "1")
    let explanation = try explain(handle, "a", "/v")
    let json = String(decoding: try explanation.json(), as: UTF8.self)
    #expect(json.hasPrefix(#"{"key":"a","layers":[{"layer":"override","reason":null,"value":1,"wins":true},"#))
    #expect(json.contains(#""verified":true,"version":2000,"wins":false}],"pointer":"/v","reason":null,"type":"int""#))
    #expect(json.hasSuffix(#""value":1}"#) && !json.contains("\n"))
    let lines = explanation.screen.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 } && !explanation.screen.contains("\u{1b}"))
    #expect(lines.first == "a /v: 1")
    #expect(lines.contains("* override     1") && lines.contains { $0.contains("version 2000, fetched 0 seconds ago") })
  }
}

@Suite("Times in words")
struct RelativeTimeTests {
  @Test(
    "a time is written in its largest unit of which there are two",
    arguments: [
      (0, "0 seconds ago"), (1000, "1 second ago"), (119_999, "119 seconds ago"), (120_000, "2 minutes ago"),
      (7_200_000, "2 hours ago"), (172_800_000, "2 days ago"), (-5000, "in 5 seconds"), (-200_000_000, "in 2 days"),
    ])
  func words(distanceMs: Int64, words: String) {
    #expect(relativeText(1_000_000 &- distanceMs, nowMs: 1_000_000) == words)
  }
}
