// SPDX-License-Identifier: Apache-2.0
//
// Readers against a publisher: nothing torn, nothing freed early. Run it with both sanitizers.

import Glibc
import Testing

@testable import Remora

@Suite("The cell that holds the current snapshot of a source")
struct LiveCellTests {
  /// A snapshot whose two values belong together.
  private static func pair(_ number: Int) throws -> Snapshot {
    try makeSnapshot(#"{"first":\#(number),"second":{"text":"\#(number)","list":[\#(number)]}}"#)
  }

  @Test("while one thread replaces the snapshot ten thousand times, readers see only complete snapshots")
  func swapping() throws {
    let images = try (0..<16).map { try Self.pair($0).base }
    let cell = LiveCell(Snapshot(base: images[0], origin: .fetched))
    let state = Box((running: 0, mistakes: 0, isOver: false))
    let readers = try (0..<4).map { index in
      try NamedThread.startAsHost(name: "test-reader") {
        state.update { $0.running += 1 }
        var mistakes = 0
        while !state.read(\.isOver) {
          for _ in 0..<10 where !(index % 2 == 0 ? Self.isWholeRead(cell) : Self.isWholeSnapshot(cell)) {
            mistakes += 1
          }
          // A reader that is interrupted here keeps no publisher waiting.
          sched_yield()
        }
        state.update { $0.mistakes += mistakes }
      }
    }
    #expect(state.wait { $0.running == 4 })
    // Every snapshot is freed after its turn, and now and then its image too.
    for number in 1...10_000 {
      let image = number % 100 == 0 ? try Self.pair(number).base : images[number % images.count]
      cell.publish(Snapshot(base: image, origin: .fetched))
    }
    state.update { $0.isOver = true }
    for reader in readers { #expect(reader.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    #expect(state.read(\.mistakes) == 0)
    #expect(cell.int("first", nil) == 10_000)
    cell.destroy()
  }

  @Test("all values that threads read at one even revision are the same, also while the snapshot is replaced")
  func oneSnapshotPerRevision() throws {
    let images = try (0..<16).map { try Self.pair($0).base }
    let cell = LiveCell(Snapshot(base: images[0], origin: .fetched))
    let state = Box((running: 0, isOver: false, read: [] as [(revision: Int, value: Int64?)]))
    let readers = try (0..<2).map { _ in
      try NamedThread.startAsHost(name: "test-reader") {
        state.update { $0.running += 1 }
        var read: [(revision: Int, value: Int64?)] = []
        while !state.read(\.isOver) {
          for _ in 0..<100 {
            let revision = cell.revisionNow
            let value = cell.int("first", nil)
            guard LiveCell.isOfOneSnapshot(revision), cell.revisionNow == revision else { continue }
            if read.last?.revision != revision || read.last?.value != value { read.append((revision, value)) }
          }
        }
        state.update { $0.read += read }
      }
    }
    #expect(state.wait { $0.running == 2 })
    for number in 1...50_000 { cell.publish(Snapshot(base: images[number % images.count], origin: .fetched)) }
    state.update { $0.isOver = true }
    for reader in readers { #expect(reader.join(untilMonotonicMs: monotonicMs() + 60_000)) }
    let read = Dictionary(grouping: state.read(\.read), by: \.revision).mapValues { Set($0.map(\.value)) }
    #expect(read.count > 1)
    #expect(read.filter { $0.value.count > 1 }.isEmpty)
    cell.destroy()
  }

  /// Reads both values in one visit.
  private static func isWholeRead(_ cell: LiveCell) -> Bool {
    let pair = cell.read { reader in
      (reader.pointee.find("first", nil).value?.int, reader.pointee.find("second", "/list/0").value?.int)
    }
    return pair?.0 != nil && pair?.0 == pair?.1
  }

  /// Reads both values from a snapshot that is kept.
  private static func isWholeSnapshot(_ cell: LiveCell) -> Bool {
    let snapshot = cell.acquire()
    let first = snapshot.value("first")?.int
    return first != nil && first == snapshot.value("second", "/list/0")?.int
  }

  @Test("a snapshot stays readable until it is released, and is then freed")
  func lifetime() throws {
    let cell = LiveCell(try Self.pair(1))
    weak var first: Snapshot?
    do {
      let held = cell.acquire()
      first = held
      cell.publish(try Self.pair(2))
      #expect(held.value("first")?.int == 1)
    }
    #expect(first == nil)
    cell.destroy()
  }

  @Test("after the regular check for data of other processes has stopped, the current snapshot stays readable")
  func notPolled() throws {
    let cell = LiveCell(try Self.pair(1))
    let polled = cell.revision.pointee
    #expect(polled >= 0 && !cell.isNotPolling)
    cell.stopPolling(untilMonotonicMs: 50)
    #expect(cell.isNotPolling && cell.revision.pointee < 0)
    #expect(!cell.isGracePeriodOver(monotonicMs: 49) && cell.isGracePeriodOver(monotonicMs: 50))
    #expect(cell.int("first", nil) == 1)
    cell.publish(try Self.pair(2))
    #expect(cell.isNotPolling)
    #expect(cell.int("first", nil) == 2)
    cell.notePolling()
    #expect(!cell.isNotPolling && cell.revision.pointee > polled)
    cell.close()
    #expect(cell.isNotPolling && cell.revision.pointee < 0)
    #expect(cell.int("first", nil) == nil)
    cell.destroy()
  }

  @Test("after a source is closed, its current snapshot cannot be read, and snapshots that were acquired stay readable")
  func closed() throws {
    let cell = LiveCell(try Self.pair(3))
    let held = cell.acquire()
    cell.close()
    #expect(cell.read { _ in 1 } == nil)
    #expect(cell.int("first", nil) == nil)
    #expect(cell.bool("first", nil) == nil)
    #expect(cell.double("first", nil) == nil)
    #expect(cell.string("second", "/text") { $0 == nil })
    // What was under way may still be published.
    cell.publish(try Self.pair(4))
    #expect(cell.int("first", nil) == nil)
    #expect(held.value("first")?.int == 3)
    cell.destroy()
  }
}
