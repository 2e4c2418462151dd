// SPDX-License-Identifier: Apache-2.0
//
// The table of a client's open sources: lookup by identity, order, and gaps.

import Testing

@testable import Remora

@Suite("The client's table of open sources")
struct SourceTableTests {
  let scene: Scene
  private let handles: [OpenSource]

  init() throws {
    let scene = try Scene()
    self.scene = scene
    handles = try (0..<20).map { number in try scene.open { $0.collection = "c\(number)" } }
  }

  private var sources: [Source] { handles.map(\.source) }

  private func table(without removed: [Int] = []) -> SourceTable {
    var table = SourceTable()
    for source in sources { table.append(source) }
    for index in removed { table.remove(sources[index]) }
    return table
  }

  @Test("an open source is found by its identity, and sources are listed in the order in which they were opened")
  func find() {
    let table = table()
    for source in sources { #expect(table[source.dialect.identity] === source) }
    #expect(isSame(table.all, sources))
    #expect(table["nothing"] == nil)
  }

  @Test(
    "a closed source is not found, and the other sources keep their order",
    arguments: [[0], [19], [3, 4, 5], Array(0..<11), Array(5..<20), Array(0..<20)])
  func remove(_ removed: [Int]) {
    let table = table(without: removed)
    let kept = sources.indices.filter { !removed.contains($0) }.map { sources[$0] }
    #expect(isSame(table.all, kept))
    for source in kept { #expect(table[source.dialect.identity] === source) }
    for index in removed { #expect(table[sources[index].dialect.identity] == nil) }
  }

  @Test("a source that is opened again after it was closed is listed last")
  func addAgain() {
    var table = table(without: Array(0..<15))
    table.append(sources[0])
    #expect(isSame(table.all, Array(sources[15...]) + [sources[0]]))
    table.remove(sources[1])
    #expect(table.all.count == 6)
  }

  @Test("opening a source twice returns the same source")
  func sameSource() throws {
    for (number, handle) in handles.enumerated() {
      #expect(try scene.open { $0.collection = "c\(number)" }.source === handle.source)
    }
  }
}

private func isSame(_ first: [Source], _ second: [Source]) -> Bool {
  first.map(ObjectIdentifier.init) == second.map(ObjectIdentifier.init)
}
