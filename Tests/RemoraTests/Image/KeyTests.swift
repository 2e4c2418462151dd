// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Remora

@Suite("Keys")
struct KeyTests {
  @Test("of every length are found, and their near misses are not")
  func lengths() throws {
    let keys = (1...300).map { length in String((0..<length).map { "abcdefghijklmno"[$0 &* 7 &+ length] }) }
    let members = keys.enumerated().map { "\"\($0.element)\":\($0.offset)" }
    let snapshot = try makeSnapshot("{\(members.joined(separator: ","))}")
    withExtendedLifetime(snapshot) {
      for (index, key) in keys.enumerated() {
        #expect(snapshot.value(key)?.int == Int64(index))
        for place in [0, key.utf8.count / 2, key.utf8.count - 1] {
          var miss = Array(key.utf8)
          miss[place] = UInt8(ascii: "#")
          #expect(snapshot.value(String(decoding: miss, as: UTF8.self)) == nil)
        }
      }
    }
  }

  @Test("are sorted by their bytes, whatever they have in common")
  func order() throws {
    var keys: [[UInt8]] = []
    for prefix in ["", "a", "settings", "settings-of-the-house", String(repeating: "long", count: 40)] {
      for tail in ["", "0", "1", "é", "z", "12345678", "123456789", "\u{10FFFF}", String(repeating: "~", count: 90)] {
        if !(prefix + tail).isEmpty { keys.append(Array((prefix + tail).utf8)) }
      }
    }
    keys += keys.prefix(5)
    keys.shuffle()
    var encoder = EntryEncoder()
    var ranges: [EntryRange] = []
    for key in keys {
      try Array("1".utf8).withBytes { bytes throws(RemoraError) in
        var cursor = try JSONCursor(bytes, name: "the test document")
        let value = try cursor.value()
        ranges.append(try key.withBytes { key throws(RemoraError) in try encoder.append(key: key, value) })
      }
    }
    let memory = try encoder.finish()
    var entries = ranges.compactMap { Entry(at: UInt32($0.offset), in: UnsafePointer(memory.region)) }
    withExtendedLifetime(memory) {
      sortByKey(&entries)
      #expect(entries.map { Array($0.key) } == keys.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }
}

extension String {
  fileprivate subscript(position: Int) -> Character {
    self[index(startIndex, offsetBy: position % count)]
  }
}
