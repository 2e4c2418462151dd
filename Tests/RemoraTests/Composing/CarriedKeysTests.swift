// SPDX-License-Identifier: Apache-2.0
//
// The limits of the keys that newer documents do not list.

import Testing

@testable import Remora

@Suite("Limits of the namespaces that new bundles no longer list")
struct CarriedKeysTests {
  /// The keys after a sequence of documents, each of which lists other keys than the one before.
  private struct History {
    private(set) var adjustments = Adjustments()
    private var last: Image?

    var carried: CarriedKeys { adjustments.carriedOver }

    var names: [String] { carried.keys.map { String(decoding: $0, as: UTF8.self) } }

    mutating func add(_ document: String) throws {
      let image = try makeImage(document)
      if let last { adjustments.carriedOver = try CarriedKeys(from: last, .fetched, under: adjustments, to: image) }
      last = image
    }
  }

  /// A document with keys that have a prefix and a number of five digits.
  private func document(_ prefix: String, _ count: Int, value: String = "1") -> String {
    "{\((0..<count).map { "\"\(name(prefix, $0))\":\(value)" }.joined(separator: ","))}"
  }

  private func name(_ prefix: String, _ index: Int) -> String { "\(prefix)\(String(100_000 + index).dropFirst())" }

  /// An array of two strings, with its number of bytes. One string of this length could not be parsed.
  private func text(ofSize size: Int) -> String {
    let half = (size - 7) / 2
    return "[\"\(String(repeating: "x", count: half))\",\"\(String(repeating: "y", count: size - 7 - half))\"]"
  }

  @Test(
    "at most 10,000 keys that new bundles no longer list are kept, and those that were kept longest are dropped first")
  func count() throws {
    var history = History()
    for (prefix, count) in [("c", 4000), ("b", 4000), ("a", 4000)] { try history.add(document(prefix, count)) }
    #expect(history.names.count == 8000)
    #expect(history.carried.droppedCount == 0)
    try history.add("{}")
    let (a, b) = ((0..<4000).map { name("a", $0) }, (0..<4000).map { name("b", $0) })
    #expect(history.names == a + b + (0..<2000).map { name("c", $0) })
    #expect(history.carried.droppedCount == 2000)
    try history.add("{}")
    #expect(history.names.count == 10_000)
    #expect(history.carried.droppedCount == 0)
  }

  @Test("if one bundle has more than 10,000 keys that the next one does not list, the first 10,000 by name are kept")
  func oneDocument() throws {
    var history = History()
    try history.add(document("a", 2))
    try history.add(document("b", 10_003))
    try history.add("{}")
    #expect(history.names == (0..<10_000).map { name("b", $0) })
    #expect(history.carried.droppedCount == 5)
  }

  @Test("at most 16 MiB of text is kept, and a key that does not fit does not displace smaller ones")
  func bytes() throws {
    let mebibyte = "\"\(String(repeating: "x", count: 1 << 20))\""
    var history = History()
    try history.add(document("c", 6, value: mebibyte))
    try history.add(document("b", 11, value: mebibyte))
    try history.add(#"{"a":1}"#)
    #expect(history.names == (0..<11).map { name("b", $0) } + (0..<4).map { name("c", $0) })
    #expect(history.carried.droppedCount == 2)
    try history.add("{\"d\":\(text(ofSize: 16 << 20))}")
    try history.add("{}")
    #expect(history.names == ["a"] + (0..<11).map { name("b", $0) } + (0..<4).map { name("c", $0) })
    #expect(history.carried.droppedCount == 1)
  }

  @Test("a key whose text fits exactly into 16 MiB is kept", arguments: [0, 1])
  func exactly(excess: Int) throws {
    var history = History()
    // The key has one byte.
    try history.add("{\"a\":\(text(ofSize: (16 << 20) - 1 + excess))}")
    try history.add("{}")
    #expect(history.names == (excess == 0 ? ["a"] : []))
    #expect(history.carried.droppedCount == excess)
  }
}

extension BundleTests {
  @Test("a namespace beyond the limit of kept namespaces is removed with one warning, but its overrides stay")
  func keptLimit() throws {
    let lines = Box<[String]>([])
    let stage = try Stage(log: Log(level: .warning) { line in lines.update { $0.append(line.text) } })
    let handle = try stage.open()
    stage.publish(1, bundleElement("old"), bundleElement("other"))
    #expect(handle.refresh().outcome == .updated)
    try handle.set("old", "/x", "1")
    let elements = (0..<10_000).map { bundleElement("n\($0)") }.joined(separator: ",")
    stage.publish(2, elements)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.json("other", "/networkConfiguration/endpoint") != nil)
    stage.publish(3)
    #expect(handle.refresh().outcome == .updated)
    #expect(try handle.json("n9999", "/networkConfiguration/endpoint") != nil)
    #expect(try handle.json("other") == nil)
    #expect(try handle.json("old") == #"{"x":1}"#)
    #expect(try handle.source.overrides().places == ["old:/x"])
    stage.publish(4, bundleElement("last"))
    #expect(handle.refresh().outcome == .updated)
    stage.scene.client.close()
    #expect(
      lines.read { $0 } == [
        "bundle https://h.example/x: 2 keys that only earlier documents contain cannot be kept, and are removed:"
          + " at most 10000 such keys and 16 MiB of their text are kept"
      ])
  }
}
