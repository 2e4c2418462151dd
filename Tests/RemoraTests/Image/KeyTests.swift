// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Remora

@Suite("Keys of an image (the binary form of a source)")
struct KeyTests {
  @Test("keys of every length are found, and a key that differs from a stored key in one byte is not")
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
}

extension String {
  fileprivate subscript(position: Int) -> Character {
    self[index(startIndex, offsetBy: position % count)]
  }
}
