// SPDX-License-Identifier: Apache-2.0
//
// Images that lie with a right checksum, about counts, places and ends: who reads them stays inside, and ends.

import Testing

@testable import Remora

@Suite("Forged images (stored data with a valid checksum but invalid content)")
struct ForgedImageTests {
  @Test(
    "if the stored count of an array or object is larger than its data, the value is treated as empty",
    arguments: ["{\"x\":1,\"y\":2}", "[1,2,3]"])
  func containers(json: String) throws {
    for count in [1 << 17 - 1, 1 << 16, 1000] {
      let snapshot = try snapshot(json) { $0.word = Word($0.word.type, distance: Int($0.word.distance), count: count) }
      try expectEmpty(snapshot)
    }
  }

  @Test("if the stored count of a large array or object is larger than its data, the value is treated as empty")
  func largeContainers() throws {
    for type in [ValueType.array, .object] {
      for count in [UInt32.max, 1 << 31, 1 << 29, 1 << 20, 1000] {
        let snapshot = try snapshot("[1,2,3,4]") { entry in
          // The first two elements become distance and count, and the beginning of the array or object.
          let element = Int(entry.word.distance) + ValueLayout.entryWord + ValueLayout.wordsOfArray
          entry.word = Word(far: type, distance: element - ValueLayout.entryWord)
          entry.storeBytes(of: 8, toByteOffset: element, as: UInt32.self)
          entry.storeBytes(of: count, toByteOffset: element + 4, as: UInt32.self)
        }
        try expectEmpty(snapshot)
      }
    }
  }

  @Test("an array whose stored count was reduced has only that number of elements")
  func smaller() throws {
    let snapshot = try snapshot("[1,2,3]") { $0.word = Word(.array, distance: Int($0.word.distance), count: 2) }
    #expect(snapshot.value("k")?.count == 2)
    #expect(snapshot.value("k")?.element(at: 1)?.int == 2)
    #expect(snapshot.value("k")?.element(at: 2) == nil)
  }

  @Test("an array or object that contains itself is treated as empty", arguments: [ValueType.array, .object])
  func insideItself(type: ValueType) throws {
    for word in [Word(type, distance: 0, count: 1), Word(far: type, distance: 0)] {
      try expectEmpty(snapshot("[[1]]") { $0.word = word })
    }
  }

  @Test("a value whose content is beyond the end of the stored data is treated as missing")
  func beyondTheEnd() throws {
    for distance in [1 << 16, 1 << 30, 1 << 31 - 1, 1 << 31 - 8] {
      let string = try snapshot("\"abc\"") { $0.word = Word(.string, distance: distance, count: 3) }
      #expect(string.value("k")?.string == nil)
      let long = try snapshot("1") { $0.word = Word(far: .string, distance: distance) }
      #expect(long.value("k")?.string == nil)
      let number = try snapshot("1") { $0.word = Word(far: .int, distance: distance) }
      #expect(number.value("k")?.int == nil)
      #expect(number.value("k")?.double == nil)
      try expectEmpty(snapshot("[1]") { $0.word = Word(.object, distance: distance, count: 1) })
    }
  }

  @Test("a member whose stored name is beyond the end is not readable, and other members are")
  func names() throws {
    for name in [0xFFFF, 0xFE_0000, 0xFF_0000, UInt32.max] {
      let snapshot = try snapshot("{\"x\":1,\"y\":2}") { entry in
        entry.storeBytes(of: name, toByteOffset: entry.content + 4, as: UInt32.self)
      }
      let value = try #require(snapshot.value("k"))
      #expect(value.count == 2)
      #expect(value.member("x") == nil)
      #expect(value.member("y")?.int == 2)
    }
  }

  @Test("if an object states that it has long names, which are beyond the end, it has no readable members")
  func wideNames() throws {
    for distance in [0, 8, 1 << 20, UInt32.max] {
      let snapshot = try snapshot("{\"x\":1,\"y\":2}") { entry in
        let text = entry.load(fromByteOffset: entry.content, as: UInt32.self)
        entry.storeBytes(of: text | ValueLayout.wideNames, toByteOffset: entry.content, as: UInt32.self)
        entry.storeBytes(of: distance, toByteOffset: entry.content + 4, as: UInt32.self)
      }
      let value = try #require(snapshot.value("k"))
      #expect(value.member("x") == nil)
      #expect(value.member("y") == nil)
      withExtendedLifetime(snapshot) {}
    }
  }

  @Test("an array or object whose stored text is beyond the end, or does not end, has no JSON text")
  func texts() throws {
    for distance in [1 << 20, UInt32.max >> 1] {
      let snapshot = try snapshot("[1]") { $0.storeBytes(of: distance, toByteOffset: $0.content, as: UInt32.self) }
      #expect(throws: RemoraError.self) { try snapshot.text() }
    }
    let open = try snapshot("[[\"a\"]]") { entry in
      for place in entry.indices where entry[place] == UInt8(ascii: "]") { entry[place] = UInt8(ascii: "[") }
    }
    #expect(throws: RemoraError.self) { try open.text() }
  }

  @Test("a stored string or key without its NUL terminator is not readable")
  func unended() throws {
    let text = try snapshot("\"abc\"") { entry in
      entry.storeBytes(of: 1, toByteOffset: entry.content + 3, as: UInt8.self)
    }
    #expect(text.value("k")?.string == nil)
    let key = try snapshot("1") { $0.storeBytes(of: 1, toByteOffset: ValueLayout.entrySize + 1, as: UInt8.self) }
    #expect(key.base.reader(over: nil).entry(at: 0) == nil)
  }

  /// Expects that a value is an array or object without readable children.
  private func expectEmpty(_ snapshot: Snapshot) throws {
    let value = try #require(snapshot.value("k"))
    // Who trusts the count needs minutes from here on.
    try #require(value.count == 0)
    #expect(value.element(at: 0) == nil)
    #expect(value.member(at: 0) == nil)
    #expect(value.member("x") == nil)
    var fields = ByteBuffer()
    try appendCanonicalFields(of: value, to: &fields)
    #expect(String(decoding: fields.bytes, as: UTF8.self) == "{}")
    withExtendedLifetime(snapshot) {}
  }

  /// A snapshot of one key, whose entry was changed.
  private func snapshot(_ json: String, _ change: (UnsafeMutableRawBufferPointer) -> Void) throws -> Snapshot {
    let bytes = try makeImage("{\"k\":\(json)}").forged(change)
    return Snapshot(base: try bytes.withBytes { try Image(ImageBuffer(copying: $0)) }, origin: .cached)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The word of the entry at the beginning.
  fileprivate var word: Word {
    get { Word(load(fromByteOffset: ValueLayout.entryWord, as: UInt64.self)) }
    nonmutating set { storeBytes(of: newValue.bits, toByteOffset: ValueLayout.entryWord, as: UInt64.self) }
  }

  /// The place of the content to which the word leads.
  fileprivate var content: Int { ValueLayout.entryWord + Int(word.distance) }
}
